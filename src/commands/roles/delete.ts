// `roles delete`: deletes roles for the whole organization.
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { changeRoles, outcomeRecord } from './apply.ts';
import { findRole } from './session.ts';

export const deleteRoles = defineCommand({
  ...outcomeRecord,
  path: 'roles delete',
  summary: 'delete roles',
  args: { roleIds: { name: 'role_id', many: true, help: 'the ids of the roles' } },
  notes: ['The manifest is saved first: `roles rollback` restores a deleted role.'],
  examples: [
    'cdpadm roles delete audiences-only-role --allow-delete --yes',
    'cdpadm roles delete audiences-only-role read-only-role --allow-delete --force --dry-run',
  ],
  exits: {
    notFound: 'role not found',
    conflict: 'a role is assigned to a user, or the plan is not the expected one',
    guard: '--allow-delete is missing, or you answered no',
  },
  run: (ctx, { args, flags }) =>
    changeRoles(ctx, 'delete', flags, (roles) => {
      const doomed = new Set(args.roleIds.map((roleId) => findRole(roles, roleId)));
      return roles.filter((role) => !doomed.has(role));
    }),
});
