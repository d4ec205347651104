// `roles list`: every role of the organization.
import { array } from 'zod/mini';
import { RoleReply } from '../../lib/contract/roles.ts';
import type { ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';

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

export const listRoles = defineCommand({
  path: 'roles list',
  summary: 'list the custom roles of the organization',
  effect: 'read',
  calls: 'platform',
  output: () => array(RoleReply),
  examples: ['cdpadm roles list', 'cdpadm roles list -o json --query "[].role_id"'],
  run: printRoles,
});

async function printRoles(ctx: Context): Promise<void> {
  const api = await ctx.api();
  const { roles } = await api.roles.get({ signal: ctx.signal });
  await ctx.out.emit(roles, view);
}
