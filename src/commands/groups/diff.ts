// `groups diff`: what `groups set` would do.
import { Command } from 'commander';
import { EXIT } from '../../lib/kernel/errors.ts';
import { GROUP_PLAN_COLUMNS, groupPlanView } from '../../lib/render/groups.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { planWanted, readGroup } from './apply.ts';

export function diffCommand(ctx: Context): Command {
  const command = new Command('diff')
    .description('compare a file with the live group definition')
    .requiredOption('-f, --file <file>', 'the definition, YAML or JSON; - is standard input')
    .option('--exit-code', 'exit 10 when there are differences')
    .action((flags: { file: string; exitCode?: boolean }) => diffGroup(ctx, flags));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    columns: () => GROUP_PLAN_COLUMNS,
    examples: ['cdpadm groups diff -f group.yaml', 'cdpadm groups diff -f group.yaml --exit-code -o json'],
    json: '{"id","method":"POST"|"PUT"|"PATCH"|null,"changes":{"description"?:{"from","to"},"source_user_attribute"?:{"from","to"},"attributes"?:{"added":[],"removed":[],"changed":[{"id","type":{"from","to"}}]}}}',
    exits: { 9: 'the file is invalid', 10: 'differences, with --exit-code' },
  });
}

async function diffGroup(ctx: Context, flags: { file: string; exitCode?: boolean }): Promise<void> {
  const { plan } = await planWanted(ctx, await readGroup(ctx, flags.file));
  await ctx.out.emit(plan, groupPlanView);
  if (flags.exitCode === true && plan.method !== null) ctx.setExit(EXIT.differences);
}
