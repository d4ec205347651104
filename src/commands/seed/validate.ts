// `seed validate`: every row of the files against the specification; nothing is sent.
import { Command } from 'commander';
import { CliError, EXIT } from '../../lib/kernel/errors.ts';
import { counted } from '../../lib/kernel/counted.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import { type ReadFlags, withReadFlags } from './read-flags.ts';

interface Validation {
  valid: true;
  files: string[];
  rows: number;
}

const view: DocumentView<Validation> = {
  kind: 'document',
  text: ({ files, rows }) => `${files.join(', ')}: ${counted(rows, 'row')}, all valid.`,
};

export function validateCommand(ctx: Context): Command {
  const command = withReadFlags(
    new Command('validate')
      .description('check files of users without sending anything')
      .argument('<file...>', 'as for `seed bulk`'),
  ).action((files: string[], flags: ReadFlags) => validate(ctx, files, flags));
  return withHelp(command, {
    calls: 'settings',
    examples: ['cdpadm seed validate users.ndjson', 'cdpadm seed validate users.csv --cutoff-date 2026-01-01 -o json'],
    json: '{"valid":true,"files","rows"}',
    exits: { 9: 'rows are wrong; each is listed as file:line: field: reason' },
  });
}

async function validate(ctx: Context, files: string[], flags: ReadFlags): Promise<void> {
  const [{ openInputs }, { validateSeeds }] = await Promise.all([
    import('./inputs.ts'),
    import('../../lib/workflows/seed-validate.ts'),
  ]);
  const { inputs, rules } = await openInputs(ctx, files, flags);
  const { rows, rejected, issues, omitted } = await validateSeeds(
    inputs,
    rules,
    { rows: 1000, bytes: 256_000 },
    ctx.signal,
  );
  if (rejected > 0) {
    throw new CliError({
      code: 'input.invalid',
      message: `${rejected} of ${counted(rows, 'row')} ${rejected === 1 ? 'is' : 'are'} wrong.`,
      hint: ['Nothing was sent. `cdpadm seed bulk` would send the others and write these to its rejects file.'],
      exit: EXIT.invalidInput,
      issues,
      issuesOmitted: omitted,
      details: { rows, rejected },
    });
  }
  await ctx.out.emit({ valid: true, files, rows } satisfies Validation, view);
}
