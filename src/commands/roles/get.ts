// `roles get`: one role with its tasks.
import { RoleReply } from '../../lib/contract/roles.ts';
import type { RecordView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { findRole } from './session.ts';

const view: RecordView<RoleReply> = {
  kind: 'record',
  columns: [
    { key: 'role_id', id: true, value: (role) => role.role_id },
    { key: 'name', value: (role) => role.name },
    { key: 'description', value: (role) => role.description },
    { key: 'tasks', value: (role) => role.tasks.map((task) => task.task_id).join(', ') },
  ],
};

export const getRole = defineCommand({
  path: 'roles get',
  summary: 'show one role with its tasks',
  effect: 'read',
  calls: 'platform',
  args: { roleId: { name: 'role_id', help: 'the id of the role' } },
  output: () => RoleReply,
  examples: ['cdpadm roles get admin-role', 'cdpadm roles get admin-role -o yaml'],
  exits: { notFound: 'there is no such role' },
  run: (ctx, { args }) => printRole(ctx, args.roleId),
});

async function printRole(ctx: Context, roleId: string): Promise<void> {
  const api = await ctx.api();
  const { roles } = await api.roles.get({ signal: ctx.signal });
  await ctx.out.emit(findRole(roles, roleId), view);
}
