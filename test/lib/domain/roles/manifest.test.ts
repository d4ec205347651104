// When two roles are the same: what is seen at a glance must be what spelling both out says.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RoleReply, TaskRef } from '../../../../src/lib/contract/roles.ts';
import { sameContent, sameRole } from '../../../../src/lib/domain/roles/manifest.ts';
import { manifestOf, role } from '../../../helpers/any-roles.ts';
import { size } from '../../../helpers/size.ts';

/** Few of everything, so that two roles are often the same. */
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
  it('says what the content of both says', () => {
    fc.assert(
      fc.property(anyRole, anyRole, (a, b) => {
        expect(sameRole(a, b)).toBe(sameContent(manifestOf([a]), manifestOf([b])));
      }),
      { numRuns: size(5000) },
    );
  });

  it('looks past order, repeated tasks and the core task', () => {
    expect(sameRole(role('a', ['x:y', 'x:z', 'x:y']), role('a', ['user:core', 'x:z', 'x:y']))).toBe(true);
  });

  it('sees what the specification does not know, of a role and of a task', () => {
    expect(sameRole(role('a', ['x:y']), role('a', ['x:y'], { on: 1 }))).toBe(false);
    expect(sameRole(role('a', [], { on: 1 }), role('a', [], { on: 2 }))).toBe(false);
    expect(sameRole(role('a', ['x:y']), role('a', [{ task_id: 'x:y', level: 1 }]))).toBe(false);
  });
});
