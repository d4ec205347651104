// `roles who-can`: which roles grant a task, directly or by a `…:*`.
import { array, type infer as Infer, nullable, object, string } from 'zod/mini';
import type { Task } from '../../lib/contract/roles.ts';
import type { Role } from '../../lib/domain/roles/manifest.ts';
import { grantingTask } from '../../lib/domain/roles/permissions.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import type { ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { catalogTasks } from './session.ts';
import { fail } from '../../lib/errors/fail.ts';

function holderResult() {
  return object({
    role_id: string(),
    name: nullable(string()),
    /** The task that grants it. */
    by: string(),
  });
}

type Holder = Infer<ReturnType<typeof holderResult>>;

const view: ListView<Holder> = {
  kind: 'list',
  columns: [
    { key: 'role_id', id: true, value: (item) => item.role_id },
    { key: 'name', value: (item) => item.name },
    { key: 'by', id: true, value: (item) => item.by },
  ],
  empty: 'No role grants this task.',
};

export const listHolders = defineCommand({
  path: 'roles who-can',
  summary: 'list the roles that grant a task',
  effect: 'read',
  calls: 'platform',
  args: { task: { help: 'a task id, such as privacy:settings' } },
  output: () => array(holderResult()),
  notes: ['`privacy:*` grants every task of privacy, and is listed for each of them.'],
  examples: ['cdpadm roles who-can audiences:view', 'cdpadm roles who-can "privacy:*" -o json'],
  exits: { notFound: 'there is no such task' },
  run: (ctx, { args }) => whoCan(ctx, args.task),
});

const LIST_TASKS = { text: 'To list them:', command: 'cdpadm roles tasks' };

async function whoCan(ctx: Context, task: string): Promise<void> {
  if (task.trim() === '') throw usageError('Give the id of a task.', LIST_TASKS);
  const api = await ctx.api();
  const { roles } = await api.roles.get({ signal: ctx.signal });
  await checkTask(task, roles, () => api.roles.listTasks(ctx.signal));
  const holders = roles.flatMap((role): Holder[] => {
    const by = grantingTask(role, task);
    return by === undefined ? [] : [{ role_id: role.role_id, name: role.name ?? null, by }];
  });
  await ctx.out.emit(holders, view);
}

/** Throws not found (5) for a task that neither the specification, nor a live role, nor the live list knows. */
async function checkTask(task: string, roles: readonly Role[], listTasks: () => Promise<Task[]>): Promise<void> {
  const known = new Set([...catalogTasks(), ...roles.flatMap(({ tasks }) => tasks.map(({ task_id }) => task_id))]);
  if (known.has(task)) return;
  for (const { task_id } of await listTasks()) known.add(task_id);
  if (known.has(task)) return;
  throw fail('roles.task_not_found', {
    message: `Unknown task ${task}.`,
    hint: nearestHint(task, known, LIST_TASKS),
  });
}
