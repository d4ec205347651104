// `roles compare`: which tasks two roles share, and which only one of them holds.
import { array, object, string } from 'zod/mini';
import { compareRoleTasks } from '../../lib/domain/roles/permissions.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { findRole, liveRoles } from './session.ts';

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
  summary: 'show the tasks that two roles share and those that only one of them holds',
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
  notes: ['`-o csv` prints one row per task; `-o name` prints the tasks that only one of the two holds.'],
  examples: ['cdpadm roles compare admin-role support-role', 'cdpadm roles compare user-role admin-role -o json'],
  exits: { notFound: 'role not found' },
  run: async (ctx, { args: { a, b } }) => {
    const roles = await liveRoles(ctx);
    return compareRoleTasks(findRole(roles, a), findRole(roles, b));
  },
  view: {
    kind: 'document',
    text: (data, style) =>
      [
        ...section(style.bold(`Only ${cleanLine(data.left)}`), data.only_left, '-', style.red),
        ...section(style.bold(`Only ${cleanLine(data.right)}`), data.only_right, '+', style.green),
        ...section(style.bold('Both'), data.both, ' ', (text) => text),
      ].join('\n'),
    // As in the matrix: one row per task, one column per role.
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
  },
});
