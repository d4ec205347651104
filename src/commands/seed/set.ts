// `seed set`: sets a user's seeds.
import { pathAsWritten } from '../../lib/contract/names.ts';
import { SEED_NAMES } from '../../lib/contract/seeding.ts';
import { checkSeed } from '../../lib/domain/seed/read-row.ts';
import { createRowRules, type RuleFlags } from '../../lib/domain/seed/row-rules.ts';
import { invalidDocument, loadDocument, withoutSchemaHint } from '../../lib/files/load.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { type Target, workspaceOf } from '../../lib/runtime/target.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { identityTypeFlag } from '../identity-type-flag.ts';
import { acceptedResult } from '../results.ts';

const view: DocumentView<{ accepted: true; target: Target }> = { kind: 'document', text: () => 'Accepted.' };

export const setSeeds = defineCommand({
  path: 'seed set',
  summary: 'send the seeds of one user',
  undoNote: 'The platform does not report earlier values, so nothing can restore them.',
  effect: 'write',
  tool: ['identityType'],
  calls: 'platform',
  flags: {
    identityType: identityTypeFlag,
    file: { short: 'f', value: 'file', required: true, help: 'body as a JSON or YAML file; - reads standard input' },
  },
  output: acceptedResult,
  examples: ['cdpadm seed set -f user.json --yes', 'cdpadm seed set -f user.json --dry-run -o json'],
  exits: { invalidInput: 'the body is invalid; nothing was sent', guard: 'you answered no' },
  run: (ctx, { flags }) => sendSeeds(ctx, flags),
});

async function sendSeeds(ctx: Context, flags: RuleFlags & { file: string }): Promise<void> {
  const document = await loadDocument(flags.file, ctx);
  const settings = await ctx.settings();
  const rules = createRowRules(settings.names, flags);
  const { names } = rules;
  const checked = checkSeed(names.decode(withoutSchemaHint(document.value), SEED_NAMES), rules);
  if ('issues' in checked) {
    const written = checked.issues.map((it) => ({ ...it, path: pathAsWritten(document.value, it.path, names) }));
    throw invalidDocument(document, 'body for one user', written);
  }
  const { seeding } = await ctx.api();
  const target = await ctx.startWrite('seeding');
  if (ctx.flags.dryRun) return await ctx.out.emitDryRun([seeding.set.describe(checked.seed)]);
  await ctx.confirmWrite(`Seed 1 user into ${workspaceOf(target, [checked.seed.environment])}?`);
  await seeding.set.send(checked.seed, ctx.signal);
  await ctx.out.emit({ accepted: true, target }, view);
}
