// The flags of bulk runs: numbers, and what columns mean.
import { randomUUID } from 'node:crypto';
import { REGULATIONS, REQUEST_TYPES } from '../../lib/contract/choices.ts';
import { composeRequest } from '../../lib/domain/dsr/compose.ts';
import { createNullWords } from '../../lib/domain/null-words.ts';
import { isInFuture, type NormalizeOptions, normalizeRequest } from '../../lib/domain/dsr/normalize.ts';
import { IDENTITY_COLUMNS, IGNORED, ROW_FIELDS } from '../../lib/domain/dsr/rows.ts';
import { type InputBytes, openBytes, openMemory } from '../../lib/files/input-bytes.ts';
import { formatOf, invalidDocument, loadDocument } from '../../lib/files/load.ts';
import { readInputBytes, resolvePath } from '../../lib/files/read-input.ts';
import { toYaml } from '../../lib/files/to-yaml.ts';
import { writeUserFile } from '../../lib/kernel/durable.ts';
import { invalidInput, usageError } from '../../lib/kernel/errors.ts';
import { isoSeconds } from '../../lib/kernel/timestamps.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { FlagSpec, FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import { behindEquals } from '../../lib/runtime/command-line/help.ts';
import type { RowOptions } from '../../lib/workflows/dsr-row-reader.ts';
import { giveUpAfter } from '../bulk-flags.ts';

/** Flags that say the same for all rows; `dsr submit` has them anyway. */
export const rowFlags = {
  regulation: { value: 'name', choices: REGULATIONS, help: 'for rows that name none' },
  type: { value: 'type', choices: REQUEST_TYPES, help: 'for rows that name none' },
  groupId: { value: 'id', help: 'for rows that name none' },
  callbackUrl: { value: 'url', many: true, help: 'for rows that name none; may be repeated' },
  submittedTime: { value: 'iso', help: 'for rows that name none (default: now)' },
  skipWaitingPeriod: { help: 'for rows that do not say' },
} as const satisfies Record<string, FlagSpec>;

export const mapFlags = {
  map: {
    value: 'column=field',
    many: true,
    help: 'what a column means; field - leaves it out; may be repeated',
    offers: ({ typed }) => behindEquals(typed, [...ROW_FIELDS, ...IDENTITY_COLUMNS, IGNORED]),
  },
  mapFile: { value: 'file', help: 'such a mapping, JSON or YAML: {column: field}' },
  saveMap: { value: 'file', help: 'keep the mapping of this run there' },
  null: { value: 'word', many: true, help: 'word that means an empty cell, in addition to \\N; may be repeated' },
} as const satisfies Record<string, FlagSpec>;

/** Defaults for fields that a row leaves out, and what its columns mean. */
export type RowFlags = FlagValues<typeof rowFlags & typeof mapFlags>;

/** Flags of a bulk run and of no single request. */
export const runFlags = {
  results: { value: 'file', help: 'where a bulk run writes what became of each row (default: FILE.results.csv)' },
  resume: { help: 'continue a bulk run that ended early' },
  concurrency: { value: 'n', help: 'most requests of a bulk run at once (default: 16)' },
  rate: { value: 'n', help: "most requests of a bulk run a second, or as 600/m (default: the profile's limit)" },
  giveUpAfter,
} as const satisfies Record<string, FlagSpec>;

export type BulkFlags = RowFlags & FlagValues<typeof runFlags> & { showIdentities?: boolean };

/** How rows become requests; those without a time get the present one. */
export async function rowOptions(
  ctx: Context,
  options: NormalizeOptions,
  file: string,
  flags: RowFlags,
): Promise<RowOptions> {
  const now = ctx.clock.now();
  const mapping = await mappingOf(ctx, flags);
  if (flags.saveMap !== undefined && !ctx.flags.dryRun) {
    const saved = Object.fromEntries(mapping);
    const isYaml = formatOf(flags.saveMap) === 'yaml';
    const text = isYaml ? await toYaml(saved) : `${JSON.stringify(saved, undefined, 2)}\n`;
    writeUserFile(resolvePath(flags.saveMap, ctx.io.cwd), text);
  }
  const defaults = {
    regulation: flags.regulation,
    subject_request_type: flags.type,
    group_id: flags.groupId,
    status_callback_urls: flags.callbackUrl,
    skip_waiting_period: flags.skipWaitingPeriod,
    submitted_time: flags.submittedTime ?? isoSeconds(now),
  };
  checkDefaults(defaults, options, now);
  return { ...options, file, mapping, nulls: createNullWords(flags.null ?? []), now, defaults };
}

const FLAG_OF: Record<string, string> = {
  group_id: '--group-id',
  status_callback_urls: '--callback-url',
  submitted_time: '--submitted-time',
};

/** A flag that no row could be sent with is a mistake of the command line, and not of each row. Throws usage (2), or invalid input (9) for a time in the future. */
function checkDefaults(defaults: RowOptions['defaults'], options: NormalizeOptions, now: number): void {
  const { regulation = 'gdpr', subject_request_type = 'access' } = defaults;
  const whole = { ...defaults, regulation, subject_request_type, subject_request_id: randomUUID() };
  const { issues } = normalizeRequest(
    composeRequest({ ...whole, identities: [['email', 'a']] }, options.vendorDomain),
    options,
    now,
  );
  if (isInFuture(defaults.submitted_time, now)) {
    const [issue] = issues.filter(({ path }) => path[0] === 'submitted_time');
    throw invalidInput(`--submitted-time ${issue?.message ?? ''}. Nothing was sent.`, []);
  }
  for (const { message, path } of issues) {
    const flag = FLAG_OF[String(path[0])];
    if (flag !== undefined) throw usageError(`${flag} ${message}.`);
  }
}

async function mappingOf(ctx: Context, flags: RowFlags): Promise<Map<string, string>> {
  const mapping = new Map<string, string>();
  if (flags.mapFile !== undefined) {
    const document = await loadDocument(flags.mapFile, ctx);
    const { value } = document;
    const message = 'must say for a column which field it holds: `Mail: email`';
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw invalidDocument(document, 'mapping of columns', [{ path: [], message }]);
    }
    const issues = Object.entries(value).flatMap(([column, field]) =>
      typeof field === 'string' ? [] : [{ path: [column], message }],
    );
    if (issues.length > 0) throw invalidDocument(document, 'mapping of columns', issues);
    for (const [column, field] of Object.entries(value)) mapping.set(column, String(field));
  }
  for (const text of flags.map ?? []) {
    const at = text.lastIndexOf('=');
    if (at < 1) throw usageError(`--map takes COLUMN=FIELD, such as "E-mail address=email", not \`${text}\`.`);
    mapping.set(text.slice(0, at), text.slice(at + 1).trim());
  }
  return mapping;
}

/** Rows are read more than once: the bytes of standard input are kept in memory, and no copy of them goes to the disk. */
export async function sourceOf(ctx: Context, file: string): Promise<InputBytes> {
  return file === '-'
    ? await openMemory('<stdin>', Buffer.from(await readInputBytes(file, ctx)))
    : await openBytes(file, ctx, undefined);
}
