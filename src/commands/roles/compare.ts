// `roles compare`: what one role may do that another may not.
import { array, object, string } from 'zod/mini';
import { compareRoleTasks, type RoleComparison } from '../../lib/domain/roles/permissions.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { findRole } from './session.ts';

const view: DocumentView<RoleComparison> = {
  kind: 'document',
  text: (data, style) =>
    [
      ...section(style.bold(`Only ${cleanLine(data.left)}`), data.only_left, '-', style.red),
      ...section(style.bold(`Only ${cleanLine(data.right)}`), data.only_right, '+', style.green),
      ...section(style.bold('Both'), data.both, ' ', (text) => text),
    ].join('\n'),
  // As in the matrix, a row for each task and a column for each role.
  list: (data) => ({
    columns: [
      { key: 'task_id', id: true, value: ({ task_id }: HeldTask) => task_id },
      { key: data.left, idTitle: true, value: ({ left }: HeldTask) => (left ? 'yes' : '') },
      { key: data.right, idTitle: true, value: ({ right }: HeldTask) => (right ? 'yes' : '') },
    ],
    rows: [
      ...data.only_left.map((task_id) => ({ task_id, left: true, right: false })),
      ...data.only_right.map((task_id) => ({ task_id, left: false, right: true })),
      ...data.both.map((task_id) => ({ task_id, left: true, right: true })),
    ] satisfies HeldTask[],
  }),
  names: ({ only_left, only_right }) => [...only_left, ...only_right],
};

interface HeldTask {
  task_id: string;
  left: boolean;
  right: boolean;
}

function section(title: string, tasks: readonly string[], sign: string, paint: (text: string) => string): string[] {
  const lines = tasks.length === 0 ? ['    (none)'] : tasks.map((task) => `  ${paint(`${sign} ${cleanLine(task)}`)}`);
  return [title, ...lines];
}

export const compareRoles = defineCommand({
  path: 'roles compare',
  summary: 'show which tasks two roles share and which only one of them has',
  effect: 'read',
  calls: 'platform',
  args: { a: { help: 'a role id' }, b: { help: 'another role id' } },
  output: () =>
    object({
      left: string(),
      right: string(),
      both: array(string()),
      only_left: array(string()),
      only_right: array(string()),
    }),
  // A column for each of the two.
  columns: (_flags, ids) => ['task_id', ...ids].map((key) => ({ key })),
  notes: ['`-o csv` has a row for each task, `-o name` prints the tasks that only one of them has.'],
  examples: ['cdpadm roles compare admin-role support-role', 'cdpadm roles compare user-role admin-role -o json'],
  exits: { notFound: 'there is no such role' },
  run: (ctx, { args }) => compare(ctx, args.a, args.b),
});

async function compare(ctx: Context, a: string, b: string): Promise<void> {
  const api = await ctx.api();
  const { roles } = await api.roles.get({ signal: ctx.signal });
  await ctx.out.emit(compareRoleTasks(findRole(roles, a), findRole(roles, b)), view);
}
