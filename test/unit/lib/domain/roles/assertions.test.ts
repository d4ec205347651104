// Assertions about roles: their violations, and the ids that they may contain.
import { describe, expect, it } from 'vitest';
import type { RolesAssertion } from '../../../../../src/lib/contract/roles-test.ts';
import { checkAssertion, unknownIds } from '../../../../../src/lib/domain/roles/permissions.ts';
import { role } from '../../../../helpers/any-roles.ts';

const ROLES = [
  role('admin', ['user:core', 'privacy:*']),
  role('desk', ['privacy:settings', 'rules:view']),
  role('none'),
];

describe('an assertion', () => {
  it.each<[RolesAssertion, string[]]>([
    [{ only: { task: 'privacy:settings', roles: ['admin', 'desk'] } }, []],
    [{ only: { task: 'privacy:settings', roles: ['desk'] } }, ['admin has privacy:settings (by privacy:*)']],
    [{ only: { task: 'privacy:*', roles: [] } }, ['admin has privacy:*']],
    [{ only: { task: 'user:core', roles: ['admin', 'desk'] } }, ['none has user:core']],
    [{ never: { role: 'none', tasks: ['privacy:*'] } }, []],
    [{ never: { role: 'desk', tasks: ['privacy:*', 'rules:view'] } }, ['desk has rules:view']],
    [{ never: { role: 'admin', tasks: ['privacy:settings'] } }, ['admin has privacy:settings (by privacy:*)']],
    [{ each: { max_tasks: 2 } }, []],
    [{ each: { max_tasks: 1 } }, ['desk has 2 tasks']],
    [{ each: { max_tasks: 0 } }, ['admin has 1 task', 'desk has 2 tasks']],
  ])('reports its violations: %j', (assertion, violations) => {
    expect(checkAssertion(assertion, ROLES)).toMatchObject([{ violations }]);
  });

  it('reports each part of a combined assertion separately', () => {
    const both = { only: { task: 'rules:view', roles: ['desk'] }, each: { max_tasks: 2 } };
    expect(checkAssertion(both, ROLES).map(({ kind }) => kind)).toEqual(['only', 'each']);
  });
});

describe('the ids in an assertion', () => {
  it.each<[RolesAssertion, unknown[]]>([
    [{ only: { task: 'rules:veiw', roles: ['dekc'] } }, [{ path: ['only', 'task'] }, { path: ['only', 'roles', 0] }]],
    [
      { never: { role: 'x', tasks: ['rules:view', 'y'] } },
      [{ path: ['never', 'role'] }, { path: ['never', 'tasks', 1] }],
    ],
    [{ never: { role: 'desk', tasks: ['catalog:*', 'user:core'] }, each: { max_tasks: 1 } }, []],
  ])('are reported if they are unknown: %j', (assertion, issues) => {
    expect(unknownIds(assertion, ROLES, ['catalog:*'])).toMatchObject(issues);
  });
});
