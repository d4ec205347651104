// Flags of all bulk runs: help, checks and values.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { MaxErrors } from '../lib/bulk/runner.ts';
import type { Inputs, ReadOptions, RowFormat } from '../lib/bulk/sources/bytes.ts';
import { type GetAddress, isAddress } from '../lib/bulk/sources/remote.ts';
import { type Dialect, DELIMITERS, SOURCES, type SourceName } from '../lib/domain/csv/dialect.ts';
import type { NullWords } from '../lib/domain/null-words.ts';
import { type Hint, usageError } from '../lib/kernel/errors.ts';
import { isRecord } from '../lib/kernel/json.ts';
import { parseDuration } from '../lib/kernel/timestamps.ts';
import { listed } from '../lib/kernel/words.ts';
import type { FlagSpec, FlagValues } from '../lib/runtime/command-line/define-command.ts';
import type { Context } from '../lib/runtime/context.ts';
import { identityTypeFlag, readRate } from './flag-values.ts';

const FORMATS = ['ndjson', 'json', 'csv', 'parquet'] as const satisfies readonly RowFormat[];

export const inputFlags = {
  filesFrom: { value: 'file', help: 'list of inputs, one per line, or a Redshift manifest; - reads standard input' },
  format: { value: 'format', choices: FORMATS, help: 'format of the inputs (default: detected automatically)' },
  source: {
    value: 'program',
    choices: Object.keys(SOURCES) as SourceName[],
    help: 'program that wrote the inputs; determines the delimiter, the null words and more',
  },
  delimiter: { value: 'sign', help: 'comma, semicolon, tab or pipe (default: the most frequent one in the header)' },
  headerless: { help: 'the inputs have no header line; name the columns with --columns' },
  columns: { value: 'a,b', help: 'column names of inputs without a header line' },
  map: { value: 'column=field', many: true, help: 'map a column to a field, or to - to ignore it (repeatable)' },
  mapFile: { value: 'file', help: 'YAML or JSON file that maps columns to fields: {column: field}' },
  null: { value: 'word', many: true, help: 'word that marks an empty cell, in addition to \\N (repeatable)' },
} as const satisfies Record<string, FlagSpec>;

export const saveMapFlag = { value: 'file', writes: true, help: 'write the map to a file, for --map-file' } as const;

export type InputFlags = FlagValues<typeof inputFlags>;

export const readFlags = {
  ...inputFlags,
  identityType: identityTypeFlag,
  cutoffDate: { value: 'date', help: 'cutoff date for tables without a cutoff_date column, yyyy-MM-dd' },
} as const satisfies Record<string, FlagSpec>;

export type ReadFlags = FlagValues<typeof readFlags>;

const CONCURRENCY = { dsr: { usual: 16, most: 256 }, seeding: { usual: 64, most: 1024 } } as const;
const GIVE_UP_AFTER = '10m';

export function runFlags(kind: keyof typeof CONCURRENCY) {
  const { most, usual } = CONCURRENCY[kind];
  return {
    resume: { help: 'resume an interrupted bulk run of the same files' },
    concurrency: { value: 'n', most, help: `maximum number of concurrent requests (default: ${usual})` },
    rate: { value: 'n', help: `maximum request rate: N per second, or 600/m (default: limits.${kind} of the profile)` },
    giveUpAfter: {
      value: 'dur',
      help: `stop a bulk run after this time without a successful request (default: ${GIVE_UP_AFTER}; 0 stops at the first outage)`,
    },
    maxErrors: {
      value: 'n',
      help: 'stop a bulk run when more than this number or percentage of rows is rejected (default: never)',
    },
  } as const satisfies Record<string, FlagSpec>;
}

export type RunFlags = FlagValues<ReturnType<typeof runFlags>>;

/** `limit` is the profile's own rate, such as `1000/m`. Throws usage (2); the error for a rate names its source. */
export function readPace(kind: keyof typeof CONCURRENCY, flags: RunFlags, limit: string | undefined) {
  const { concurrency = CONCURRENCY[kind].usual, giveUpAfter = GIVE_UP_AFTER, maxErrors, rate } = flags;
  const giveUpAfterMs = giveUpAfter === '0' ? 0 : parseDuration(giveUpAfter);
  if (giveUpAfterMs === undefined)
    throw usageError(`--give-up-after must be a duration such as 90s, 10m or 2h, or 0, not \`${giveUpAfter}\`.`);
  return {
    concurrency,
    rate: readRate(rate, limit, kind),
    giveUpAfterMs,
    maxErrors: maxErrors === undefined ? undefined : readMaxErrors(maxErrors),
  };
}

function readMaxErrors(text: string): MaxErrors {
  const [, number = '', percent] = /^(\d{1,12}(?:\.\d{1,6})?)\s*(%?)$/.exec(text) ?? [];
  if (number !== '' && percent === '%' && Number(number) <= 100) return { percent: Number(number) };
  if (/^\d+$/.test(number) && percent === '') return { rows: Number(number) };
  throw usageError(`--max-errors must be a number of rows or a percentage such as 5%, not \`${text}\`.`);
}

export function readDialect({ columns, delimiter, headerless, source }: InputFlags): Dialect {
  const preset: Dialect = source === undefined ? {} : SOURCES[source];
  const signs = Object.entries(DELIMITERS);
  const sign = signs.find(([word, text]) =>
    [word, text].includes(delimiter === '\\t' ? 'tab' : (delimiter ?? '')),
  )?.[1];
  if (delimiter !== undefined && sign === undefined)
    throw usageError(`--delimiter must be comma, semicolon, tab or pipe, not \`${delimiter}\`.`);
  if (headerless && columns === undefined) throw usageError('--headerless requires the column names: --columns A,B.');
  const names = columns?.split(',').map((name) => name.trim());
  return { ...preset, ...(sign !== undefined && { separator: sign }), ...(names && { columns: names }) };
}

