// `roles get`: one role with its tasks.
import { Command } from 'commander';
import type { RoleReply } from '../../lib/contract/roles.ts';
import type { RecordView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { findRole } from './find-role.ts';

const view: RecordView<RoleReply> = {
  kind: 'record',
  columns: [
    { key: 'role_id', id: true, value: (role) => role.role_id },
    { key: 'name', value: (role) => role.name },
    { key: 'description', value: (role) => role.description },
    { key: 'tasks', value: (role) => role.tasks.map((task) => task.task_id).join(', ') },
  ],
};

export function getCommand(ctx: Context): Command {
  const command = new Command('get')
    .description('show one role with its tasks')
    .argument('<role_id>', 'the id of the role')
    .action((roleId: string) => getRole(ctx, roleId));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    examples: ['cdpadm roles get admin-role', 'cdpadm roles get admin-role -o yaml'],
    json: '{"role_id","name","description","tasks":[{"task_id"}]}',
    exits: { 5: 'there is no such role' },
  });
}

async function getRole(ctx: Context, roleId: string): Promise<void> {
  const api = await ctx.api();
  const { roles } = await api.roles.get({ signal: ctx.signal });
  await ctx.out.emit(findRole(roles, roleId), view);
}
