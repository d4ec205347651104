// The permissions of a role in the words of the reference, and the tasks that grant them.
import { describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../../../../src/lib/contract/role-catalog.ts';
import {
  compareRoleTasks,
  grantingTask,
  permissionsOf,
  roleMatrix,
} from '../../../../../src/lib/domain/roles/permissions.ts';
import { role } from '../../../../helpers/any-roles.ts';

describe('the permissions of a role', () => {
  it('come in the order of the reference, unknown ones last, each once, including user:core', () => {
    const [first, second] = PERMISSIONS.filter(({ task_id }) => task_id !== 'user:core');
    const ids = ['new_feature:view', second?.task_id ?? '', first?.task_id ?? '', second?.task_id ?? ''];
    const told = permissionsOf(role('a', ids)).map(({ task_id }) => task_id);
    const wanted = PERMISSIONS.map(({ task_id }) => task_id).filter((id) => id === 'user:core' || ids.includes(id));
    const core = wanted.includes('user:core') ? [] : ['user:core'];
    expect(told).toEqual([...wanted, ...core, 'new_feature:view']);
  });

  it('have their feature and meaning; a task outside the reference is its own feature', () => {
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

  it('say which deserve a second look', () => {
    const sharp = permissionsOf(role('a', ['audiences:*', 'audiences:view'])).filter(({ escalation }) => escalation);
    expect(sharp.map(({ task_id }) => task_id)).toEqual(['audiences:*']);
  });
});

describe('the task that grants another', () => {
  it.each<[string, string[], string, string | undefined]>([
    ['is itself', ['audiences:view'], 'audiences:view', 'audiences:view'],
    ['is itself rather than full access', ['audiences:*', 'audiences:view'], 'audiences:view', 'audiences:view'],
    ['is full access to its feature', ['rules:*', 'audiences:*'], 'audiences:view', 'audiences:*'],
    ['is not full access to another feature', ['rules:*'], 'audiences:view', undefined],
    ['is not another task of its feature', ['audiences:edit'], 'audiences:view', undefined],
    ['is not a narrower one', ['audiences:view'], 'audiences:*', undefined],
    ['is there for every role where every role has it', [], 'user:core', 'user:core'],
    ['of a feature without tasks is its full access', ['audiences:*'], 'audiences', 'audiences:*'],
  ])('%s', (_what, tasks, wanted, granting) => {
    expect(grantingTask(role('a', tasks), wanted)).toBe(granting);
  });
});

describe('the matrix of roles and tasks', () => {
  it('has every task that any role holds: directly, by full access, or not', () => {
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
      // Those that the reference does not have come last, sorted.
      ['zzz:a', { a: null, b: null, c: 'direct' }],
      ['zzz:b', { a: null, b: 'direct', c: null }],
    ]);
  });

  it('names feature and permission as the reference does, and nothing where it has none', () => {
    const known = PERMISSIONS.find(({ task_id }) => task_id === 'audiences:view');
    expect(roleMatrix([role('a', ['audiences:view', 'zzz:a'])])).toEqual([
      { task_id: 'audiences:view', feature: known?.feature, permission: known?.permission, roles: { a: 'direct' } },
      { task_id: 'zzz:a', feature: '', permission: '', roles: { a: 'direct' } },
    ]);
  });
});

it('two roles compared: what both have, and what only one has, sorted', () => {
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
