// `roles who-can`: which roles grant a task, directly or by a `…:*`.
import { Command } from 'commander';
import type { Task } from '../../lib/contract/roles.ts';
import type { Role } from '../../lib/domain/roles/manifest.ts';
import { grantingTask } from '../../lib/domain/roles/permissions.ts';
import { CliError, EXIT } from '../../lib/kernel/errors.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import type { ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { catalogTasks } from './session.ts';

interface Holder {
  role_id: string;
  name: string | null;
  /** The task that grants it. */
  by: string;
}

const view: ListView<Holder> = {
  kind: 'list',
  columns: [
    { key: 'role_id', id: true, value: (item) => item.role_id },
    { key: 'name', value: (item) => item.name },
    { key: 'by', id: true, value: (item) => item.by },
  ],
  empty: 'No role grants this task.',
};

export function whoCanCommand(ctx: Context): Command {
  const command = new Command('who-can')
    .description('list the roles that grant a task')
    .argument('<task>', 'a task id, such as privacy:settings')
    .action((task: string) => whoCan(ctx, task));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    notes: ['`privacy:*` grants every task of privacy, and is listed for each of them.'],
    examples: ['cdpadm roles who-can audiences:view', 'cdpadm roles who-can "privacy:*" -o json'],
    json: '[{"role_id","name","by"}]',
    exits: { 5: 'there is no such task' },
  });
}

async function whoCan(ctx: Context, task: string): Promise<void> {
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
  throw new CliError({
    code: 'roles.task_not_found',
    message: `Unknown task ${task}.`,
    hint: nearestHint(task, known, 'Run `cdpadm roles tasks` to list them.'),
    exit: EXIT.notFound,
  });
}
