// `roles delete`: takes roles away from the whole organization.
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { changeRoles, outcomeRecord } from './apply.ts';
import { findRole } from './session.ts';
import { guardFlags, type RawGuardFlags } from './guards.ts';

export const deleteRoles = defineCommand({
  ...outcomeRecord,
  path: 'roles delete',
  summary: 'delete roles',
  args: { roleIds: { name: 'role_id', many: true, help: 'the ids of the roles' } },
  flags: { ...guardFlags },
  notes: ['Saved first: `roles rollback` puts a deleted role back.'],
  examples: [
    'cdpadm roles delete audiences-only-role --allow-delete --yes',
    'cdpadm roles delete audiences-only-role read-only-role --allow-delete --force --dry-run',
  ],
  exits: {
    notFound: 'there is no such role',
    conflict: 'a role is assigned to a user, or another plan than the expected one',
    guard: 'without --allow-delete, or you answered no',
  },
  run: (ctx, { args, flags }) => removeRoles(ctx, args.roleIds, flags),
});

async function removeRoles(ctx: Context, roleIds: readonly string[], flags: RawGuardFlags): Promise<void> {
  await changeRoles(
    ctx,
    'delete',
    (roles) => {
      const doomed = new Set(roleIds.map((roleId) => findRole(roles, roleId)));
      return roles.filter((role) => !doomed.has(role));
    },
    flags,
  );
}
