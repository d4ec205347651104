// `dsr prepare`: gives every row its id, so that submitting the file can be repeated from anywhere.
import { resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { type infer as Infer, int, literal, object, optional, string } from 'zod/mini';
import { openTable } from '../../lib/bulk/rows.ts';
import { nameOfInputs } from '../../lib/bulk/sources/bytes.ts';
import { nameTaken } from '../../lib/files/save-download.ts';
import { openPrivateLines } from '../../lib/files/private-lines.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { examineRows } from '../../lib/workflows/dsr-examine.ts';
import { writePrepared } from '../../lib/workflows/dsr-row-output.ts';
import { openBulkInputs } from '../bulk-flags.ts';
import { type RowFlags, rowFlags, rowOptions, tableFlags } from './bulk-flags.ts';
import { normalizeOptionsOf } from './session.ts';

function preparedResult() {
  return object({ dry_run: optional(literal(true)), rows: int(), ids_made: int(), out: string() });
}

export const prepareRequests = defineCommand({
  path: 'dsr prepare',
  summary: 'check a file of requests and write the ids in',
  effect: 'local',
  calls: 'settings',
  args: { file: { many: true, optional: true, help: 'inputs as for `dsr submit --bulk`' } },
  flags: { ...rowFlags, ...tableFlags },
  ownsOut: true,
  columns: asColumns('rows ids_made out'),
  output: preparedResult,
  notes: [
    'Submitting the prepared file is repeatable from any machine: the platform takes each id once. JSON and NDJSON become NDJSON.',
    '--out names the prepared file; it holds identities, like the file itself.',
  ],
  examples: [
    'cdpadm dsr prepare subjects.csv --out prepared.csv',
    'cdpadm dsr prepare subjects.csv --out prepared.csv --dry-run',
  ],
  exits: { invalidInput: 'the file is invalid' },
  run: (ctx, { args, flags }) => prepare(ctx, args.file, flags),
});

async function prepare(ctx: Context, files: string[], flags: RowFlags): Promise<void> {
  const { out, dryRun } = ctx.flags;
  // `-` would be a file of that name: what is prepared holds identities, and goes to a private file only.
  if (out === undefined || out === '-')
    throw usageError('Name the prepared file with --out FILE; it holds identities, like the file itself.');
  const target = resolve(ctx.io.cwd, out);
  const inputs = await openBulkInputs(ctx, files, flags, true);
  const options = await rowOptions(ctx, await normalizeOptionsOf(ctx), flags);
  const { rows, withoutId } = await examineRows(await openTable(inputs, ctx.signal), options, nameOfInputs(inputs));
  if (existsSync(target)) throw nameTaken(out);
  if (!dryRun) {
    const lines = openPrivateLines(target);
    try {
      await writePrepared(await openTable(inputs, ctx.signal), options, lines);
      lines.finish();
    } catch (error) {
      lines.discard();
      throw error;
    }
  }
  const done = dryRun ? `would be written to ${out}` : `are in ${out}, readable by you alone`;
  const view: DocumentView<Infer<ReturnType<typeof preparedResult>>> = {
    kind: 'document',
    text: () => `${rows} ${rows === 1 ? 'row' : 'rows'}, ${withoutId} of them with new ids, ${cleanLine(done)}.`,
  };
  await ctx.out.beside().emit({ ...(dryRun && { dry_run: true }), rows, ids_made: withoutId, out }, view);
}
