// `dsr prepare`: adds an id to every row without one, so that the file can be submitted again from any machine.
import { resolve } from 'node:path';
import { existsSync } from 'node:fs';
import * as z from 'zod/mini';
import { openTable } from '../../lib/bulk/rows.ts';
import { nameOfInputs } from '../../lib/bulk/sources/bytes.ts';
import { writeNewFile } from '../../lib/kernel/durable.ts';
import { nameTaken } from '../../lib/kernel/temporary-file.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { counted, shellLine } from '../../lib/kernel/words.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import { commandWords, defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { examineRows } from '../../lib/workflows/dsr-examine.ts';
import { preparedLines } from '../../lib/workflows/dsr-row-reader.ts';
import { openBulkInputs } from '../bulk-flags.ts';
import { rowFlags, rowOptions, tableFlags } from './bulk-flags.ts';
import { normalizeOptionsOf } from './session.ts';
import { submitRequests } from './submit.ts';

export const prepareRequests = defineCommand({
  path: 'dsr prepare',
  summary: 'check a file of requests and add an id to each row',
  effect: 'local',
  calls: 'settings',
  args: { file: { many: true, optional: true, help: 'inputs as for `dsr submit --bulk`' } },
  flags: { ...rowFlags, ...tableFlags },
  ownsOut: true,
  output: () => z.object({ rows: z.int(), ids_made: z.int(), out: z.string() }),
  notes: [
    'You can submit the prepared file again from any machine: the platform accepts each id once. JSON and NDJSON inputs become NDJSON.',
    '--out sets the path of the prepared file. Like the input, the file contains identities.',
  ],
  examples: [
    'cdpadm dsr prepare subjects.csv --out prepared.csv',
    'cdpadm dsr prepare subjects.csv --out prepared.csv --dry-run',
  ],
  exits: { invalidInput: 'the file is invalid' },
  run: async (ctx, { args, flags }) => {
    const { out, dryRun } = ctx.flags;
    // The prepared file contains identities, so never write it to standard output.
    if (out === undefined || out === '-')
      throw usageError('Pass a file for the prepared rows: --out FILE. Like the input, the file contains identities.');
    const target = resolve(ctx.io.cwd, out);
    const inputs = await openBulkInputs(ctx, args.file, flags, { isReread: true });
    const options = await rowOptions(ctx, await normalizeOptionsOf(ctx), flags);
    const { rows, withoutId } = await examineRows(await openTable(inputs, ctx.signal), options, nameOfInputs(inputs));
    if (existsSync(target)) throw nameTaken(out);
    if (!dryRun) await writeNewFile(target, preparedLines(await openTable(inputs, ctx.signal), options));
    const done = dryRun ? `would be written to ${out}` : `are in ${out}, which only you can read`;
    const text = `${counted(rows, 'row')}, ${withoutId} of them with new ids, ${cleanLine(done)}.`;
    const data = { rows, ids_made: withoutId, out };
    if (dryRun) return await ctx.out.beside().emitDryRun([], data, text);
    await ctx.out.beside().emit(data, { kind: 'document', text: () => text });
    const { dialect, format } = inputs[0];
    const added = ['submittedTime', 'format', 'filesFrom', 'saveMap', 'headerless', 'columns'];
    const once = format === 'csv' && dialect.escapes ? [...added, 'source'] : added;
    const kept = Object.fromEntries(Object.entries(flags).filter(([name]) => !once.includes(name)));
    const command = shellLine(commandWords(submitRequests, [], { ...kept, bulk: [out] }, ctx.flags));
    ctx.out.note({ text: 'To submit the file:', command });
  },
});
