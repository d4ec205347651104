// Turns a seeding command's files into readable inputs.
import { isCalendarDate } from '../../lib/contract/shared.ts';
import type { SkippedColumn } from '../../lib/domain/seed/columns.ts';
import { createRowRules } from '../../lib/domain/seed/read-row.ts';
import type { Shard } from '../../lib/domain/seed/shard.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { columnName, listed } from '../../lib/kernel/words.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { createSeedInput } from '../../lib/workflows/seed-input.ts';
import { openBulkInputs, readColumnMap, readDialect, type ReadFlags, rowFlagsDigest } from '../bulk-flags.ts';

export type OpenedInputs = Awaited<ReturnType<typeof openInputs>>;

/** Opens the files and checks every header before reading any row. Throws usage (2) and invalid input (9). */
export async function openInputs(ctx: Context, files: string[], flags: ReadFlags, shard?: Shard) {
  const settings = await ctx.settings();
  const dialect = readDialect(flags);
  const workspace = settings.get('workspace_id')?.value;
  const rules = createRowRules(settings.names, { ...flags, workspace }, dialect);
  const map = await readColumnMap(ctx, flags);
  if (flags.cutoffDate !== undefined && !isCalendarDate(flags.cutoffDate))
    throw usageError(`--cutoff-date must be a valid date in the format yyyy-MM-dd, not \`${flags.cutoffDate}\`.`);
  const sources = await openBulkInputs(ctx, files, flags, { shard });
  if (shard && sources.every(({ isDivisible, size }) => !isDivisible && size === 0))
    ctx.out.note(
      `Shard ${shard.index + 1}/${shard.count} has no input: compressed files, addresses and JSON arrays are not divided.`,
    );
  const isTable = map !== undefined || sources.some(({ format }) => format === 'csv' || format === 'parquet');
  const defaults = {
    workspace: isTable ? settings.need('workspace_id') : '',
    environment: settings.get('environment')?.value,
    cutoffDate: flags.cutoffDate,
  };
  const options = {
    rules,
    defaults,
    map,
    shard,
    mapped: {} as { unseen?: Set<string> },
    onSkippedColumns: reportSkippedColumns(ctx),
    onNullWord: (name: string, column: string, word: string) =>
      ctx.out.warn(
        /\d/.test(word)
          ? `${name}: The column \`${column}\` contains ids such as \`${word}\`, which pandas writes if a column has gaps. To reject these rows, pass --source pandas.`
          : `${name}: The column \`${column}\` contains the text \`${word}\`. If this text means a missing value, pass --null ${word}.`,
      ),
  };
  const inputs = sources.map((source) => createSeedInput(source, options));
  for (const input of inputs) await input.check();
  const { cutoffDate, identityType = [] } = flags;
  const values = { cutoffDate, identityType, formats: sources.map(({ format }) => format) };
  const mapping = map ?? new Map<string, string>();
  const digest = rowFlagsDigest(values, { mapping, nulls: rules.nulls, dialect });
  return { sources, inputs, rules, settings: digest, reportUnseen: () => reportUnseen(ctx, options.mapped) };
}

/** Warns of mapped columns that no JSON record contains. In a table, they are an error. */
function reportUnseen(ctx: Context, { unseen = new Set() }: { unseen?: Set<string> }): void {
  if (unseen.size === 0) return;
  const [what, it] = unseen.size === 1 ? ['the column', 'it'] : ['the columns', 'them'];
  const names = listed([...unseen].map(columnName), 20);
  ctx.out.warn(`The map contains ${what} ${names}, but no row contains ${it}. Check the spelling.`);
}

/** Returns a function that reports columns missing from a map, once per set, and warns of names that resemble fields. */
function reportSkippedColumns(ctx: Context): (name: string, columns: readonly SkippedColumn[]) => void {
  const reported = new Set<string>();
  return (name, columns) => {
    const names = columns.map(({ column }) => columnName(column));
    const text = `The map omits ${names.length === 1 ? 'the column' : 'the columns'} ${listed(names, 20)}.`;
    if (reported.has(text)) return;
    reported.add(text);
    const lines = columns.flatMap(({ column, field }) => (field === undefined ? [] : [`\`${column}: ${field}\``]));
    const advice = ` If one of these columns is meant as a field, add ${lines.join(', ')} to the map.`;
    if (lines.length === 0) ctx.out.note(`${name}: ${text}`);
    else ctx.out.warn(`${name}: ${text}${advice}`);
  };
}
