// `roles tasks`: what a role can be allowed to do.
import { Command } from 'commander';
import type { Task } from '../../lib/contract/roles.ts';
import type { ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';

const view: ListView<Task> = {
  kind: 'list',
  columns: [
    { key: 'task_id', id: true, value: (task) => task.task_id },
    { key: 'display_name', rank: 1, value: (task) => task.display_name },
    { key: 'description', rank: 2, value: (task) => task.description },
  ],
  empty: 'No task matches.',
};

export function tasksCommand(ctx: Context): Command {
  const command = new Command('tasks')
    .description('list the tasks that a role may hold')
    .option('--search <text>', 'only tasks with this text in their id, name or description')
    .action((flags: { search?: string }) => listTasks(ctx, flags.search));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    examples: ['cdpadm roles tasks', 'cdpadm roles tasks --search audience'],
    json: '[{"task_id","display_name","description"}]',
  });
}

async function listTasks(ctx: Context, search: string | undefined): Promise<void> {
  const api = await ctx.api();
  const tasks = await api.roles.listTasks(ctx.signal);
  await ctx.out.emit(search === undefined ? tasks : tasks.filter((task) => mentions(task, search)), view);
}

function mentions(task: Task, text: string): boolean {
  const wanted = text.toLowerCase();
  return [task.task_id, task.display_name, task.description].some((field) => field?.toLowerCase().includes(wanted));
}
