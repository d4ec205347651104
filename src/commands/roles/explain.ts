// `roles explain`: the permissions of a role in words.
import { array, boolean, object, string } from 'zod/mini';
import { permissionsOf } from '../../lib/domain/roles/permissions.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { findRole, liveRoles } from './session.ts';

export const explainRole = defineCommand({
  path: 'roles explain',
  summary: 'explain the permissions of a role in the words of the permission reference',
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
  exits: { notFound: 'role not found' },
  run: async (ctx, { args }) => permissionsOf(findRole(await liveRoles(ctx), args.roleId)),
  view: {
    kind: 'list',
    columns: [
      // The task id implies both columns; no other column repeats the meaning.
      { key: 'feature', rank: 2, value: (item) => item.feature },
      { key: 'permission', rank: 3, value: (item) => item.permission },
      { key: 'task_id', title: 'TASK', id: true, value: (item) => item.task_id },
      {
        key: 'escalation',
        title: 'REVIEW',
        rank: 1,
        value: (item) => (item.escalation ? 'escalation' : ''),
        paint: (text, _item, style) => style.yellow(text),
      },
      { key: 'meaning', uncut: true, value: (item) => item.meaning },
    ],
    empty: 'This role has no permissions.',
    name: (item) => item.task_id,
  },
});
