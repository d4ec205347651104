// A role's permissions as the reference describes them, and the tasks that grant them.
import { describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../../../../src/lib/contract/role-catalog.ts';
import {
  compareRoleTasks,
  grantingTask,
  permissionsOf,
  roleMatrix,
} from '../../../../../src/lib/domain/roles/permissions.ts';
import { role } from '../../../../helpers/any-roles.ts';

describe("a role's permissions", () => {
  it('are in the order of the reference, with `user:core`, without duplicates, and with unknown tasks at the end', () => {
    const [first, second] = PERMISSIONS.filter(({ task_id }) => task_id !== 'user:core');
    const ids = ['new_feature:view', second?.task_id ?? '', first?.task_id ?? '', second?.task_id ?? ''];
    const listed = permissionsOf(role('a', ids)).map(({ task_id }) => task_id);
    const wanted = PERMISSIONS.map(({ task_id }) => task_id).filter((id) => id === 'user:core' || ids.includes(id));
    const core = wanted.includes('user:core') ? [] : ['user:core'];
    expect(listed).toEqual([...wanted, ...core, 'new_feature:view']);
  });

  it("contain each task's feature and meaning; for an unknown task, the feature is its id and the meaning is empty", () => {
    const [known] = PERMISSIONS;
    expect(permissionsOf(role('a', [known?.task_id ?? '']))).toContainEqual({
      ...known,
      escalation: expect.any(Boolean) as boolean,
    });
    expect(permissionsOf(role('a', ['new_feature:view']))).toContainEqual({
      feature: 'new_feature:view',
      permission: '',
      task_id: 'new_feature:view',
      meaning: '',
      escalation: false,
    });
  });

  it('mark escalations', () => {
    const escalations = permissionsOf(role('a', ['audiences:*', 'audiences:view'])).filter(
      ({ escalation }) => escalation,
    );
    expect(escalations.map(({ task_id }) => task_id)).toEqual(['audiences:*']);
  });
});

describe('the task that grants a requested task', () => {
  it.each<[string, string[], string, string | undefined]>([
    ['is itself', ['audiences:view'], 'audiences:view', 'audiences:view'],
    ['is itself rather than full access', ['audiences:*', 'audiences:view'], 'audiences:view', 'audiences:view'],
    ['is full access to its feature', ['rules:*', 'audiences:*'], 'audiences:view', 'audiences:*'],
    ['is never full access to another feature', ['rules:*'], 'audiences:view', undefined],
    ['is never another task of the same feature', ['audiences:edit'], 'audiences:view', undefined],
    ['is never a narrower task', ['audiences:view'], 'audiences:*', undefined],
    ['always exists for the core task', [], 'user:core', 'user:core'],
    ["is full access to a feature if the feature's id is requested", ['audiences:*'], 'audiences', 'audiences:*'],
  ])('%s', (_what, tasks, wanted, granting) => {
    expect(grantingTask(role('a', tasks), wanted)).toBe(granting);
  });
});

describe('the matrix of roles and tasks', () => {
  it('marks each task of each role as direct, implied by full access, or missing', () => {
    const rows = roleMatrix([
      role('a', ['audiences:*']),
      role('b', ['audiences:view', 'zzz:b', 'user:core']),
      role('c', ['zzz:a']),
    ]);
    expect(rows.map(({ task_id, roles }) => [task_id, roles])).toEqual([
      ...PERMISSIONS.filter(({ task_id }) => ['audiences:*', 'audiences:view'].includes(task_id)).map(({ task_id }) =>
        task_id === 'audiences:*'
          ? [task_id, { a: 'direct', b: null, c: null }]
          : [task_id, { a: 'implied', b: 'direct', c: null }],
      ),
      // Tasks that are not in the reference come last, sorted.
      ['zzz:a', { a: null, b: null, c: 'direct' }],
      ['zzz:b', { a: null, b: 'direct', c: null }],
    ]);
  });

  it('takes features and permissions from the reference, and leaves them empty for unknown tasks', () => {
    const known = PERMISSIONS.find(({ task_id }) => task_id === 'audiences:view');
    expect(roleMatrix([role('a', ['audiences:view', 'zzz:a'])])).toEqual([
      { task_id: 'audiences:view', feature: known?.feature, permission: known?.permission, roles: { a: 'direct' } },
      { task_id: 'zzz:a', feature: '', permission: '', roles: { a: 'direct' } },
    ]);
  });
});

it('returns the sorted tasks that two roles share, and the tasks that only one role has', () => {
  const left = role('l', ['b:2', 'b:1', 'z:1', 'y:1', 'user:core']);
  const right = role('r', ['x:2', 'b:1', 'x:1', 'b:2']);
  expect(compareRoleTasks(left, right)).toEqual({
    left: 'l',
    right: 'r',
    both: ['b:1', 'b:2'],
    only_left: ['y:1', 'z:1'],
    only_right: ['x:1', 'x:2'],
  });
});
