// `roles tasks`: the tasks that the platform offers.
import { array } from 'zod/mini';
import { Task } from '../../lib/contract/roles.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';

export const listTasks = defineCommand({
  path: 'roles tasks',
  summary: 'list the tasks that a role may hold',
  effect: 'read',
  calls: 'platform',
  flags: { search: { value: 'text', help: 'only tasks with this text in their id, name or description' } },
  output: () => array(Task),
  examples: ['cdpadm roles tasks', 'cdpadm roles tasks --search audience'],
  run: async (ctx, { flags: { search = '' } }) => {
    const api = await ctx.api();
    const wanted = search.toLowerCase();
    return (await api.roles.listTasks(ctx.signal)).filter(({ task_id, display_name, description }) =>
      [task_id, display_name, description].some((field) => field?.toLowerCase().includes(wanted)),
    );
  },
  view: {
    kind: 'list',
    columns: [
      { key: 'task_id', id: true, value: (task) => task.task_id },
      { key: 'display_name', rank: 1, value: (task) => task.display_name },
      { key: 'description', rank: 2, value: (task) => task.description },
    ],
    empty: 'No task matches.',
  },
});
