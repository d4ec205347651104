// `roles who-can`: the roles that grant a task, directly or by a `…:*`.
import { array, nullable, object, string } from 'zod/mini';
import type { Task } from '../../lib/contract/roles.ts';
import type { Role } from '../../lib/domain/roles/manifest.ts';
import { CATALOG_TASKS, grantingTask } from '../../lib/domain/roles/permissions.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { fail } from '../../lib/errors/fail.ts';

const LIST_TASKS = { text: 'To list them:', command: 'cdpadm roles tasks' };

export const listHolders = defineCommand({
  path: 'roles who-can',
  summary: 'list the roles that grant a task',
  effect: 'read',
  calls: 'platform',
  args: { task: { help: 'a task id, such as privacy:settings' } },
  output: () =>
    array(
      object({
        role_id: string(),
        name: nullable(string()),
        /** The task that grants it. */
        by: string(),
      }),
    ),
  notes: ['`privacy:*` grants every task of privacy, so a role that holds it is listed for each of them.'],
  examples: ['cdpadm roles who-can audiences:view', 'cdpadm roles who-can "privacy:*" -o json'],
  exits: { notFound: 'task not found' },
  run: async (ctx, { args: { task } }) => {
    if (task.trim() === '') throw usageError('The task id is empty.', LIST_TASKS);
    const api = await ctx.api();
    const { roles } = await api.roles.get({ signal: ctx.signal });
    await checkTask(task, roles, () => api.roles.listTasks(ctx.signal));
    return roles.flatMap((role) => {
      const by = grantingTask(role, task);
      return by === undefined ? [] : [{ role_id: role.role_id, name: role.name ?? null, by }];
    });
  },
  view: {
    kind: 'list',
    columns: [
      { key: 'role_id', id: true, value: (item) => item.role_id },
      { key: 'name', value: (item) => item.name },
      { key: 'by', id: true, value: (item) => item.by },
    ],
    empty: 'No role grants this task.',
  },
});

/** Throws not found (5) for a task that is unknown to the specification, the live roles and the live list. */
async function checkTask(task: string, roles: readonly Role[], listTasks: () => Promise<Task[]>): Promise<void> {
  const known = new Set([...CATALOG_TASKS, ...roles.flatMap(({ tasks }) => tasks.map(({ task_id }) => task_id))]);
  if (known.has(task)) return;
  for (const { task_id } of await listTasks()) known.add(task_id);
  if (known.has(task)) return;
  throw fail('roles.task_not_found', {
    message: `Unknown task ${task}.`,
    hint: nearestHint(task, known, LIST_TASKS),
  });
}
