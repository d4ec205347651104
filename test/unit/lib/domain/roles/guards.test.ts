// The guards that are checked before a PUT, and the flags that override them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GuardFlags, guardPush, planRoles } from '../../../../../src/lib/domain/roles/plan.ts';
import type { Role } from '../../../../../src/lib/domain/roles/manifest.ts';
import { anyRoles, manifestOf, role } from '../../../../helpers/any-roles.ts';

const SCOPE = { organization: '101', address: 'https://api.example.com' };
const ALL: GuardFlags = { allowDelete: true, force: true, allowEmpty: true };

function violations(live: Role[], wanted: Role[], flags: GuardFlags = {}) {
  return guardPush(planRoles(SCOPE, manifestOf(live), wanted), flags);
}

const guards = (...push: Parameters<typeof violations>): string[] => violations(...push).map((item) => item.guard);

const many = (count: number, tasks: string[] = []): Role[] =>
  Array.from({ length: count }, (_, index) => role(`r${index}`, tasks));

/** Returns `count` roles, of which the first `some` have a new task. */
const changed = (count: number, some: number): Role[] => [...many(some, ['rules:view']), ...many(count).slice(some)];

describe('deletions', () => {
  it('are listed, and are allowed only if --allow-delete is passed or their number is typed', () => {
    expect(violations(many(4), many(2))).toEqual([
      {
        guard: 'delete',
        flag: '--allow-delete',
        message: '2 roles would be deleted for the whole organization: r2, r3',
        typed: '2',
      },
    ]);
    expect(violations(many(2), many(1))[0]?.message).toBe('1 role would be deleted for the whole organization: r1');
    expect(guards(many(4), many(2), { allowDelete: true })).toEqual([]);
  });

  it('include the old id of a renamed role', () => {
    expect(guards([role('a')], [role('b')])).toEqual(['delete']);
  });
});

describe('the guard against large changes', () => {
  it.each([
    [10, 4],
    [13, 4],
    [20, 7],
    [70, 22],
    [100, 31],
  ])('requires --force if the platform has %i roles and %i of them change', (count, some) => {
    expect(guards(many(count), changed(count, some))).toEqual(['threshold']);
    expect(guards(many(count), changed(count, some), { force: true })).toEqual([]);
  });

  it.each([
    [9, 9],
    [10, 3],
    [13, 3],
    [20, 6],
    [70, 21],
    [90, 27],
    [100, 30],
  ])('does not require --force if the platform has %i roles and %i of them change', (count, some) => {
    expect(guards(many(count), changed(count, some))).toEqual([]);
    expect(guards(many(count), changed(count, some), { force: true })).toEqual([]);
  });

  it('counts changes and deletions, but not new roles', () => {
    const live = many(10);
    const wanted = [...changed(10, 2).slice(0, 8), ...many(30).slice(20)];
    expect(guards(live, wanted, { allowDelete: true })).toEqual(['threshold']);
    expect(violations(live, wanted, { allowDelete: true })[0]).toEqual({
      guard: 'threshold',
      flag: '--force',
      message: '4 of 10 roles would be changed or deleted, more than 30%',
    });
    expect(guards(live, [...live, ...many(60).slice(20)])).toEqual([]);
  });
});

describe('an emptied manifest', () => {
  it('requires its own flag in addition to the flags for deletions and large changes', () => {
    expect(guards(many(10), [])).toEqual(['delete', 'empty', 'threshold']);
    expect(guards(many(10), [], { allowDelete: true, force: true })).toEqual(['empty']);
    expect(guards(many(10), [], { allowEmpty: true })).toEqual(['delete', 'threshold']);
    expect(guards(many(10), [], ALL)).toEqual([]);
    expect(violations(many(1), [], { allowDelete: true })).toEqual([
      { guard: 'empty', flag: '--allow-empty', message: 'the manifest would have no roles left' },
    ]);
  });

  it('does not require a flag if there were no roles before', () => {
    expect(guards([], [])).toEqual([]);
  });
});

describe('--fail-on escalation', () => {
  const live = [role('a', ['rules:*'])];

  it('lists each escalation, and is not overridden by any flag', () => {
    const wanted = [role('a', ['rules:*', 'audiences:*']), role('b', ['privacy:settings'])];
    expect(violations(live, wanted, { failOn: 'escalation' })).toEqual([
      { guard: 'escalation', message: 'permissions would be escalated: b gains privacy:settings, a gains audiences:*' },
    ]);
    expect(guards(live, wanted)).toEqual([]);
    expect(guards(live, wanted, { ...ALL, failOn: 'escalation' })).toEqual(['escalation']);
  });

  it('ignores unchanged and removed tasks, and new tasks that are not escalations', () => {
    expect(guards(live, [role('a', ['rules:*', 'audiences:view'])], { failOn: 'escalation' })).toEqual([]);
    expect(guards(live, [role('a')], { failOn: 'escalation' })).toEqual([]);
  });
});

it('reports no guards if nothing changes or every flag is set, and never reports more guards because of a flag', () => {
  fc.assert(
    fc.property(anyRoles, anyRoles, (live, wanted) => {
      expect(guards(live, wanted, ALL)).toEqual([]);
      expect(guards(live, live, { failOn: 'escalation' })).toEqual([]);
      const open = guards(live, wanted);
      for (const flag of ['allowDelete', 'force', 'allowEmpty'] as const) {
        expect(open).toEqual(expect.arrayContaining(guards(live, wanted, { [flag]: true })));
      }
      const isDeleting = live.some((item) => !wanted.some((other) => other.role_id === item.role_id));
      expect(open.includes('delete')).toBe(isDeleting);
    }),
  );
});
