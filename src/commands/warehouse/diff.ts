// `warehouse diff`: prints the plan of `warehouse apply`.
import { join } from 'node:path';
import { GROUPS } from '../../lib/domain/warehouse/definition.ts';
import { checkPlanPath } from '../../lib/files/saved-plan.ts';
import { KnownError } from '../../lib/kernel/errors.ts';
import { WAREHOUSE_STEP_COLUMNS, warehousePlanView } from '../../lib/render/warehouse.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openSecretMemory } from '../../lib/runtime/memory/secrets.ts';
import { planResult } from '../../lib/domain/warehouse/plan.ts';
import { checkSecrets } from '../definition-input.ts';
import { openDirectory } from './directory.ts';
import {
  changedSecrets,
  checkPlanned,
  diffWords,
  entriesSent,
  masksInTheWay,
  planDirectory,
  planFlags,
  savePlan,
} from './plan.ts';

export const diffFolder = defineCommand({
  path: 'warehouse diff',
  summary: 'compare a folder of definitions with the workspace',
  effect: 'read',
  calls: 'platform',
  args: { dir: { help: 'folder of definitions' } },
  flags: {
    exitCode: { help: 'exit 10 if there are differences' },
    savePlan: { value: 'file', writes: true, help: 'write the plan to a file, for `warehouse apply --plan`' },
    ...planFlags,
  },
  columns: () => WAREHOUSE_STEP_COLUMNS,
  output: planResult,
  notes: [
    'A resource that no file defines is unmanaged: it is listed and never changed, unless --prune plans its deletion. A new resource is shown on one line; -v shows its fields.',
    'The last line is the plan id. `warehouse apply --expect-plan` applies only that plan. --save-plan writes the plan to a private file that shows the difference; `warehouse apply --plan` applies it without the folder. The platform never returns secrets, so a changed secret is detected only if this machine sent the previous one.',
  ],
  examples: [
    'cdpadm warehouse diff sync --exit-code -o markdown',
    "cdpadm warehouse diff sync --only 'connections/*' --prune",
    'cdpadm warehouse diff sync --save-plan sync.plan',
  ],
  exits: {
    invalidInput: 'a file is invalid',
    differences: 'there are differences (with --exit-code)',
    guard: 'a file contains a reference that is not allowed',
  },
  run: async (ctx, { args: { dir }, flags: { prune = false, only = [], overlay = [], ...flags } }) => {
    const folders = [dir, ...overlay].flatMap((one) => Object.values(GROUPS).map((group) => join(one, group)));
    if (flags.savePlan !== undefined) checkPlanPath(flags.savePlan, folders, ctx);
    const { entries, guard } = await openDirectory(ctx, [dir, ...overlay], flags.allowCommands);
    const memory = await openSecretMemory(ctx);
    const selection = { prune, only, resend: await changedSecrets(ctx, entries, memory) };
    const planned = await planDirectory(ctx, entries, memory, selection);
    const { plan } = planned;
    checkPlanned(ctx, dir, planned);
    guard();
    const from = diffWords(dir, overlay, selection);
    if (flags.savePlan !== undefined) savePlan(ctx, flags.savePlan, plan, entries, memory, selection, from);
    await ctx.out.emit(plan, warehousePlanView(ctx.flags));
    for (const issue of masksInTheWay(plan, entries)) {
      ctx.out.warn({ ...issue, message: 'is a mask: `warehouse apply` will ask for the secret' });
    }
    try {
      for (const entry of entriesSent(plan, entries)) await checkSecrets(entry);
    } catch (error) {
      // A comparison does not need the secrets, so a missing secret is only a warning.
      if (!(error instanceof KnownError) || error.code !== 'secrets.missing') throw error;
      ctx.out.warn(error.message);
    }
    if (flags.exitCode === true && plan.steps.length > 0) ctx.setExit('differences');
  },
});
