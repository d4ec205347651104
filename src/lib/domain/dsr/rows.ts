// Maps the cells of a table row to the parts of a request, and issues back to columns.
import type { FieldIssue } from '../../contract/explain.ts';
import { EXTENSION_IDENTITY_TYPES, REQUEST_IDENTITY_TYPES } from '../../contract/identities.ts';
import type { WireNames } from '../../contract/names.ts';
import { isRecord } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { isoOf } from '../../kernel/timestamps.ts';
import { isRow, NOT_A_HEADER } from '../csv/dialect.ts';
import { columnName } from '../../kernel/words.ts';
import { nullWordIssue, type NullWords, USUAL_NULLS } from '../null-words.ts';
import type { RequestParts } from './compose.ts';

/** Columns that are not identities, in the order in which this program writes them. */
export const ROW_FIELDS = [
  'regulation',
  'subject_request_type',
  'submitted_time',
  'group_id',
  'subject_request_id',
  'status_callback_urls',
  'skip_waiting_period',
] as const;

/** A results file has both columns. They are ignored in any other input, whose `status` may mean something else. */
export const RESULT_COLUMNS = ['status', 'error'] as const;

export const IDENTITY_COLUMNS: readonly string[] = [
  ...Object.keys(REQUEST_IDENTITY_TYPES),
  ...EXTENSION_IDENTITY_TYPES,
];

/** What a column contains: a field, an identity type, `status`, `error`, or something to ignore (`-`). */
export type ColumnTarget = string;

export const IGNORED = '-';

const known = new Set<string>([...ROW_FIELDS, ...RESULT_COLUMNS, ...IDENTITY_COLUMNS]);
const identityTypes = new Set(IDENTITY_COLUMNS);

/**
 * Returns the target of each column, and issues; column -1 is the whole line. `mapping` maps columns to fields. Other
 * columns keep their names, which may be deployment-specific.
 */
export function planColumns(columns: readonly string[], mapping: ReadonlyMap<string, string>, names: WireNames) {
  const issues: { column: number; message: string }[] = [];
  const targets = columns.map((name, column) => {
    const word = (mapping.get(name) ?? name).trim();
    const target = known.has(word) || word === IGNORED ? word : names.fromWire(word);
    if (known.has(target) || target === IGNORED) return target;
    issues.push({ column, message: unknownColumn(name, mapping.has(name) ? word : undefined) });
    return IGNORED;
  });
  const unknown = issues.map(({ column }) => columns[column] ?? '');
  if (isRow(unknown, unknown.length < columns.length))
    return { targets, issues: [{ column: -1, message: NOT_A_HEADER }] };
  for (const [column, target] of targets.entries()) {
    const first = targets.indexOf(target);
    if (target !== IGNORED && first < column) {
      const name = columns[column] ?? '';
      issues.push({ column, message: `column ${columnName(name)} maps to the same field as column ${first + 1}` });
    }
  }
  return { targets, issues };
}

function unknownColumn(name: string, mappedTo: string | undefined): string {
  const column = `column ${columnName(name)}`;
  const what =
    mappedTo === undefined ? `unknown ${column}` : `${column} is mapped to \`${mappedTo}\`, which is not a field`;
  const fix = name.trim() === '' ? 'name it in the header' : `to ignore it, pass --map "${name}=-"`;
  return `${what}${didYouMean(mappedTo ?? name, known)}; ${fix}`;
}

/** Reports required values that no column or flag provides. `path` is empty if any of several columns would do. */
export function missingColumns(
  targets: readonly ColumnTarget[],
  defaults: Omit<RequestParts, 'identities'>,
): { path: string; message: string }[] {
  const fields = Object.entries(NEEDED).filter(
    ([field]) => !targets.includes(field) && defaults[field as keyof typeof NEEDED] === undefined,
  );
  const issues = fields.map(([path, flag]) => ({
    path,
    message: `is missing: there is no column \`${path}\`, and ${flag} does not set it for all rows`,
  }));
  if (targets.some((target) => identityTypes.has(target))) return issues;
  const message =
    'no column is an identity type, such as `email` or `controller_customer_id`; to map another column to one, pass --map "COLUMN=email"';
  return [...issues, { path: '', message }];
}

