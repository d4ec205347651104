// The fast comparison of two roles gives the same result as comparing their full content.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RoleReply, TaskRef } from '../../../../../src/lib/contract/roles.ts';
import {
  inTaskOrder,
  sameContent,
  sameRole,
  sameRoles,
  sameState,
} from '../../../../../src/lib/domain/roles/manifest.ts';
import { manifestOf, role } from '../../../../helpers/any-roles.ts';
import { runs } from '../../../../helpers/size.ts';

/** Tasks with few distinct values, so that two generated roles are often the same. */
const anyTask: fc.Arbitrary<TaskRef> = fc
  .tuple(
    fc.constantFrom('user:core', 'a:b', 'c:d', 'e:*'),
    fc.constantFrom(...[undefined, undefined, undefined, null, 1]),
  )
  .map(([task_id, level]) => (level === undefined ? { task_id } : { task_id, level }));

const anyText = fc.constantFrom('x', 'x', 'y', null, undefined);

const anyRole: fc.Arbitrary<RoleReply> = fc
  .tuple(fc.constantFrom('r', 'r', 's'), anyText, anyText, fc.array(anyTask, { maxLength: 3 }), anyText)
  .map(([role_id, name, description, tasks, origin]) => ({
    role_id,
    tasks,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(origin !== undefined && { origin }),
  }));

describe('sameRole', () => {
  it('agrees with a comparison of the full content', () => {
    fc.assert(
      fc.property(anyRole, anyRole, (a, b) => {
        expect(sameRole(a, b)).toBe(sameContent(manifestOf([a]), manifestOf([b])));
      }),
      runs(5000),
    );
  });

  it('ignores order, repeated tasks and the core task', () => {
    expect(sameRole(role('a', ['x:y', 'x:z', 'x:y']), role('a', ['user:core', 'x:z', 'x:y']))).toBe(true);
  });

  it('compares unknown fields in roles and tasks', () => {
    expect(sameRole(role('a', ['x:y']), role('a', ['x:y'], { on: 1 }))).toBe(false);
    expect(sameRole(role('a', [], { on: 1 }), role('a', [], { on: 2 }))).toBe(false);
    expect(sameRole(role('a', ['x:y']), role('a', [{ task_id: 'x:y', level: 1 }]))).toBe(false);
  });
});

it('sameRole is false for roles with different ids or descriptions', () => {
  const texts = { name: 'N', description: 'D' };
  expect(sameRole(role('a', ['x:y'], texts), role('b', ['x:y'], texts))).toBe(false);
  expect(sameRole(role('a', ['x:y'], texts), role('a', ['x:y'], { ...texts, description: 'E' }))).toBe(false);
});

it('sorts `user:core` first', () => {
  const sorted = inTaskOrder(['z:1', 'a:1', 'user:core', 'b:1'].map((task_id) => ({ task_id })));
  expect(sorted.map(({ task_id }) => task_id)).toEqual(['user:core', 'a:1', 'b:1', 'z:1']);
});

describe('sameRoles', () => {
  const sent = [role('a', ['x:y', { task_id: 'x:z', level: 1 }], { on: 1 }), role('b')];

  it('ignores order and unknown fields', () => {
    expect(sameRoles(sent, [role('b', [], { on: 7 }), role('a', ['x:z', 'user:core', 'x:y'])])).toBe(true);
  });

  it.each<[string, RoleReply[]]>([
    ['a missing role', sent.slice(1)],
    ['a different id', [role('c', ['x:y', 'x:z'], { name: 'Name of a', description: 'What a is for' }), role('b')]],
    ['a different name', [role('a', ['x:y', 'x:z'], { name: 'N' }), role('b')]],
    ['a different description', [role('a', ['x:y', 'x:z'], { description: 'D' }), role('b')]],
    ['a missing task', [role('a', ['x:y']), role('b')]],
    ['a different task', [role('a', ['x:y', 'x:w']), role('b')]],
    ['the tasks of another role', [role('a'), role('b', ['x:y', 'x:z'])]],
  ])('is false for %s', (_what, live) => {
    expect(sameRoles(sent, live)).toBe(false);
  });
});

describe('sameState', () => {
  const first = manifestOf([role('a', ['x:y']), role('b')], { extra: { version: 1 } });

  it('ignores the order', () => {
    expect(sameState(first, { ...first, roles: [...first.roles].reverse() })).toBe(true);
  });

  it.each<[string, Partial<typeof first>]>([
    ['other roles in the same second', { roles: [role('a', ['x:z']), role('b')] }],
    ['the same roles again', { last_modified_on: '2026-11-20 08:00:01' }],
    ['the same roles again in the same second', { last_modified_by: 'bob@example.com' }],
    ['a top-level field', { extra: { version: 2 } }],
  ])('is false after a write to %s', (_what, change) => {
    expect(sameState(first, { ...first, ...change })).toBe(false);
  });
});
