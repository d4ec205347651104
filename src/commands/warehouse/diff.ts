// `warehouse diff`: what an apply of the folder would do.
import { Command } from 'commander';
import { EXIT } from '../../lib/kernel/errors.ts';
import { WAREHOUSE_STEP_COLUMNS, warehousePlanView } from '../../lib/render/warehouse-plan.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { openSecretMemory } from '../../lib/runtime/memory/secrets.ts';
import { readDirectory, tellDirectoryAdvice } from './directory.ts';
import { planDirectory } from './plan.ts';
import { checkMasks, masksInTheWay } from './secrets.ts';

export function diffCommand(ctx: Context): Command {
  const command = new Command('diff')
    .description('compare a folder of definitions with the workspace')
    .argument('<dir>', 'the folder')
    .option('--exit-code', 'exit 10 when there are differences')
    .action((dir: string, flags: { exitCode?: boolean }) => diffWarehouse(ctx, dir, flags.exitCode === true));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    columns: () => WAREHOUSE_STEP_COLUMNS,
    notes: [
      'The last line is the plan: `warehouse apply --expect-plan` applies exactly this one. Secrets cannot be read back: one that was sent from this machine and has changed since is noticed, any other is not.',
    ],
    examples: ['cdpadm warehouse diff sync', 'cdpadm warehouse diff sync --exit-code -o markdown'],
    json: '{"plan","steps":[{"action":"create"|"update"|"delete","type","id","changes":{field:{"from","to"}},"secrets":[field],"resets"}],"unchanged":["type/id"],"summary":{"create","update","delete","unchanged"}}',
    exits: { 9: 'a file is invalid', 10: 'differences, with --exit-code' },
  });
}

async function diffWarehouse(ctx: Context, dir: string, exitCode: boolean): Promise<void> {
  const entries = await readDirectory(ctx, dir);
  tellDirectoryAdvice(ctx, entries);
  const { plan } = await planDirectory(ctx, entries, await openSecretMemory(ctx), false);
  checkMasks(ctx, dir, plan, entries);
  await ctx.out.emit(plan, warehousePlanView);
  for (const { file, line, column, path } of masksInTheWay(plan, entries)) {
    ctx.out.warn(`${file}:${line}:${column}: ${path}: is a mask: \`warehouse apply\` will ask for the secret`);
  }
  if (exitCode && plan.steps.length > 0) ctx.setExit(EXIT.differences);
}
