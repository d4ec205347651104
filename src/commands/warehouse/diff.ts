// `warehouse diff`: prints the plan of `warehouse apply`.
import { KnownError } from '../../lib/kernel/errors.ts';
import { WAREHOUSE_STEP_COLUMNS, warehousePlanView } from '../../lib/render/warehouse.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { openSecretMemory } from '../../lib/runtime/memory/secrets.ts';
import { checkSecrets } from '../definition-secrets.ts';
import { openDirectory } from './directory.ts';
import { entriesSent, masksInTheWay, planDirectory, planFlags, type PlanFlags, planResult } from './plan.ts';

export const diffFolder = defineCommand({
  path: 'warehouse diff',
  summary: 'compare a folder of definitions with the workspace',
  effect: 'read',
  calls: 'platform',
  args: { dir: { help: 'folder of definitions' } },
  flags: { exitCode: { help: 'exit 10 if there are differences' }, ...planFlags },
  columns: () => WAREHOUSE_STEP_COLUMNS,
  output: planResult,
  notes: [
    'A resource that no file defines is unmanaged: it is listed and never changed, unless --prune plans its deletion. A created resource has one line; -v shows its fields.',
    'The last line is the plan id. `warehouse apply --expect-plan` applies only that plan. The platform never returns secrets: only a changed secret that this machine sent before shows as a difference.',
  ],
  examples: [
    'cdpadm warehouse diff sync --exit-code -o markdown',
    "cdpadm warehouse diff sync --only 'connections/*' --prune",
  ],
  exits: {
    invalidInput: 'a file is invalid',
    differences: 'there are differences (with --exit-code)',
    guard: 'a reference in a file is not allowed',
  },
  run: (ctx, { args, flags }) => diffWarehouse(ctx, args.dir, flags),
});

async function diffWarehouse(ctx: Context, dir: string, flags: PlanFlags & { exitCode?: boolean }): Promise<void> {
  const { entries, guard } = await openDirectory(ctx, [dir, ...(flags.overlay ?? [])], flags.allowCommands);
  const { plan } = await planDirectory(ctx, dir, entries, await openSecretMemory(ctx), { ...flags, sendAll: false });
  guard();
  await ctx.out.emit(plan, warehousePlanView(ctx.flags));
  for (const issue of masksInTheWay(plan, entries)) {
    ctx.out.warn({ ...issue, message: 'is a mask: `warehouse apply` will ask for the secret' });
  }
  try {
    for (const entry of entriesSent(plan, entries)) await checkSecrets(ctx, entry);
  } catch (error) {
    // A comparison needs no secret.
    if (!(error instanceof KnownError) || error.code !== 'secrets.missing') throw error;
    ctx.out.warn(error.message);
  }
  if (flags.exitCode === true && plan.steps.length > 0) ctx.setExit('differences');
}
