// Rows written out again with something added: the result file of a bulk run, and what `dsr prepare` makes.
import { randomUUID } from 'node:crypto';
import type { RowStates } from '../domain/dsr/row-states.ts';
import { IDENTITY_COLUMNS, ROW_FIELDS } from '../domain/dsr/rows.ts';
import { csvLine } from '../kernel/csv.ts';
import type { Row } from '../bulk/row.ts';
import type { RowTable } from '../bulk/rows.ts';
import type { PrivateLines } from '../files/private-lines.ts';
import { stringifyJson } from '../kernel/json.ts';
import { cellsOfRequest, createRowReader, type ReadyRow, type RowOptions } from './dsr-row-reader.ts';

/** What a row of a result file says besides what it came with. */
const ADDED = ['subject_request_id', 'status', 'error'] as const;

/**
 * Writes the input's columns with id, status and error: a CSV that can be fed back. Columns of that meaning are filled
 * in where they stand. Rows that had no columns get `used`, ours.
 */
export async function writeResults(
  table: RowTable,
  options: RowOptions,
  states: RowStates,
  used: ReadonlySet<string>,
  out: PrivateLines,
): Promise<void> {
  const values = (row: number) => ({
    subject_request_id: states.id(row) ?? '',
    status: states.state(row),
    error: disarmed(states.error(row)),
  });
  await writeTable(table, options, ADDED, values, used, out);
}

/** Writes the rows with an id each, and with the time where they have none: CSV as CSV, JSON as a line for each row. */
export async function writePrepared(table: RowTable, options: RowOptions, out: PrivateLines): Promise<void> {
  const { submitted_time } = options.defaults;
  if (table.heading.columns) {
    const values = (_row: number, ready: ReadyRow) => ({
      subject_request_id: ready.hasId ? ready.request.subject_request_id : randomUUID(),
      submitted_time: ready.request.submitted_time,
    });
    await writeTable(table, options, ['subject_request_id', 'submitted_time'], values, new Set(), out);
    return;
  }
  for await (const rows of table.rows) {
    for (const { content } of rows) {
      if (!('value' in content)) continue;
      const value = { submitted_time, ...(content.value as object), subject_request_id: idOf(content.value) };
      out.write(`${stringifyJson(value)}\n`);
    }
  }
}

function idOf(value: unknown): string {
  const given = (value as { subject_request_id?: unknown }).subject_request_id;
  return typeof given === 'string' && given.trim() !== '' ? given.trim().toLowerCase() : randomUUID();
}

async function writeTable<const Name extends string>(
  table: RowTable,
  options: RowOptions,
  added: readonly Name[],
  valuesOf: (row: number, ready: ReadyRow) => Record<Name, string>,
  used: ReadonlySet<string>,
  out: PrivateLines,
): Promise<void> {
  const { columns, delimiter, lineEnd, mark } = table.heading;
  const lineOf = (cells: readonly string[]): string => csvLine(cells, delimiter, lineEnd);
  const reader = createRowReader(table, options);
  const own = [...ROW_FIELDS, ...IDENTITY_COLUMNS].filter((name) => used.has(name));
  const names = columns?.map((cell) => cell.text) ?? own;
  const targets = reader.targets ?? own;
  const places = added.map((name) => [name, targets.indexOf(name)] as const);
  const behind = places.filter(([, place]) => place < 0).map(([name]) => name);
  out.write(mark + lineOf([...names, ...behind]));
  for await (const rows of table.rows) {
    for (const row of rows) {
      const read = reader.read(row);
      // Rows were checked before; what is wrong now was changed meanwhile and has no place here.
      if ('issues' in read) continue;
      const cells = cellsOf(row, read.ready, own);
      const values = valuesOf(row.number, read.ready);
      for (const [name, place] of places) if (place >= 0) cells[place] = values[name];
      out.write(lineOf([...cells, ...behind.map((name) => values[name])]));
    }
  }
}

function cellsOf({ content }: Row, { request }: ReadyRow, own: readonly string[]): string[] {
  return 'cells' in content ? [...content.cells] : cellsOfRequest(request, own);
}

/** The platform's sentence must be no formula in a spreadsheet. */
function disarmed(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
