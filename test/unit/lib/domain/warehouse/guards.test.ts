// The guards that are checked before a warehouse plan is applied, and the flags that override them.
import { describe, expect, it } from 'vitest';
import { guardWarehouse, type Step } from '../../../../../src/lib/domain/warehouse/plan.ts';

type StepAction = Step['action'];
const ALL = { allowDelete: true, allowReset: true, allowEmpty: true, force: true };

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

function violations(steps: Step[], live: number, flags: Partial<typeof ALL> = {}) {
  const count = (action: StepAction): number => steps.filter((one) => one.action === action).length;
  const summary = {
    create: count('create'),
    update: count('update'),
    delete: count('delete'),
    unchanged: 0,
    unmanaged: 0,
  };
  return guardWarehouse({ plan: 'x', steps, unchanged: [], unmanaged: [], summary }, live, flags);
}

const guards = (...push: Parameters<typeof violations>): string[] => violations(...push).map(({ guard }) => guard);
const many = (action: StepAction, count: number): Step[] =>
  Array.from({ length: count }, (_, index) => step(action, `${action}-${index}`));

describe('deletions', () => {
  it('are listed by type and id, and are allowed only if --allow-delete is passed or their number (or the only id) is typed', () => {
    const steps = [step('delete', 'p'), step('delete', 'm', { type: 'data_model' }), step('update', 'q')];
    expect(violations(steps, 9)).toEqual([
      {
        guard: 'delete',
        flag: '--allow-delete',
        message: '2 resources would be deleted: pipeline p, data model m',
        typed: '2',
      },
    ]);
    expect(violations([step('delete', 'p')], 9)).toMatchObject([{ typed: 'p' }]);
    expect(guards(steps, 9, { allowDelete: true })).toEqual([]);
  });
});

describe('resets', () => {
  it('require --allow-reset, and are reported with the pipelines that would lose their sync position', () => {
    const steps = [step('update', 'p', { resets: true }), step('update', 'q'), step('update', 'r', { resets: true })];
    expect(violations(steps, 9)).toEqual([
      { guard: 'reset', flag: '--allow-reset', message: 'the sync position would be reset: p, r' },
    ]);
    expect(guards(steps, 9, { allowReset: true })).toEqual([]);
  });
});

describe('an emptied workspace', () => {
  it('requires its own flag in addition to the flag for deletions', () => {
    expect(violations(many('delete', 3), 3, { allowDelete: true })).toEqual([
      { guard: 'empty', flag: '--allow-empty', message: 'every resource would be deleted' },
    ]);
    expect(guards(many('delete', 3), 3)).toEqual(['delete', 'empty']);
    expect(guards(many('delete', 3), 3, { allowDelete: true, allowEmpty: true })).toEqual([]);
  });

  it('is not reported if a resource remains or is created, or if none existed', () => {
    expect(guards(many('delete', 3), 4, { allowDelete: true })).toEqual([]);
    expect(guards([...many('delete', 3), step('create', 'n')], 3, { allowDelete: true })).toEqual([]);
    expect(guards([], 0)).toEqual([]);
  });
});

describe('the guard against large changes', () => {
  it.each([
    [10, 4],
    [13, 4],
    [100, 31],
  ])('requires --force if the platform has %i resources and %i of them change', (live, some) => {
    expect(guards(many('update', some), live)).toEqual(['threshold']);
    expect(guards(many('update', some), live, { force: true })).toEqual([]);
  });

  it.each([
    [9, 9],
    [10, 3],
    [13, 3],
    [100, 30],
  ])('does not require --force if the platform has %i resources and %i of them change', (live, some) => {
    expect(guards(many('update', some), live)).toEqual([]);
    expect(guards(many('update', some), live, { force: true })).toEqual([]);
  });

  it('counts changed and deleted resources, but not new ones', () => {
    const steps = [...many('update', 2), ...many('delete', 2)];
    expect(violations([...steps, ...many('create', 9)], 10, { allowDelete: true })).toEqual([
      {
        guard: 'threshold',
        flag: '--force',
        message: '4 of 10 resources would be changed or deleted, more than 30%',
      },
    ]);
    expect(guards(many('create', 30), 10)).toEqual([]);
  });
});

it('reports all guards together, and accepts a change with all their flags', () => {
  const steps = [...many('delete', 10), step('update', 'p', { resets: true })];
  expect(guards(steps, 10)).toEqual(['delete', 'empty', 'reset', 'threshold']);
  expect(guards(steps, 10, ALL)).toEqual([]);
});
