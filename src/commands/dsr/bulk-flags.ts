// Flags for bulk runs of data subject requests.
import { REGULATIONS, REQUEST_TYPES } from '../../lib/contract/choices.ts';
import { createNullWords } from '../../lib/domain/null-words.ts';
import { isInFuture, type NormalizeOptions } from '../../lib/domain/dsr/normalize.ts';
import { IDENTITY_COLUMNS, IGNORED, ROW_FIELDS } from '../../lib/domain/dsr/rows.ts';
import { invalidInput, usageError } from '../../lib/kernel/errors.ts';
import { isoSeconds } from '../../lib/kernel/timestamps.ts';
import { readDuration } from '../flag-values.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { FlagSpec, FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import { behindEquals } from '../../lib/runtime/command-line/help.ts';
import type { RowOptions } from '../../lib/workflows/dsr-row-reader.ts';
import { inputFlags, readColumnMap, readDialect, runFlags, saveMap, saveMapFlag } from '../bulk-flags.ts';
import { fieldsOf, issuesOfParts } from './submit-input.ts';

/** Default values for rows; without `--bulk`, the same flags set the fields of a single request. */
export const rowFlags = {
  regulation: { value: 'name', choices: REGULATIONS, help: 'regulation for rows without one' },
  type: { value: 'type', choices: REQUEST_TYPES, help: 'type for rows without one' },
  groupId: { value: 'id', help: 'group for rows without one' },
  callbackUrl: { value: 'url', many: true, help: 'callback address for rows without one (repeatable)' },
  submittedTime: { value: 'iso', help: 'submitted time for rows without one (default: now)' },
  skipWaitingPeriod: { help: 'skip the waiting period for rows that do not specify it' },
} as const satisfies Record<string, FlagSpec>;

export const tableFlags = {
  ...inputFlags,
  format: { ...inputFlags.format, choices: ['ndjson', 'json', 'csv'] },
  map: {
    ...inputFlags.map,
    offers: ({ typed }) => behindEquals(typed, [...ROW_FIELDS, ...IDENTITY_COLUMNS, IGNORED]),
  },
  saveMap: saveMapFlag,
} as const satisfies Record<string, FlagSpec>;

export type RowFlags = FlagValues<typeof rowFlags & typeof tableFlags>;

/** Flags that control the check for duplicates in the ledger, for single requests and rows. */
export const duplicateFlags = {
  duplicateWindow: {
    value: 'duration',
    default: '30d',
    help: 'how far back to search the ledger for duplicates',
  },
  allowDuplicates: { help: 'submit even if the ledger contains a duplicate' },
} as const satisfies Record<string, FlagSpec>;

/** Returns the duplicate window in milliseconds. Throws usage (2). */
export function readDuplicateWindow({ duplicateWindow: text }: { duplicateWindow: string }): number {
  if (/^0+ *[a-z]*$/.test(text))
    throw usageError(`--duplicate-window must not be \`${text}\`.`, 'To permit duplicates, pass --allow-duplicates.');
  return readDuration('--duplicate-window', text);
}

export const bulkFlags = {
  results: {
    value: 'file',
    writes: true,
    help: 'results file of a bulk run, with the outcome of each row (default: FILE.results.csv)',
  },
  ...runFlags('dsr'),
} as const satisfies Record<string, FlagSpec>;

export type BulkFlags = RowFlags & FlagValues<typeof bulkFlags & typeof duplicateFlags> & { showIdentities?: boolean };

/** Builds the options that turn rows into requests. Rows without a time get the current time. */
export async function rowOptions(ctx: Context, options: NormalizeOptions, flags: RowFlags): Promise<RowOptions> {
  const now = ctx.clock.now();
  const dialect = readDialect(flags);
  const mapping = (await readColumnMap(ctx, flags)) ?? new Map<string, string>();
  if (flags.saveMap !== undefined) await saveMap(ctx, flags.saveMap, Object.fromEntries(mapping));
  const given = fieldsOf(flags);
  const defaults = { ...given, submitted_time: given.submitted_time ?? isoSeconds(now) };
  checkDefaults(defaults, options, now);
  if (dialect.ignoresUnnamed) mapping.set('', IGNORED);
  return { ...options, mapping, nulls: createNullWords(flags.null ?? [], dialect), now, defaults };
}

const FLAG_OF: Record<string, string> = {
  submitted_time: '--submitted-time',
  group_id: '--group-id',
  status_callback_urls: '--callback-url',
};

/** Reports an invalid flag once, not per row. Throws usage (2), or invalid input (9) for a time in the future. */
function checkDefaults(defaults: RowOptions['defaults'], options: NormalizeOptions, now: number): void {
  const issue = issuesOfParts(defaults, options, now).find(({ path }) => FLAG_OF[String(path[0])] !== undefined);
  if (!issue) return;
  const text = `${FLAG_OF[String(issue.path[0])]} ${issue.message}.`;
  const isFuture = issue.path[0] === 'submitted_time' && isInFuture(defaults.submitted_time, now);
  throw isFuture ? invalidInput(`${text} Nothing was sent.`, []) : usageError(text);
}
