// Applying a plan for three resource types produces the desired state, in an order that respects dependencies.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  comparable,
  completed,
  type Definition,
  RESOURCE_TYPES,
  type ResourceType,
} from '../../../../../src/lib/domain/warehouse/definition.ts';
import {
  type ByType,
  neededSteps,
  planWarehouse,
  type WarehousePlan,
} from '../../../../../src/lib/domain/warehouse/plan.ts';
import { anyWorkspace } from '../../../../helpers/any-warehouse.ts';

const SCOPE = { workspace: '1', address: 'https://api.example.com' };
const EVERYTHING = { prune: true, selects: () => true };
const never = (): boolean => false;
const always = (): boolean => true;

function plan(live: ByType<Definition>, wanted: ByType<Definition>, sendSecrets = never): WarehousePlan {
  return planWarehouse({ ...EVERYTHING, scope: SCOPE, live, wanted, sendSecrets });
}

/** Returns the workspace after the plan's steps. */
function applied(live: ByType<Definition>, wanted: ByType<Definition>): ByType<Definition> {
  const after: ByType<Definition> = { ...live };
  for (const { action, type, id } of plan(live, wanted).steps) {
    const current = after[type].find((it) => it.id === id);
    const target = wanted[type].find((it) => it.id === id);
    const others = after[type].filter((it) => it.id !== id);
    after[type] = action === 'delete' || !target ? others : [...others, completed(type, target, current)];
  }
  return after;
}

function reversed(workspace: ByType<Definition>): ByType<Definition> {
  return {
    connection: [...workspace.connection].reverse(),
    data_model: [...workspace.data_model].reverse(),
    pipeline: [...workspace.pipeline].reverse(),
  };
}

describe('a plan for any two workspaces', () => {
  it('removes every difference', () => {
    fc.assert(
      fc.property(anyWorkspace, anyWorkspace, (live, wanted) => {
        expect(plan(applied(live, wanted), wanted).steps).toEqual([]);
      }),
    );
  });

  it('contains steps in dependency order, reversed for deletions', () => {
    const rank = (type: ResourceType): number => RESOURCE_TYPES.indexOf(type);
    fc.assert(
      fc.property(anyWorkspace, anyWorkspace, (live, wanted) => {
        const { steps } = plan(live, wanted);
        const order = steps.map(({ action, type }) => (action === 'delete' ? 5 - rank(type) : rank(type)));
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }),
    );
  });

  it('counts each desired resource and each deletion exactly once', () => {
    fc.assert(
      fc.property(anyWorkspace, anyWorkspace, (live, wanted) => {
        const { steps, unchanged, summary } = plan(live, wanted);
        const count = RESOURCE_TYPES.reduce((sum, type) => sum + wanted[type].length, 0);
        expect(summary.create + summary.update + summary.unchanged).toBe(count);
        expect(summary.create + summary.update + summary.delete).toBe(steps.length);
        const touched = steps.map(({ type, id }) => `${type}/${id}`);
        expect(new Set([...touched, ...unchanged]).size).toBe(touched.length + unchanged.length);
      }),
    );
  });

  it('does not depend on the order of the resources', () => {
    fc.assert(
      fc.property(anyWorkspace, anyWorkspace, (live, wanted) => {
        expect(plan(reversed(live), reversed(wanted))).toEqual(plan(live, wanted));
      }),
    );
  });

  it('has a different hash if any compared field differs', () => {
    fc.assert(
      fc.property(anyWorkspace, anyWorkspace, anyWorkspace, (live, wanted, other) => {
        const same = RESOURCE_TYPES.every((type) => {
          const normalized = (lists: ByType<Definition>): string =>
            JSON.stringify(lists[type].map((it) => JSON.stringify(comparable(type, it))).sort());
          return normalized(wanted) === normalized(other);
        });
        fc.pre(!same);
        expect(plan(live, wanted).plan).not.toBe(plan(live, other).plan);
      }),
    );
  });

  it('does not contain secrets or references to secrets in its changes', () => {
    fc.assert(
      fc.property(anyWorkspace, anyWorkspace, (live, wanted) => {
        const changes = plan(live, wanted, always).steps.map((step) => step.changes);
        expect(JSON.stringify(changes)).not.toContain('env:PASSWORD');
      }),
    );
  });
});

const CONNECTION: Definition = { id: 'c', name: 'C', config: { role: 'r', password: 'env:P' } };
const none: ByType<Definition> = { connection: [], data_model: [], pipeline: [] };

describe('a resource that no file defines', () => {
  const live = { ...none, connection: [CONNECTION, { ...CONNECTION, id: 'foreign' }] };
  const wanted = { ...none, connection: [CONNECTION] };
  const planned = (more: object, from = live) =>
    planWarehouse({ scope: SCOPE, live: from, wanted, sendSecrets: never, ...EVERYTHING, prune: false, ...more });

  it('is listed as unmanaged, and its existence does not change the plan hash', () => {
    expect(planned({})).toMatchObject({ steps: [], unmanaged: ['connection/foreign'], summary: { unmanaged: 1 } });
    expect(planned({}, { ...none, connection: [CONNECTION] }).plan).toBe(planned({}).plan);
  });

  it('is deleted if it is selected and `prune` is set, and is left out of the plan if it is not selected', () => {
    expect(planned({ prune: true })).toMatchObject({ steps: [{ action: 'delete', id: 'foreign' }], unmanaged: [] });
    expect(planned({ prune: true, selects: (_type: ResourceType, id: string) => id === 'c' })).toMatchObject({
      steps: [],
      unchanged: ['connection/c'],
      unmanaged: [],
    });
  });
});

it('applies a pipeline after the resources it uses, and deletes a resource after the pipelines that used it', () => {
  const use = (id: string, part: string): Definition => ({ id, connection_id: part, data_model_id: 'm' });
  const live = { ...none, connection: [{ ...CONNECTION, id: 'old' }], pipeline: [use('p', 'old')] };
  const wanted = { ...none, connection: [CONNECTION, { ...CONNECTION, id: 'd' }], pipeline: [use('p', 'c')] };
  const { steps } = plan(live, wanted);
  const needs = steps.map((step) => [
    `${step.action} ${step.id}`,
    neededSteps(step, steps, live, wanted).map(({ id }) => id),
  ]);
  expect(needs).toEqual([
    ['create c', []],
    ['create d', []],
    ['update p', ['c']],
    ['delete old', ['p']],
  ]);
});

it('creates different hashes for plans that differ only in their workspace or address', () => {
  const of = (scope: typeof SCOPE): string =>
    planWarehouse({ ...EVERYTHING, scope, live: none, wanted: none, sendSecrets: never }).plan;
  const hashes = [SCOPE, { ...SCOPE, workspace: '2' }, { ...SCOPE, address: 'https://other.example.com' }].map(of);
  expect(new Set(hashes).size).toBe(3);
  for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{32}$/);
});

it('sends a secret if another field changes, and otherwise only on request', () => {
  const live = { ...none, connection: [{ ...CONNECTION, config: { role: 'r', password: '********' } }] };
  const wanted = { ...none, connection: [CONNECTION] };
  expect(plan(live, wanted).steps).toEqual([]);
  expect(plan(live, wanted, always).steps).toMatchObject([{ changes: {}, secrets: ['config.password'] }]);
  const other = { ...none, connection: [{ ...CONNECTION, name: 'D' }] };
  expect(plan(live, other).steps).toMatchObject([
    { changes: { name: { from: 'C', to: 'D' } }, secrets: ['config.password'] },
  ]);
});
