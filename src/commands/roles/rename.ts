// `roles rename`: gives a role another id, which the platform sees as a deletion and a creation (decision: D265).
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { fail } from '../../lib/errors/fail.ts';
import { changeRoles, outcomeRecord } from './apply.ts';
import { findRole } from './session.ts';

export const renameRole = defineCommand({
  ...outcomeRecord,
  path: 'roles rename',
  summary: 'change the id of a role',
  args: {
    oldId: { name: 'old_id', help: 'the id of the role' },
    newId: { name: 'new_id', help: 'its new id' },
  },
  notes: [
    'The platform cannot change an id. One upload deletes the old role and creates the same role under the new id. So the command needs --allow-delete, and it fails while a user has the role. `roles update --name` changes the display name.',
  ],
  examples: [
    'cdpadm roles rename audiences-only-role audience-editor --allow-delete --dry-run',
    'cdpadm roles rename audiences-only-role audience-editor --allow-delete --yes',
  ],
  exits: {
    notFound: 'role not found',
    conflict: 'the new id is taken, the role is assigned to a user, or the plan is not the expected one',
    invalidInput: 'the new id is not valid',
    guard: '--allow-delete is missing, or you answered no',
  },
  run: (ctx, { args: { oldId, newId }, flags }) =>
    changeRoles(ctx, 'rename', flags, (roles) => {
      const role = findRole(roles, oldId);
      if (roles.some((other) => other !== role && other.role_id === newId)) {
        throw fail('roles.exists', {
          message: `The id ${newId} is already used by another role.`,
          hint: { text: 'Choose another id. To see that role:', command: `cdpadm roles get ${newId}` },
        });
      }
      return roles.map((other) => (other === role ? { ...role, role_id: newId } : other));
    }),
});
