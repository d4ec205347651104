// `seed set`: the seeds of one user.
import { Command } from 'commander';
import { showPath } from '../../lib/contract/explain.ts';
import { pathAsWritten } from '../../lib/contract/names.ts';
import { SEED_NAMES } from '../../lib/contract/seeding.ts';
import { checkSeed } from '../../lib/domain/seed/read-row.ts';
import { createRowRules, type RuleFlags } from '../../lib/domain/seed/row-rules.ts';
import { loadDocument, withoutSchemaHint } from '../../lib/files/load.ts';
import { invalidInput } from '../../lib/kernel/errors.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { type Target, workspaceOf } from '../../lib/runtime/target.ts';
import { asColumns, TARGET_JSON, withHelp } from '../../lib/runtime/command-line/help.ts';
import { withIdentityTypes } from './read-flags.ts';

const view: DocumentView<{ accepted: true; target: Target }> = { kind: 'document', text: () => 'Accepted.' };

export function setCommand(ctx: Context): Command {
  const command = withIdentityTypes(new Command('set').description('send the seeds of one user'))
    .requiredOption('-f, --file <file>', 'the body, JSON or YAML; - is standard input')
    .action((flags: SetFlags) => setSeeds(ctx, flags));
  return withHelp(command, {
    calls: 'platform',
    columns: asColumns('accepted target'),
    examples: ['cdpadm seed set -f user.json --yes', 'cdpadm seed set -f user.json --dry-run -o json'],
    json: `{"accepted":true,${TARGET_JSON}}`,
    exits: { 9: 'the body is wrong; nothing was sent', 12: 'you answered no' },
  });
}

interface SetFlags extends RuleFlags {
  file: string;
}

async function setSeeds(ctx: Context, flags: SetFlags): Promise<void> {
  const document = await loadDocument(flags.file, ctx);
  const settings = await ctx.settings();
  const rules = createRowRules(settings.names, flags);
  const { names } = rules;
  const checked = checkSeed(names.decode(withoutSchemaHint(document.value), SEED_NAMES), rules);
  if ('issues' in checked) {
    const issues = checked.issues.map(({ path, message, at }) => {
      const written = pathAsWritten(document.value, path, names);
      return { file: document.name, path: showPath(written), ...document.locate(written, at), message };
    });
    throw invalidInput(`${document.name} is no body of one user.`, issues);
  }
  const { seeding } = await ctx.api();
  const target = await ctx.startWrite('seeding');
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([seeding.describeSet(checked.seed)]);
    return;
  }
  await ctx.confirmWrite(`Seed 1 user into ${workspaceOf(target, [checked.seed.environment])}?`);
  await seeding.set(checked.seed, ctx.signal);
  await ctx.out.emit({ accepted: true, target }, view);
}
