// The guards before a plan of warehouse sync is applied: which step needs which flag.
import { describe, expect, it } from 'vitest';
import { guardWarehouse, type WarehouseGuardFlags } from '../../../../../src/lib/domain/warehouse/guards.ts';
import type { Step, StepAction } from '../../../../../src/lib/domain/warehouse/plan.ts';

const NONE: WarehouseGuardFlags = { allowDelete: false, allowReset: false, allowEmpty: false, force: false };
const ALL: WarehouseGuardFlags = { allowDelete: true, allowReset: true, allowEmpty: true, force: true };

const step = (action: StepAction, id: string, over: Partial<Step> = {}): Step => ({
  action,
  type: 'pipeline',
  id,
  changes: {},
  secrets: [],
  references: {},
  resets: false,
  ...over,
});

function refusals(steps: Step[], live: number, flags: Partial<WarehouseGuardFlags> = {}) {
  const count = (action: StepAction): number => steps.filter((one) => one.action === action).length;
  const summary = { create: count('create'), update: count('update'), delete: count('delete'), unchanged: 0 };
  return guardWarehouse({ plan: 'x', steps, unchanged: [], summary }, live, { ...NONE, ...flags });
}

const guards = (...push: Parameters<typeof refusals>): string[] => refusals(...push).map(({ guard }) => guard);
const many = (action: StepAction, count: number): Step[] =>
  Array.from({ length: count }, (_, index) => step(action, `${action}-${index}`));

describe('deletions', () => {
  it('need --allow-delete, or their number typed, and are named by kind and id', () => {
    const steps = [step('delete', 'p'), step('delete', 'm', { type: 'data_model' }), step('update', 'q')];
    expect(refusals(steps, 9)).toEqual([
      { guard: 'delete', flag: '--allow-delete', message: '2 to be deleted: pipeline p, data model m', typed: '2' },
    ]);
    expect(guards(steps, 9, { allowDelete: true })).toEqual([]);
  });
});

describe('resets', () => {
  it('need --allow-reset, and name whose sync position is lost', () => {
    const steps = [step('update', 'p', { resets: true }), step('update', 'q'), step('update', 'r', { resets: true })];
    expect(refusals(steps, 9)).toEqual([
      { guard: 'reset', flag: '--allow-reset', message: 'the sync position would be reset: p, r' },
    ]);
    expect(guards(steps, 9, { allowReset: true })).toEqual([]);
  });
});

describe('an emptied workspace', () => {
  it('needs its own flag besides the one for deletions', () => {
    expect(refusals(many('delete', 3), 3, { allowDelete: true })).toEqual([
      { guard: 'empty', flag: '--allow-empty', message: 'every resource would be deleted' },
    ]);
    expect(guards(many('delete', 3), 3)).toEqual(['delete', 'empty']);
    expect(guards(many('delete', 3), 3, { allowDelete: true, allowEmpty: true })).toEqual([]);
  });

  it('is none where something is left, something is created, or nothing was there', () => {
    expect(guards(many('delete', 3), 4, { allowDelete: true })).toEqual([]);
    expect(guards([...many('delete', 3), step('create', 'n')], 3, { allowDelete: true })).toEqual([]);
    expect(guards([], 0)).toEqual([]);
  });
});

describe('a large change', () => {
  it.each([
    [9, 9, false],
    [10, 3, false],
    [10, 4, true],
    [13, 3, false],
    [13, 4, true],
    [100, 30, false],
    [100, 31, true],
  ])('of %i resources, %i: %s', (live, some, refused) => {
    expect(guards(many('update', some), live)).toEqual(refused ? ['threshold'] : []);
    expect(guards(many('update', some), live, { force: true })).toEqual([]);
  });

  it('counts changes and deletions together, and nothing that is created', () => {
    const steps = [...many('update', 2), ...many('delete', 2)];
    expect(refusals([...steps, ...many('create', 9)], 10, { allowDelete: true })).toEqual([
      {
        guard: 'threshold',
        flag: '--force',
        message: '4 of 10 resources would be changed or deleted, more than 30 %',
      },
    ]);
    expect(guards(many('create', 30), 10)).toEqual([]);
  });
});

it('all guards are told at once, and all flags let all of it pass', () => {
  const steps = [...many('delete', 10), step('update', 'p', { resets: true })];
  expect(guards(steps, 10)).toEqual(['delete', 'empty', 'reset', 'threshold']);
  expect(guards(steps, 10, ALL)).toEqual([]);
});
