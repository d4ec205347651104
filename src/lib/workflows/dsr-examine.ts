// Checks all rows before the first one is sent: finds issues and duplicates, and counts the rows.
import { exitOf } from '../errors/fail.ts';
import { createRowKeys } from '../kernel/row-keys.ts';
import type { RowStates } from '../domain/dsr/row-states.ts';
import { ROW_FIELDS } from '../domain/dsr/rows.ts';
import { adviceOn, comparable, daysLateOf, identitiesOf, skipsWaiting } from '../domain/dsr/normalize.ts';
import type { Row, RowTable } from '../bulk/rows.ts';
import { KnownError, invalidInput, type Issue, MOST_ISSUES } from '../kernel/errors.ts';
import { createRowReader, type ReadyRow, type RowOptions } from './dsr-row-reader.ts';

/** The rows to send: how many there are, how many are erasures with or without a waiting period, and the first rows. */
export type RowsToSend = ReturnType<typeof nothingToSend>;
function nothingToSend() {
  /** `first` is in order. A request without an id in the file has a placeholder. */
  return { left: 0, skipWaiting: 0, cancellable: 0, first: [] as ReadyRow[] };
}

/** The result of the check. The rows to send are those that are not done; an earlier run may have sent some of them. */
export type Examined = ReturnType<typeof nothingFound>;
function nothingFound() {
  return {
    ...nothingToSend(),
    rows: 0,
    withoutId: 0,
    /** Number of completed rows, if the input is a results file. */
    done: 0,
    /** Number of rows by kind, such as `gdpr erasure`. */
    kinds: new Map<string, number>(),
    /** Numbers of the rows to which each piece of advice applies. */
    advice: new Map<string, number[]>(),
    /** Numbers of the rows in which spaces around an identity were removed. */
    trimmed: [] as number[],
    /** Numbers of the rows to send whose deadline has passed, and the maximum number of days since then. */
    late: [] as number[],
    mostDaysLate: 0,
    /** Columns that the rows use, by the specification's names. A results file has them if the input has no columns. */
    used: new Set<string>(),
    digest: '',
  };
}

/** Number of requests that a dry run of a bulk run shows. */
const FIRST = 100;

/** Reads all inputs. `name` is used in messages. Throws invalid input (9) with the issues, including duplicates. */
export async function examineRows(table: RowTable, options: RowOptions, name: string): Promise<Examined> {
  const reader = createRowReader(table, options);
  const keys = createRowKeys();
  const issues: Issue[] = [];
  const found = nothingFound();
  let wrong = 0;
  let isRepeated = false as boolean;
  /** The first row of each file. */
  const starts: Pick<Row, 'file' | 'number'>[] = [];
  try {
    for await (const group of table.rows) for (const row of group) examine(row);
  } catch (error) {
    // No more rows can be read, so report the issues found so far.
    if (wrong === 0 || !(error instanceof KnownError) || exitOf(error) !== 'invalidInput') throw error;
    note(error.issues);
  }
  found.digest = table.digest();
  if (wrong > 0) {
    const count = wrong === 1 ? 'one issue' : `${wrong} issues`;
    const hint = isRepeated
      ? 'Remove the duplicate rows. --allow-duplicates allows only duplicates of earlier requests.'
      : undefined;
    throw invalidInput(`${name} cannot be submitted: ${count}. Nothing was sent.`, issues, hint, wrong - issues.length);
  }
  return found;

  function note(own: readonly Issue[]): void {
    wrong += own.length;
    issues.push(...own.slice(0, MOST_ISSUES - issues.length));
  }

  function examine(row: Row): void {
    found.rows++;
    if (starts.at(-1)?.file !== row.file) starts.push(row);
    const result = reader.read(row);
    if ('issues' in result) {
      note(result.issues);
      return;
    }
    note(repeated(row, result.ready));
    tally(result.ready);
  }

  function repeated(row: Row, { hasId, request }: ReadyRow): Issue[] {
    const issueOf = (what: string): Issue[] => [
      { file: row.file, ...row.locate({ path: [] }), path: '', message: `row ${row.number} ${what}` },
    ];
    const nameOf = (number: number): string => {
      const file = starts.findLast((start) => start.number <= number)?.file;
      return file === row.file ? `row ${number}` : `row ${number} (in ${file})`;
    };
    const { subject_request_type: type } = request;
    const people = identitiesOf(request).map(([name, value]) => [name, comparable(name, value)]);
    const content = JSON.stringify([type, people.sort()]);
    const sameId = hasId ? keys.add(request.subject_request_id, row.number) : undefined;
    if (sameId !== undefined) return issueOf(`has the same subject_request_id as ${nameOf(sameId)}`);
    const same = keys.add(content, row.number);
    if (same === undefined) return [];
    isRepeated = true;
    return issueOf(`duplicates ${nameOf(same)}: same type and same identities`);
  }

  function tally(ready: ReadyRow): void {
    const { done, hasId, isTrimmed, request, row } = ready;
    const kind = `${request.regulation} ${request.subject_request_type}`;
    found.kinds.set(kind, (found.kinds.get(kind) ?? 0) + 1);
    if (!hasId) found.withoutId++;
    if (done) found.done++;
    else addToSend(found, ready);
    for (const { what } of adviceOn(request)) {
      const rows = found.advice.get(what);
      if (rows) rows.push(row);
      else found.advice.set(what, [row]);
    }
    if (isTrimmed) found.trimmed.push(row);
    const days = done ? 0 : daysLateOf(request, options.now);
    if (days > 0) found.late.push(row);
    found.mostDaysLate = Math.max(found.mostDaysLate, days);
    if (reader.targets) return;
    for (const column of [
      ...ROW_FIELDS.filter((field) => field in request),
      ...(skipsWaiting(request) ? ['skip_waiting_period'] : []),
      ...identitiesOf(request).map(([type]) => type),
    ])
      found.used.add(column);
  }
}

function addToSend(found: RowsToSend, ready: ReadyRow): void {
  found.left++;
  if (skipsWaiting(ready.request)) found.skipWaiting++;
  else if (ready.request.subject_request_type === 'erasure') found.cancellable++;
  if (found.first.length < FIRST) found.first.push(ready);
}

/** Returns the rows that no earlier run has completed and for which `accepts` is true. */
export async function openRows(
  table: RowTable,
  options: RowOptions,
  states: RowStates | undefined,
  accepts: (row: ReadyRow) => boolean | Promise<boolean>,
): Promise<RowsToSend> {
  const reader = createRowReader(table, options);
  const found = nothingToSend();
  for await (const group of table.rows) {
    for (const row of group) {
      if (states?.isLeft(row.number) === false) continue;
      const result = reader.read(row);
      if ('issues' in result || result.ready.done) continue;
      const id = result.ready.hasId ? undefined : states?.id(row.number);
      const request = { ...result.ready.request, ...(id !== undefined && { subject_request_id: id }) };
      const ready = { ...result.ready, hasId: result.ready.hasId || id !== undefined, request };
      if (await accepts(ready)) addToSend(found, ready);
    }
  }
  return found;
}
