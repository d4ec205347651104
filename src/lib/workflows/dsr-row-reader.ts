// Converts rows to requests, and writes the rows of an input with additional columns.
import { randomUUID } from 'node:crypto';
import type { DsrRequest } from '../contract/dsr.ts';
import { type FieldIssue, showPath } from '../contract/explain.ts';
import { composeRequest, type RequestParts } from '../domain/dsr/compose.ts';
import {
  cellsOfObject,
  columnOfIssue,
  type ColumnTarget,
  fieldOfIssue,
  IDENTITY_COLUMNS,
  IGNORED,
  isBody,
  isSingle,
  missingColumns,
  partsOfRow,
  planColumns,
  ROW_FIELDS,
} from '../domain/dsr/rows.ts';
import type { RowStates } from '../domain/dsr/row-states.ts';
import type { NullWords } from '../domain/null-words.ts';
import { withoutSchemaHint } from '../files/load.ts';
import { identitiesOf, type NormalizeOptions, normalizeRequest, skipsWaiting } from '../domain/dsr/normalize.ts';
import type { Row, RowTable } from '../bulk/rows.ts';
import { csvLine } from '../kernel/csv.ts';
import { invalidInput, type Issue } from '../kernel/errors.ts';
import { stringifyJson } from '../kernel/json.ts';

export interface RowOptions extends NormalizeOptions {
  mapping: ReadonlyMap<string, string>;
  /** The time of the check, in epoch milliseconds. */
  now: number;
  nulls: NullWords;
  /** Values for fields that a row lacks; `submitted_time` is always set. */
  defaults: Omit<RequestParts, 'identities'> & { submitted_time: string };
}

export interface ReadyRow extends Pick<ReturnType<typeof partsOfRow>, 'done' | 'isTrimmed'> {
  row: number;
  request: DsrRequest;
  /** True if the id is from the file; otherwise, it is a placeholder. */
  hasId: boolean;
}

export type RowReader = ReturnType<typeof createRowReader>;

/** Placeholder id for a row without an id. */
const STAND_IN = '00000000-0000-4000-8000-000000000000';

const NOT_SINGLE = 'must be a single value, not a list; submit a separate request for each value';

/** Throws invalid input (9) for unknown or missing columns. */
export function createRowReader({ heading }: RowTable, options: RowOptions) {
  const { mapping, names } = options;
  const { file } = heading;
  const columns = heading.columns?.length === 0 ? undefined : heading.columns?.map((cell) => cell.text);
  const plan = columns && planColumns(columns, mapping, names);
  const unknown = [...mapping.keys()].filter((name) => name !== '' && columns && !columns.includes(name));
  if (heading.columns && plan && (plan.issues.length > 0 || unknown.length > 0)) {
    const cells = heading.columns;
    const unmapped = 'is mapped, but the file does not have this column';
    throw invalidInput(`${file} cannot be submitted: its column names are invalid. Nothing was sent.`, [
      ...plan.issues.map(({ column, message }): Issue => {
        const { line = 1, column: at = 1, text: path = '' } = cells[column] ?? {};
        return { file, line, column: at, path, message };
      }),
      ...unknown.map((path): Issue => ({ file, line: 1, column: 1, path, message: unmapped })),
    ]);
  }

  const missing = plan ? missingColumns(plan.targets, options.defaults) : [];
  if (missing.length > 0) {
    throw invalidInput(
      `${file} cannot be submitted: required columns are missing. Nothing was sent.`,
      missing.map((issue): Issue => ({ file, line: 1, column: 1, ...issue })),
    );
  }

  function fromCells(cells: readonly string[], targets: readonly ColumnTarget[]) {
    const { parts, ...facts } = partsOfRow(cells, targets, options.defaults, options.nulls);
    const { subject_request_id: id = STAND_IN } = parts;
    const body = composeRequest({ ...parts, subject_request_id: id }, options.vendorDomain);
    return { body, hasId: parts.subject_request_id !== undefined, ...facts };
  }

  function fromValue(value: unknown) {
    const given = withoutSchemaHint(value) as Record<string, unknown>;
    const hasId = given['subject_request_id'] !== undefined;
    const body = { subject_request_id: STAND_IN, ...plainDefaults(options.defaults), ...given };
    return { body, hasId, done: false, isTrimmed: false, issues: [] as FieldIssue[] };
  }

  function issuesOf(
    row: Row,
    issues: readonly FieldIssue[],
    targets: readonly ColumnTarget[] | undefined,
    flat: boolean,
  ): Issue[] {
    return issues.map((issue) => {
      const column = targets && columnOfIssue(issue, targets);
      const name = column === undefined ? undefined : targets?.[column];
      const place =
        column !== undefined && !flat
          ? row.locate({ column })
          : row.locate({ path: flat && name !== undefined ? [name] : issue.path, ...(issue.at && { at: issue.at }) });
      const path = name ?? (targets ? fieldOfIssue(issue) : showPath(issue.path));
      return { file: row.file, ...place, path, message: issue.message };
    });
  }

  return {
    /** Targets of the columns of a CSV file; undefined for JSON. */
    targets: plan?.targets,
    /** `keyOf` returns the key of a field in a flat JSON row, which a map can change. */
    read: (row: Row): { ready: ReadyRow; keyOf(field: string): string } | { issues: Issue[] } => {
      const { content } = row;
      const issuesAt = (path: FieldIssue['path'], message: string, at?: 'key') =>
        issuesOf(row, [{ path, message, ...(at && { at }) }], undefined, false);
      if ('fault' in content) return { issues: issuesAt([], content.fault) };
      const isFlat = 'value' in content && !isBody(content.value);
      const flat = isFlat ? cellsOfObject(content.value) : undefined;
      if (isFlat && !flat) return { issues: issuesAt([], 'is neither a flat row nor a request') };
      const own = flat && planColumns(flat.columns, mapping, names);
      const lists = flat?.lists.filter((column) => isSingle(own?.targets[column])) ?? [];
      const wrong = [...(own?.issues ?? []), ...lists.map((column) => ({ column, message: NOT_SINGLE }))];
      if (wrong.length > 0)
        return { issues: wrong.flatMap((it) => issuesAt([flat?.columns[it.column] ?? ''], it.message, 'key')) };
      const targets = own?.targets ?? plan?.targets;
      const cells = 'cells' in content ? content.cells : flat?.cells;
      const made = cells ? fromCells(cells, targets ?? []) : fromValue('value' in content && content.value);
      const normalized = normalizeRequest(made.body, options, options.now);
      const issues = [...made.issues, ...normalized.issues];
      if (!normalized.request || issues.length > 0) return { issues: issuesOf(row, issues, targets, isFlat) };
      const { done, hasId, isTrimmed } = made;
      const keyOf = (field: string): string => flat?.columns[own?.targets.indexOf(field) ?? -1] ?? field;
      return { ready: { row: row.number, request: normalized.request, hasId, isTrimmed, done }, keyOf };
    },
  };
}

