// `roles tasks`: what a role can be allowed to do.
import { array } from 'zod/mini';
import { Task } from '../../lib/contract/roles.ts';
import type { ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';

const view: ListView<Task> = {
  kind: 'list',
  columns: [
    { key: 'task_id', id: true, value: (task) => task.task_id },
    { key: 'display_name', rank: 1, value: (task) => task.display_name },
    { key: 'description', rank: 2, value: (task) => task.description },
  ],
  empty: 'No task matches.',
};

export const listTasks = defineCommand({
  path: 'roles tasks',
  summary: 'list the tasks that a role may hold',
  effect: 'read',
  calls: 'platform',
  flags: { search: { value: 'text', help: 'only tasks with this text in their id, name or description' } },
  output: () => array(Task),
  examples: ['cdpadm roles tasks', 'cdpadm roles tasks --search audience'],
  run: (ctx, { flags }) => printTasks(ctx, flags.search),
});

async function printTasks(ctx: Context, search: string | undefined): Promise<void> {
  const api = await ctx.api();
  const tasks = await api.roles.listTasks(ctx.signal);
  await ctx.out.emit(search === undefined ? tasks : tasks.filter((task) => mentions(task, search)), view);
}

function mentions(task: Task, text: string): boolean {
  const wanted = text.toLowerCase();
  return [task.task_id, task.display_name, task.description].some((field) => field?.toLowerCase().includes(wanted));
}
