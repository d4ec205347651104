// `warehouse diff`: what an apply of the folder would do.
import { KnownError } from '../../lib/kernel/errors.ts';
import { WAREHOUSE_STEP_COLUMNS, warehousePlanView } from '../../lib/render/warehouse-plan.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { openSecretMemory } from '../../lib/runtime/memory/secrets.ts';
import { guardReferences, openReferenceRules } from '../../lib/runtime/reference-rules.ts';
import { allowCommands } from '../definition-flags.ts';
import { readDirectory, referencesOf, tellDirectoryAdvice } from './directory.ts';
import { planDirectory } from './plan.ts';
import { planResult } from './results.ts';
import { checkMasks, checkSecretsAtHand, masksInTheWay } from './secrets.ts';

export const diffFolder = defineCommand({
  path: 'warehouse diff',
  summary: 'compare a folder of definitions with the workspace',
  effect: 'read',
  calls: 'platform',
  args: { dir: { help: 'the folder' } },
  flags: { exitCode: { help: 'exit 10 when there are differences' }, allowCommands },
  columns: () => WAREHOUSE_STEP_COLUMNS,
  output: planResult,
  notes: [
    'The last line is the plan: `warehouse apply --expect-plan` applies exactly this one. Secrets cannot be read back: one that was sent from this machine and has changed since is noticed, any other is not.',
  ],
  examples: ['cdpadm warehouse diff sync', 'cdpadm warehouse diff sync --exit-code -o markdown'],
  exits: {
    invalidInput: 'a file is invalid',
    differences: 'differences, with --exit-code',
    guard: 'a file names a command or a file elsewhere',
  },
  run: (ctx, { args, flags }) => diffWarehouse(ctx, args.dir, flags),
});

async function diffWarehouse(
  ctx: Context,
  dir: string,
  { exitCode, allowCommands = false }: { exitCode?: boolean; allowCommands?: boolean },
): Promise<void> {
  const rules = await openReferenceRules(ctx, allowCommands);
  const entries = await readDirectory(ctx, dir, rules);
  tellDirectoryAdvice(ctx, entries);
  const { plan } = await planDirectory(ctx, entries, await openSecretMemory(ctx), { sendAll: false, rules });
  checkMasks(ctx, dir, plan, entries);
  guardReferences(rules, entries.flatMap(referencesOf));
  await ctx.out.emit(plan, warehousePlanView);
  for (const issue of masksInTheWay(plan, entries)) {
    ctx.out.warn({ ...issue, message: 'is a mask: `warehouse apply` will ask for the secret' });
  }
  try {
    await checkSecretsAtHand(ctx, plan, entries, rules);
  } catch (error) {
    // A comparison needs no secret.
    if (!(error instanceof KnownError) || error.code !== 'secrets.missing') throw error;
    ctx.out.warn(error.message);
  }
  if (exitCode === true && plan.steps.length > 0) ctx.setExit('differences');
}