/** Reads a row that was valid when the file was checked. */
export function readAgain(reader: RowReader, row: Row) {
  const read = reader.read(row);
  if ('issues' in read) throw new Error('a previously valid row is now invalid');
  return read;
}

function plainDefaults(defaults: RowOptions['defaults']): Record<string, unknown> {
  const given = ROW_FIELDS.filter((field) => field !== 'skip_waiting_period' && defaults[field] !== undefined);
  return Object.fromEntries(given.map((field) => [field, defaults[field]]));
}

function cellsOfRequest(request: DsrRequest, columns: readonly string[]): string[] {
  const values = new Map<string, string>(identitiesOf(request));
  for (const field of ROW_FIELDS) {
    const value = field === 'skip_waiting_period' ? (skipsWaiting(request) ? 'true' : '') : request[field];
    if (value !== undefined) values.set(field, Array.isArray(value) ? value.join('|') : value);
  }
  return columns.map((column) => (column === IGNORED ? '' : (values.get(column) ?? '')));
}

/**
 * Yields a CSV file that can be submitted again: the input's columns, plus id, status and error. If the input already
 * has one of these columns, that column is overwritten. For rows without columns, `used` names the columns.
 */
export async function* resultLines(
  table: RowTable,
  options: RowOptions,
  states: RowStates,
  used: ReadonlySet<string>,
): AsyncGenerator<string> {
  const values = (row: number) => ({
    subject_request_id: states.id(row) ?? '',
    status: states.state(row),
    // Prevents a spreadsheet from running the platform's message as a formula.
    error: states.error(row).replace(/^(?=[=+\-@\t\r])/, "'"),
  });
  yield* tableLines(table, options, ['subject_request_id', 'status', 'error'], values, used);
}

/** Yields the rows with missing ids and times added: as CSV for CSV input, otherwise as one JSON line per row. */
export async function* preparedLines(table: RowTable, options: RowOptions): AsyncGenerator<string> {
  const values = (_row: number, { hasId, request }: ReadyRow) => ({
    subject_request_id: hasId ? request.subject_request_id : randomUUID(),
    submitted_time: request.submitted_time,
  });
  if (table.heading.columns) {
    yield* tableLines(table, options, ['subject_request_id', 'submitted_time'], values, new Set());
    return;
  }
  const reader = createRowReader(table, options);
  for await (const rows of table.rows) {
    for (const row of rows) {
      const { keyOf, ready } = readAgain(reader, row);
      const added = Object.entries(values(row.number, ready)).map(([field, value]) => [keyOf(field), value] as const);
      const { value } = row.content as { value?: object };
      yield `${stringifyJson({ ...value, ...Object.fromEntries(added) })}\n`;
    }
  }
}

async function* tableLines<const Name extends string>(
  table: RowTable,
  options: RowOptions,
  added: readonly Name[],
  valuesOf: (row: number, ready: ReadyRow) => Record<Name, string>,
  used: ReadonlySet<string>,
): AsyncGenerator<string> {
  const { columns, delimiter, lineEnd, mark } = table.heading;
  const reader = createRowReader(table, options);
  const own = [...ROW_FIELDS, ...IDENTITY_COLUMNS].filter((name) => used.has(name));
  const names = columns?.map((cell) => cell.text) ?? own;
  const targets = reader.targets ?? own;
  const places = added.map((name) => [name, targets.indexOf(name)] as const);
  const appended = places.filter(([, place]) => place < 0).map(([name]) => name);
  yield mark + csvLine([...names, ...appended], delimiter, lineEnd);
  for await (const rows of table.rows) {
    let text = '';
    for (const row of rows) {
      const { ready } = readAgain(reader, row);
      const cells = 'cells' in row.content ? [...row.content.cells] : cellsOfRequest(ready.request, own);
      const values = valuesOf(row.number, ready);
      for (const [name, place] of places) if (place >= 0) cells[place] = values[name];
      text += csvLine([...cells, ...appended.map((name) => values[name])], delimiter, lineEnd);
    }
    yield text;
  }
}
