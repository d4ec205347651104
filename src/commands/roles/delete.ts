// `roles delete`: takes roles away from the whole organization.
import { Command } from 'commander';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { changeRoles } from './change.ts';
import { findRole } from './find-role.ts';
import { OUTCOME_JSON, outcomeColumns } from './apply.ts';
import { type RawGuardFlags, withGuardFlags } from './guards.ts';

export function deleteCommand(ctx: Context): Command {
  const command = withGuardFlags(
    new Command('delete').description('delete roles').argument('<role_id...>', 'the ids of the roles'),
  ).action((roleIds: string[], flags: RawGuardFlags) => deleteRoles(ctx, roleIds, flags));
  return withHelp(command, {
    calls: 'platform',
    columns: outcomeColumns,
    notes: ['Saved first: `roles rollback` puts a deleted role back.'],
    examples: [
      'cdpadm roles delete audiences-only-role --allow-delete --yes',
      'cdpadm roles delete audiences-only-role read-only-role --allow-delete --force --dry-run',
    ],
    json: OUTCOME_JSON,
    exits: {
      5: 'there is no such role',
      6: 'a role is assigned to a user, or another plan than the expected one',
      12: 'without --allow-delete, or you answered no',
    },
  });
}

async function deleteRoles(ctx: Context, roleIds: readonly string[], flags: RawGuardFlags): Promise<void> {
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
