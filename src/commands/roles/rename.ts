// `roles rename`: gives a role another id, which the platform sees as a deletion and a creation (decision: D265).
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { fail } from '../../lib/errors/fail.ts';
import { changeRoles } from './apply.ts';
import { findRole } from './session.ts';
import { outcomeRecord } from './apply.ts';
import { guardFlags, type RawGuardFlags } from './guards.ts';

export const renameRole = defineCommand({
  ...outcomeRecord,
  path: 'roles rename',
  summary: 'change the id of a role',
  args: {
    oldId: { name: 'old_id', help: 'the id of the role' },
    newId: { name: 'new_id', help: 'the id that it gets' },
  },
  flags: { ...guardFlags },
  notes: [
    'The platform cannot change an id: in one upload the old role is deleted and the same role is created under the new id. So it needs --allow-delete, and fails while a user has the role. `roles update --name` changes the display name.',
  ],
  examples: [
    'cdpadm roles rename audiences-only-role audience-editor --allow-delete --dry-run',
    'cdpadm roles rename audiences-only-role audience-editor --allow-delete --yes',
  ],
  exits: {
    notFound: 'there is no such role',
    conflict: 'the new id is taken, the role is assigned to a user, or another plan than the expected one',
    invalidInput: 'the new id is not valid',
    guard: 'without --allow-delete, or you answered no',
  },
  run: (ctx, { args, flags }) => renameId(ctx, args.oldId, args.newId, flags),
});

async function renameId(ctx: Context, oldId: string, newId: string, flags: RawGuardFlags): Promise<void> {
  await changeRoles(
    ctx,
    'rename',
    (roles) => {
      const role = findRole(roles, oldId);
      if (roles.some((other) => other !== role && other.role_id === newId)) {
        throw fail('roles.exists', {
          message: `The id ${newId} is already used by another role.`,
          hint: { text: 'Choose another id. To see that role:', command: `cdpadm roles get ${newId}` },
        });
      }
      return roles.map((other) => (other === role ? { ...role, role_id: newId } : other));
    },
    flags,
  );
}
