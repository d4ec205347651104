// `dsr prepare`: gives every row its id, so that submitting the file can be repeated from anywhere.
import { resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { IDENTITY_COLUMNS, IGNORED, ROW_FIELDS } from '../../lib/domain/dsr/rows.ts';
import { openDsrTable } from '../../lib/files/dsr-rows.ts';
import { nameTaken } from '../../lib/files/name-once.ts';
import { openPrivateLines } from '../../lib/files/private-lines.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { asColumns, behindEquals, withHelp } from '../../lib/runtime/command-line/help.ts';
import { examineRows } from '../../lib/workflows/dsr-examine.ts';
import { writePrepared } from '../../lib/workflows/dsr-row-output.ts';
import { type RowFlags, rowOptions, sourceOf, withMapFlags, withRowFlags } from './bulk-flags.ts';
import { normalizeOptionsOf } from './session.ts';

interface Prepared {
  rows: number;
  ids_made: number;
  out: string;
}

export function prepareCommand(ctx: Context): Command {
  const command = withMapFlags(
    withRowFlags(
      new Command('prepare')
        .description('check a file of requests and write the ids in')
        .argument('<file>', 'CSV, NDJSON or JSON; - is standard input')
        .action((file: string, flags: RowFlags) => prepare(ctx, file, flags)),
    ),
  );
  return withHelp(command, {
    calls: 'settings',
    ownsOut: true,
    values: { '--map': ({ typed }) => behindEquals(typed, [...ROW_FIELDS, ...IDENTITY_COLUMNS, IGNORED]) },
    columns: asColumns('rows ids_made out'),
    notes: [
      'Submitting the prepared file is repeatable from any machine: the platform takes each id once. JSON and NDJSON become NDJSON.',
      '--out names the prepared file; it holds identities, like the file itself.',
    ],
    examples: [
      'cdpadm dsr prepare subjects.csv --out prepared.csv',
      'cdpadm dsr prepare subjects.csv --out prepared.csv --dry-run',
    ],
    json: '{"rows","ids_made","out"}',
    exits: { 9: 'the file is invalid' },
  });
}

async function prepare(ctx: Context, file: string, flags: RowFlags): Promise<void> {
  const { out, dryRun } = ctx.flags;
  // `-` would be a file of that name: what is prepared holds identities, and goes to a private file only.
  if (out === undefined || out === '-')
    throw usageError('Name the prepared file with --out FILE; it holds identities, like the file itself.');
  const target = resolve(ctx.io.cwd, out);
  const name = file === '-' ? '<stdin>' : file;
  const source = await sourceOf(ctx, file);
  const options = await rowOptions(ctx, await normalizeOptionsOf(ctx), name, flags);
  const { rows, withoutId } = await examineRows(await openDsrTable(source, name, ctx.signal), options);
  if (existsSync(target)) throw nameTaken(out);
  const prepared: Prepared = { rows, ids_made: withoutId, out };
  if (!dryRun) {
    const lines = openPrivateLines(target);
    try {
      await writePrepared(await openDsrTable(source, name, ctx.signal), options, lines);
      lines.finish();
    } catch (error) {
      lines.discard();
      throw error;
    }
  }
  const done = dryRun ? `would be written to ${out}` : `are in ${out}, readable by you alone`;
  const view: DocumentView<Prepared> = {
    kind: 'document',
    text: () => `${rows} ${rows === 1 ? 'row' : 'rows'}, ${withoutId} of them with new ids, ${cleanLine(done)}.`,
  };
  await ctx.out.beside().emit(dryRun ? { dry_run: true, ...prepared } : prepared, view);
}
