// Writes the rows of an input with additional columns: the results file of a bulk run, or the file of `dsr prepare`.
import { randomUUID } from 'node:crypto';
import type { RowStates } from '../domain/dsr/row-states.ts';
import { IDENTITY_COLUMNS, ROW_FIELDS } from '../domain/dsr/rows.ts';
import { csvLine } from '../kernel/csv.ts';
import type { RowTable } from '../bulk/rows.ts';
import { stringifyJson } from '../kernel/json.ts';
import { cellsOfRequest, createRowReader, readAgain, type ReadyRow, type RowOptions } from './dsr-row-reader.ts';

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