/** Required columns, and the flags that can replace them. */
const NEEDED = { regulation: '--regulation', subject_request_type: '--type' } as const;

const YES = /^(true|yes|y|1)$/i;
const NO = /^(false|no|n|0)$/i;

/** Empty cells and null words count as missing; `defaults` fill in missing values. A completed row is `done`. */
export function partsOfRow(
  cells: readonly string[],
  targets: readonly ColumnTarget[],
  defaults: Omit<RequestParts, 'identities'>,
  nulls: NullWords = USUAL_NULLS,
) {
  const values = new Map<string, string>();
  for (const [column, target] of targets.entries()) {
    const text = (cells[column] ?? '').trim();
    if (text !== '' && !nulls.isNull(text) && target !== IGNORED) values.set(target, text);
  }
  const skip = values.get('skip_waiting_period');
  const issues: FieldIssue[] = [];
  const group = nullWordIssue(values.get('group_id') ?? '', nulls);
  if (group !== undefined) issues.push({ path: ['group_id'], message: group });
  if (skip !== undefined && !YES.test(skip) && !NO.test(skip))
    issues.push({ path: ['skip_waiting_period'], message: `must be true or false, not \`${skip}\`` });
  const urls = values
    .get('status_callback_urls')
    ?.split('|')
    .flatMap((url) => url.trim() || []);
  const status = RESULT_COLUMNS.every((name) => targets.includes(name)) ? values.get('status') : undefined;
  const time = values.get('submitted_time');
  const parts: RequestParts = {
    regulation: values.get('regulation') ?? defaults.regulation,
    subject_request_type: values.get('subject_request_type') ?? defaults.subject_request_type,
    submitted_time: time === undefined ? defaults.submitted_time : isoOf(time),
    group_id: values.get('group_id') ?? defaults.group_id,
    subject_request_id: values.get('subject_request_id'),
    status_callback_urls: urls ?? defaults.status_callback_urls,
    skip_waiting_period: skip === undefined ? defaults.skip_waiting_period : YES.test(skip),
    identities: [...values].filter(([target]) => identityTypes.has(target)),
  };
  return {
    parts,
    isTrimmed: targets.some(
      (it, column) => identityTypes.has(it) && (values.get(it) ?? cells[column]) !== cells[column],
    ),
    done: values.has('subject_request_id') && (status === 'submitted' || status === 'existing'),
    issues,
  };
}

/** Converts a flat JSON object to columns and cells; undefined for other values. `lists` are columns with lists. */
export function cellsOfObject(value: unknown): { columns: string[]; cells: string[]; lists: number[] } | undefined {
  if (!isRecord(value)) return undefined;
  const columns = Object.keys(value);
  const cells: string[] = [];
  const lists: number[] = [];
  for (const [index, item] of Object.values(value).entries()) {
    if (item === null) cells.push('');
    else if (Array.isArray(item) && item.every((part) => typeof part === 'string')) {
      cells.push(item.join('|'));
      if (item.length > 1) lists.push(index);
    } else if (typeof item === 'string') cells.push(item);
    else if (typeof item === 'number' || typeof item === 'bigint' || typeof item === 'boolean')
      cells.push(String(item));
    else return undefined;
  }
  return { columns, cells, lists };
}

/** True if a request has at most one value for a column with this target. */
export function isSingle(target: ColumnTarget | undefined): boolean {
  return target !== undefined && known.has(target) && ![...RESULT_COLUMNS, 'status_callback_urls'].includes(target);
}

/** True if a JSON value is a request body rather than a flat row. */
export function isBody(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('subject_identities' in value || 'extensions' in value);
}

/** Returns the column that an issue of the composed body is about; undefined if the issue is about the whole row. */
export function columnOfIssue({ path }: FieldIssue, targets: readonly ColumnTarget[]): number | undefined {
  const name = [...path].reverse().find((segment) => typeof segment === 'string' && targets.includes(segment));
  return name === undefined ? undefined : targets.indexOf(String(name));
}

/** Returns the name of the field that an issue is about; empty if the issue is about the whole row. */
export function fieldOfIssue({ path }: FieldIssue): string {
  return String([...path].reverse().find((segment) => known.has(String(segment))) ?? '');
}