/** Settings that determine how rows become requests, except the default values of missing fields. */
interface RowFlags {
  mapping: ReadonlyMap<string, string>;
  vendorDomain?: string | undefined;
  nulls: Pick<NullWords, 'words'>;
  dialect: Dialect;
}

/** Returns a digest of the settings for the journal: a resumed run must turn rows into the same requests again. */
export function rowFlagsDigest(values: object, { dialect, mapping, nulls, vendorDomain }: RowFlags): string {
  const reading = Object.keys(dialect).length === 0 ? [] : [dialect];
  const all = [values, [...mapping].sort(), vendorDomain, nulls.words, ...reading];
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}

/** Throws usage (2) if the flags differ from those of the earlier run. Journals of older versions have no digest. */
export function refuseOtherFlags(earlier: string | undefined, now: string, flags: string): void {
  if (earlier === undefined || earlier === now) return;
  throw usageError(
    'The earlier run had different flags, so the same rows would now become different requests.',
    `Pass the same row flags as in that run: ${flags} and any others.`,
  );
}

/** Returns the hint to resume the earlier run. If the flags differ from that run's, `command` would fail. */
export function resumeHint(what: string, command: string, earlier: string | undefined, now: string): Hint {
  if (earlier === undefined || earlier === now) return { text: `${what}:`, command };
  return { text: `${what}, pass --resume and the same row flags as in that run.` };
}

export async function openBulkInputs(
  ctx: Context,
  words: readonly string[],
  flags: InputFlags,
  options: Pick<ReadOptions, 'isReread' | 'shard'> = {},
): Promise<Inputs> {
  const { filesFrom, format } = flags;
  const dialect = readDialect(flags);
  const { expandInputs } = await import('../lib/bulk/sources/expand.ts');
  const { openInputs } = await import('../lib/bulk/sources/bytes.ts');
  const names = await expandInputs(words, filesFrom, ctx, (skipped) =>
    ctx.out.note(
      `Skipped result and reject files of earlier runs, and files whose names begin with \`_\`: ${listed(skipped, 10)}.`,
    ),
  );
  for (const name of names.filter((one) => isAddress(one) && URL.canParse(one))) {
    const { search, searchParams } = new URL(name);
    [search.slice(1), ...searchParams.values()].filter((value) => value.length >= 8).forEach(ctx.redactor.add);
  }
  const get: GetAddress = async (url, headers, sink) =>
    (await ctx.api()).client.download({ url, accept: '*/*', headers, isStored: true }, sink, ctx.signal);
  return await openInputs(names, ctx, { ...options, format, dialect, get });
}

/** Returns the map of columns to fields from `--map-file` and `--map`, if any. Throws usage (2), invalid input (9). */
export async function readColumnMap(
  ctx: Context,
  { map, mapFile }: Pick<InputFlags, 'map' | 'mapFile'>,
): Promise<Map<string, string> | undefined> {
  if (map === undefined && mapFile === undefined) return undefined;
  const own = new Map<string, string>();
  for (const text of map ?? []) {
    const at = text.lastIndexOf('=');
    if (at < 1) throw usageError(`--map must be COLUMN=FIELD, such as "E-mail address=email", not \`${text}\`.`);
    const column = text.slice(0, at);
    if (own.has(column)) throw usageError(`--map names the column \`${column}\` twice.`, 'Map each column once.');
    own.set(column, text.slice(at + 1).trim());
  }
  return new Map([...(mapFile === undefined ? [] : await loadMap(ctx, mapFile)), ...own]);
}

/**
 * Writes the map to the `--save-map` file, as YAML or JSON according to the extension. Throws usage (2) if the file exists
 * with other content, because maps are completed by hand. A dry run writes nothing.
 */
export async function saveMap(ctx: Context, file: string, map: Record<string, string>): Promise<void> {
  if (ctx.flags.dryRun) return;
  const { formatOf } = await import('../lib/files/load.ts');
  const { toYaml } = await import('../lib/files/yaml-text.ts');
  const { resolvePath } = await import('../lib/files/read-input.ts');
  const { writeUserFile } = await import('../lib/kernel/durable.ts');
  const { nameTaken } = await import('../lib/kernel/temporary-file.ts');
  const text = formatOf(file) === 'yaml' ? toYaml(map) : `${JSON.stringify(map, undefined, 2)}\n`;
  const path = resolvePath(file, ctx.io.cwd);
  if (existsSync(path) && readFileSync(path, 'utf8') !== text) throw nameTaken(path);
  writeUserFile(path, text);
}

async function loadMap(ctx: Context, file: string): Promise<[string, string][]> {
  const { invalidDocument, loadDocument } = await import('../lib/files/load.ts');
  const document = await loadDocument(file, ctx);
  const entries = isRecord(document.value) ? Object.entries(document.value) : undefined;
  const wrong = entries?.filter(([, field]) => typeof field !== 'string').map(([column]) => [column]) ?? [[]];
  const message = 'must map columns to fields, for example `Mail: email`';
  const issues = wrong.map((path) => ({ path, message }));
  if (issues.length > 0) throw invalidDocument(document, 'mapping of columns', issues);
  return entries as [string, string][];
}
