// `roles list`: every role of the organization.
import { Command } from 'commander';
import type { RoleReply } from '../../lib/contract/roles.ts';
import type { ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';

const view: ListView<RoleReply> = {
  kind: 'list',
  columns: [
    { key: 'role_id', id: true, value: (role) => role.role_id },
    { key: 'name', value: (role) => role.name },
    { key: 'tasks', rank: 1, align: 'right', value: (role) => role.tasks.length },
    { key: 'description', rank: 2, value: (role) => role.description },
  ],
  empty: 'This organization has no custom roles.',
};

export function listCommand(ctx: Context): Command {
  const command = new Command('list')
    .description('list the custom roles of the organization')
    .action(() => listRoles(ctx));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    examples: ['cdpadm roles list', 'cdpadm roles list -o json --query "[].role_id"'],
    json: '[{"role_id","name","description","tasks":[{"task_id"}]}]',
  });
}

async function listRoles(ctx: Context): Promise<void> {
  const api = await ctx.api();
  const { roles } = await api.roles.get({ signal: ctx.signal });
  await ctx.out.emit(roles, view);
}
