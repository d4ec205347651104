// Individual steps of a plan: sent secrets, lost sync positions, and the hash.
import { describe, expect, it } from 'vitest';
import type { Definition } from '../../../../../src/lib/domain/warehouse/definition.ts';
import { type ByType, planWarehouse, type WarehousePlan } from '../../../../../src/lib/domain/warehouse/plan.ts';

const EMPTY: ByType<Definition> = { connection: [], data_model: [], pipeline: [] };
const connection = (id: string, over: Record<string, unknown> = {}): Definition => ({ id, name: id, ...over });
const pipeline = (id: string, over: Record<string, unknown> = {}): Definition => ({
  id,
  name: id,
  sync_mode: { type: 'incremental', from: '2026-01-01T00:00:00Z' },
  ...over,
});

function plan(live: Partial<ByType<Definition>>, wanted: Partial<ByType<Definition>>, send = false): WarehousePlan {
  return planWarehouse({
    scope: { workspace: '1', address: 'https://api.example.com' },
    live: { ...EMPTY, ...live },
    wanted: { ...EMPTY, ...wanted },
    prune: true,
    selects: () => true,
    sendSecrets: () => send,
  });
}

describe("a pipeline's sync position", () => {
  const live = { pipeline: [pipeline('p')] };
  const full = { sync_mode: { type: 'full' } };

  it.each<[string, Definition]>([
    ['a different sync mode', pipeline('p', full)],
    ['a different sync mode and a different name', pipeline('p', { ...full, name: 'N' })],
  ])('is lost if the file has %s', (_what, wanted) => {
    expect(plan(live, { pipeline: [wanted] }).steps).toMatchObject([{ action: 'update', id: 'p', resets: true }]);
  });

  it.each<[string, Definition]>([
    ['a different name', pipeline('p', { name: 'N' })],
    ['a different schedule', pipeline('p', { schedule: { type: 'once' } })],
  ])('is kept if the file has %s', (_what, wanted) => {
    expect(plan(live, { pipeline: [wanted] }).steps).toMatchObject([{ action: 'update', id: 'p', resets: false }]);
  });

  it('is not reported as lost for a creation, a deletion or a change to a data model', () => {
    const created = plan({}, { pipeline: [pipeline('p')] });
    const deleted = plan(live, {});
    const other = plan(
      { data_model: [connection('m')] },
      { data_model: [connection('m', { sync_mode: { type: 'full' } })] },
    );
    const steps = [created, deleted, other].flatMap((one) => one.steps);
    expect(steps.map(({ action, resets }) => [action, resets])).toEqual([
      ['create', false],
      ['delete', false],
      ['update', false],
    ]);
  });
});

describe('secrets', () => {
  const withSecret = connection('c', { config: { password: 'env:PASSWORD' } });

  it('are sent again on request, but only for resources that have secrets', () => {
    const same = { connection: [withSecret, connection('d')] };
    expect(plan(same, same).steps).toEqual([]);
    expect(plan(same, same, true)).toMatchObject({
      steps: [
        {
          action: 'update',
          id: 'c',
          changes: {},
          secrets: ['config.password'],
          references: { 'config.password': 'env:PASSWORD' },
        },
      ],
      unchanged: ['connection/d'],
    });
  });

  it('are listed as sent if the file contains a mask and another field changes', () => {
    const masked = connection('c', { config: { password: '********' }, name: 'N' });
    expect(plan({ connection: [withSecret] }, { connection: [masked] }).steps).toMatchObject([
      { action: 'update', secrets: ['config.password'] },
    ]);
  });

  it('are listed neither as sent nor as changed for a deleted resource', () => {
    expect(plan({ connection: [withSecret] }, {}).steps).toEqual([
      {
        action: 'delete',
        type: 'connection',
        id: 'c',
        changes: { id: { from: 'c', to: null }, name: { from: 'c', to: null } },
        secrets: [],
        references: {},
        resets: false,
      },
    ]);
  });
});

it('sorts independent steps by id', () => {
  const some = (...ids: string[]) => ({ connection: ids.map((id) => connection(id)) });
  const ids = ({ steps }: WarehousePlan): string[] => steps.map(({ action, id }) => `${action} ${id}`);
  expect(ids(plan({}, some('c', 'a', 'd', 'b')))).toEqual(['create a', 'create b', 'create c', 'create d']);
  expect(ids(plan(some('d', 'b', 'c', 'a'), {}))).toEqual(['delete a', 'delete b', 'delete c', 'delete d']);
  expect(plan(some('b', 'a'), some('b', 'a')).unchanged).toEqual(['connection/a', 'connection/b']);
});

describe('the plan hash', () => {
  const [one, other] = [{ connection: [connection('c')] }, { connection: [connection('c', { name: 'Other' })] }];

  it('differs if the live state differs, even if there are no steps', () => {
    expect([plan(one, one).steps, plan(other, other).steps]).toEqual([[], []]);
    expect(plan(one, one).plan).not.toBe(plan(other, other).plan);
  });

  it('does not depend on the order of resources', () => {
    const [a, b] = [connection('a'), connection('b')];
    expect(plan({ connection: [a, b] }, {}).plan).toBe(plan({ connection: [b, a] }, {}).plan);
  });
});
