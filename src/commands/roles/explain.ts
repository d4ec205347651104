// `roles explain`: what a role may do, in words.
import { array, boolean, object, string } from 'zod/mini';
import { type GrantedPermission, permissionsOf } from '../../lib/domain/roles/permissions.ts';
import type { ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { findRole } from './session.ts';

const view: ListView<GrantedPermission> = {
  kind: 'list',
  columns: [
    // The task says both, if less nicely; what it means stands nowhere else.
    { key: 'feature', rank: 2, value: (item) => item.feature },
    { key: 'permission', rank: 3, value: (item) => item.permission },
    { key: 'task_id', title: 'TASK', id: true, value: (item) => item.task_id },
    {
      key: 'escalation',
      title: 'LOOK TWICE',
      rank: 1,
      value: (item) => (item.escalation ? 'escalation' : ''),
      paint: (text, _item, style) => style.yellow(text),
    },
    { key: 'meaning', uncut: true, value: (item) => item.meaning },
  ],
  empty: 'This role may do nothing.',
  name: (item) => item.task_id,
};

export const explainRole = defineCommand({
  path: 'roles explain',
  summary: 'say what a role may do, in the words of the permission reference',
  effect: 'read',
  calls: 'platform',
  args: { roleId: { name: 'role_id', help: 'the id of the role' } },
  output: () =>
    array(
      object({
        feature: string(),
        permission: string(),
        task_id: string(),
        meaning: string(),
        escalation: boolean(),
      }),
    ),
  examples: ['cdpadm roles explain admin-role', 'cdpadm roles explain user-role -o markdown'],
  exits: { notFound: 'there is no such role' },
  run: (ctx, { args }) => printPermissions(ctx, args.roleId),
});

async function printPermissions(ctx: Context, roleId: string): Promise<void> {
  const api = await ctx.api();
  const { roles } = await api.roles.get({ signal: ctx.signal });
  await ctx.out.emit(permissionsOf(findRole(roles, roleId)), view);
}
