// A diff of two manifests contains exactly the changes from one to the other.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffRoles, escalationsOf, isEmptyDiff, type RolesDiff } from '../../../../../src/lib/domain/roles/plan.ts';
import { isEscalation } from '../../../../../src/lib/domain/roles/permissions.ts';
import { type Role, sameContent } from '../../../../../src/lib/domain/roles/manifest.ts';
import { anyRoles, manifestOf, role } from '../../../../helpers/any-roles.ts';
import { runs } from '../../../../helpers/size.ts';

/** Returns the roles after applying only the diff. */
function apply(from: readonly Role[], diff: RolesDiff): Role[] {
  const modified = new Map(diff.modified.map((item) => [item.role_id, item.changes]));
  const deletedIds = new Set(diff.deleted.map((item) => item.role_id));
  const kept = from
    .filter((item) => !deletedIds.has(item.role_id))
    .map((item) => {
      const result: Role = { ...item, tasks: item.tasks.map((task) => ({ ...task })) };
      for (const [field, change] of Object.entries(modified.get(item.role_id) ?? {})) {
        const ofTask = result.tasks.find((task) => field.startsWith(`tasks.${task.task_id}.`));
        if ('added' in change) {
          result.tasks = result.tasks.filter((task) => !change.removed.includes(task.task_id));
          result.tasks.push(...change.added.map((task_id) => ({ task_id })));
        } else if (ofTask) ofTask[field.slice(`tasks.${ofTask.task_id}.`.length)] = change.to;
        else result[field] = change.to;
      }
      return result;
    });
  return [...kept, ...diff.created];
}

function shuffled(roles: readonly Role[], seed: number): Role[] {
  const order = <T>(items: readonly T[]): T[] =>
    [...items.slice(seed % (items.length + 1)), ...items.slice(0, seed % (items.length + 1))].reverse();
  return order(roles).map((item) => ({ ...item, tasks: order(item.tasks) }));
}

/** Removes the fields of tasks, because a diff contains a new task's fields only if its role is also new. */
function withoutTaskFields(roles: readonly Role[]): Role[] {
  return roles.map((item) => ({ ...item, tasks: item.tasks.map(({ task_id }) => ({ task_id })) }));
}

