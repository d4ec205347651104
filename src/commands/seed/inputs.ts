// Turns a seeding command's files into readable inputs.
import { isCalendarDate } from '../../lib/contract/shared.ts';
import type { SkippedColumn } from '../../lib/domain/seed/columns.ts';
import { createRowRules } from '../../lib/domain/seed/row-rules.ts';
import type { Shard } from '../../lib/domain/seed/shard.ts';
import type { Inputs } from '../../lib/bulk/sources/bytes.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { createSeedInput, type SeedInputs } from '../../lib/workflows/seed-input.ts';
import { openBulkInputs, readColumnMap, readDialect, type ReadFlags, rowFlagsDigest } from '../bulk-flags.ts';

/** Maximum number of columns listed; others are only counted. */
const LISTED_COLUMNS = 20;

export interface OpenedInputs extends SeedInputs {
  sources: Inputs;
  /** Digest of the flags that determine how rows become requests. */
  settings: string;
}

/** Opens the files and checks every header before reading any row. Throws usage (2) and invalid input (9). */
export async function openInputs(
  ctx: Context,
  files: string[],
  flags: ReadFlags,
  shard?: Shard,
): Promise<OpenedInputs> {
  const settings = await ctx.settings();
  const dialect = readDialect(flags);
  const rules = createRowRules(settings.names, flags, dialect);
  const map = await readColumnMap(ctx, flags);
  if (flags.cutoffDate !== undefined && !isCalendarDate(flags.cutoffDate)) {
    throw usageError(`--cutoff-date must be a valid date as yyyy-MM-dd, not \`${flags.cutoffDate}\`.`);
  }
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
    onSkippedColumns: reportSkippedColumns(ctx),
    onNullWord: warnOfNulls(ctx),
  };
  const inputs = sources.map((source) => createSeedInput(source, options));
  for (const input of inputs) await input.check();
  const { cutoffDate, identityType = [] } = flags;
  const values = { cutoffDate, identityType, formats: sources.map(({ format }) => format) };
  const rowFlags = { mapping: map ?? new Map<string, string>(), nulls: rules.nulls, dialect };
  return { sources, inputs, rules, settings: rowFlagsDigest(values, rowFlags) };
}

/** Reports the columns that a map omits, once per set of columns; warns if a name resembles a field. */
function reportSkippedColumns(ctx: Context): (name: string, columns: readonly SkippedColumn[]) => void {
  const reported = new Set<string>();
  return (name, columns) => {
    const listed = columns.slice(0, LISTED_COLUMNS).map(({ column }) => `\`${column}\``);
    const more = columns.length > LISTED_COLUMNS ? ` and ${columns.length - LISTED_COLUMNS} more` : '';
    const text = `The map omits ${columns.length === 1 ? 'the column' : 'the columns'} ${listed.join(', ')}${more}.`;
    if (reported.has(text)) return;
    reported.add(text);
    const lines = columns.flatMap(({ column, field }) => (field === undefined ? [] : [`\`${column}: ${field}\``]));
    if (lines.length === 0) ctx.out.note(`${name}: ${text}`);
    else
      ctx.out.warn(`${name}: ${text} If one of these columns is meant as a field, add ${lines.join(', ')} to the map.`);
  };
}

/** Warns about each column once. */
function warnOfNulls(ctx: Context): (name: string, column: string, word: string) => void {
  return (name, column, word) =>
    ctx.out.warn(
      `${name}: The column \`${column}\` contains the text \`${word}\`. If it means no value, pass --null ${word}.`,
    );
}
