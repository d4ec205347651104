// `roles get`: one role with its tasks.
import { RoleReply } from '../../lib/contract/roles.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { findRole, liveRoles } from './session.ts';

export const getRole = defineCommand({
  path: 'roles get',
  summary: 'show one role with its tasks',
  effect: 'read',
  calls: 'platform',
  args: { roleId: { name: 'role_id', help: 'the id of the role' } },
  output: () => RoleReply,
  examples: ['cdpadm roles get admin-role', 'cdpadm roles get admin-role -o yaml'],
  exits: { notFound: 'role not found' },
  run: async (ctx, { args }) => findRole(await liveRoles(ctx), args.roleId),
  view: {
    kind: 'record',
    columns: [
      { key: 'role_id', id: true, value: (role) => role.role_id },
      { key: 'name', value: (role) => role.name },
      { key: 'description', value: (role) => role.description },
      { key: 'tasks', value: (role) => role.tasks.map((task) => task.task_id).join(', ') },
    ],
  },
});