describe('a diff of two manifests', () => {
  it('contains the changes that turn one manifest into the other', () => {
    fc.assert(
      fc.property(anyRoles, anyRoles, (from, to) => {
        const target = withoutTaskFields(to);
        const reached = apply(from, diffRoles(from, target));
        expect(sameContent(manifestOf(reached), manifestOf(target))).toBe(true);
      }),
      runs(500),
    );
  });

  it('contains the changes to every modified role, and lists every role exactly once', () => {
    fc.assert(
      fc.property(anyRoles, anyRoles, (from, to) => {
        const { created, modified, deleted, unchanged, summary } = diffRoles(from, to);
        for (const { changes } of modified) expect(Object.keys(changes)).not.toEqual([]);
        const ids = [...created, ...modified, ...deleted].map((item) => item.role_id).concat(unchanged);
        expect(ids.sort()).toEqual([...new Set([...from, ...to].map((item) => item.role_id))].sort());
        expect(summary).toEqual({
          create: created.length,
          modify: modified.length,
          delete: deleted.length,
          unchanged: unchanged.length,
        });
      }),
      runs(500),
    );
  });

  it('is empty if only the order, repeated tasks or `user:core` differ', () => {
    fc.assert(
      fc.property(anyRoles, fc.nat(), (roles, seed) => {
        const reordered = shuffled(roles, seed).map((item) => {
          return { ...item, tasks: [...item.tasks, { task_id: 'user:core' }, ...item.tasks] };
        });
        expect(isEmptyDiff(diffRoles(roles, reordered))).toBe(true);
        expect(isEmptyDiff(diffRoles(reordered, roles))).toBe(true);
        expect(sameContent(manifestOf(roles), manifestOf(reordered))).toBe(true);
      }),
    );
  });

  it('contains the inverse changes if the manifests are swapped', () => {
    fc.assert(
      fc.property(anyRoles, anyRoles, (from, to) => {
        const forward = diffRoles(from, to);
        const backward = diffRoles(to, from);
        expect(backward.created.map((item) => item.role_id).sort()).toEqual(
          forward.deleted.map((item) => item.role_id).sort(),
        );
        expect(backward.modified.map((item) => item.role_id).sort()).toEqual(
          forward.modified.map((item) => item.role_id).sort(),
        );
        expect(isEmptyDiff(backward)).toBe(isEmptyDiff(forward));
      }),
    );
  });

  it.each<[string, Role[]]>([
    ['created', [role('a'), role('b'), role('c')]],
    ['modified', [role('a'), role('b', ['x:y'])]],
    ['deleted', [role('a')]],
    ['created and another one is modified', [role('a', ['x:y']), role('b'), role('c')]],
    ['modified and another one is deleted', [role('a', ['x:y'])]],
    ['created and another one is deleted', [role('a'), role('c')]],
  ])('is not empty if one role is %s', (_what, to) => {
    expect(isEmptyDiff(diffRoles([role('a'), role('b')], to))).toBe(false);
  });

  it('compares roles by id, never by position', () => {
    const [a, b, c] = [role('a', ['x:y']), role('b', ['x:y']), role('c', ['x:y'])];
    expect(diffRoles([a, b, c], [b, c])).toMatchObject({
      deleted: [a],
      modified: [],
      created: [],
      unchanged: ['b', 'c'],
    });
  });

  it.each<[string, Role, Role, unknown]>([
    ['a changed name', role('a', [], { name: 'A' }), role('a', [], { name: 'B' }), { name: { from: 'A', to: 'B' } }],
    [
      'a missing description',
      role('a', [], { description: undefined }),
      role('a', [], { description: 'D' }),
      { description: { from: null, to: 'D' } },
    ],
    [
      'a changed description',
      role('a', [], { description: 'D' }),
      role('a', [], { description: 'E' }),
      { description: { from: 'D', to: 'E' } },
    ],
    ['a null and a missing string', role('a', [], { name: null }), role('a', [], { name: undefined }), undefined],
    [
      'tasks, sorted',
      role('a', ['b:1', 'z:1', 'a:1']),
      role('a', ['d:1', 'c:1', 'b:1']),
      { tasks: { added: ['c:1', 'd:1'], removed: ['a:1', 'z:1'] } },
    ],
    ['an unknown field', role('a', [], { on: 1 }), role('a', [], { on: 2 }), { on: { from: 1, to: 2 } }],
    ['a removed unknown field', role('a', [], { on: { x: 1 } }), role('a'), { on: { from: { x: 1 }, to: null } }],
    ['an unknown field that is null', role('a', [], { on: null }), role('a'), undefined],
    [
      'a field of a task',
      role('a', [{ task_id: 'x:y', level: 1 }]),
      role('a', [{ task_id: 'x:y', level: 2 }]),
      { 'tasks.x:y.level': { from: 1, to: 2 } },
    ],
    [
      'big integers',
      role('a', [], { on: 2n ** 63n }),
      role('a', [], { on: 2n ** 63n + 1n }),
      { on: { from: 2n ** 63n, to: 2n ** 63n + 1n } },
    ],
    ['`user:core`', role('a', ['user:core', 'x:y']), role('a', ['x:y']), undefined],
  ])('contains exactly the expected changes, if any, for %s', (_what, from, to, changes) => {
    const { modified } = diffRoles([from], [to]);
    expect(modified.map((item) => item.changes)).toEqual(changes === undefined ? [] : [changes]);
  });
});

describe('escalations', () => {
  it.each([['audiences:*'], ['user_management:view'], ['api_credentials:anything'], ['privacy:settings'], ['privacy']])(
    'include %s',
    (task) => {
      expect(isEscalation(task)).toBe(true);
    },
  );

  it.each([['audiences:view'], ['audiences:edit'], ['user:core'], ['user_management_x:view'], ['x:*:y']])(
    'do not include %s',
    (task) => {
      expect(isEscalation(task)).toBe(false);
    },
  );

  it('are reported for tasks that created and modified roles gain', () => {
    const from = [role('a', ['rules:*', 'audiences:view']), role('gone', ['privacy:*'])];
    const to = [
      role('a', ['audiences:*', 'privacy:settings', 'rules:view']),
      role('new', ['user:core', 'audiences:view', 'catalog:*']),
    ];
    const diff = diffRoles(from, to);
    expect(diff.modified[0]?.escalations).toEqual(['audiences:*', 'privacy:settings']);
    expect(escalationsOf(diff)).toEqual([
      { role_id: 'new', task_id: 'catalog:*' },
      { role_id: 'a', task_id: 'audiences:*' },
      { role_id: 'a', task_id: 'privacy:settings' },
    ]);
  });
});
