// `seed set`: the seeds of one user.
import { Command } from 'commander';
import { explainIssues, showPath } from '../../lib/contract/explain.ts';
import { createWireNames, pathAsWritten } from '../../lib/contract/names.ts';
import { SEED_NAMES, SingleSeed } from '../../lib/contract/seeding.ts';
import { loadDocument, withoutSchemaHint } from '../../lib/files/load.ts';
import { invalidInput } from '../../lib/kernel/errors.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { asColumns, withHelp } from '../../lib/runtime/command-line/help.ts';

const view: DocumentView<{ accepted: true }> = { kind: 'document', text: () => 'Accepted.' };

export function setCommand(ctx: Context): Command {
  const command = new Command('set')
    .description('send the seeds of one user')
    .requiredOption('-f, --file <file>', 'the body, JSON or YAML; - is standard input')
    .action((flags: { file: string }) => setSeeds(ctx, flags.file));
  return withHelp(command, {
    calls: 'platform',
    columns: asColumns('accepted'),
    examples: ['cdpadm seed set -f user.json', 'cdpadm seed set -f user.json --dry-run -o json'],
    json: '{"accepted":true}',
    exits: { 9: 'the body is wrong; nothing was sent', 12: 'the name of the protected profile was not typed' },
  });
}

async function setSeeds(ctx: Context, file: string): Promise<void> {
  const document = await loadDocument(file, ctx);
  const settings = await ctx.settings();
  const names = createWireNames(settings.names);
  const neutral = names.decode(withoutSchemaHint(document.value), SEED_NAMES);
  const checked = SingleSeed.safeParse(neutral);
  if (!checked.success) {
    const issues = explainIssues(checked.error.issues, neutral).map(({ path, message }) => {
      const written = pathAsWritten(document.value, path, names);
      return { file: document.name, path: showPath(written), ...document.locate(written), message };
    });
    throw invalidInput(`${document.name} is no body of one user.`, issues);
  }
  const { seeding } = await ctx.api();
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([seeding.describeSet(checked.data)]);
    return;
  }
  if (settings.protected) await ctx.confirmWrite('Send the seeds of this user?', 'seeding_url');
  await seeding.set(checked.data, ctx.signal);
  await ctx.out.emit({ accepted: true }, view);
}
