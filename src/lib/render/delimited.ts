// Lists for other programs: tab-separated lines for pipes, CSV for spreadsheets.
import { csvCell } from '../kernel/csv.ts';
import { cellText, columnTitle } from './cells.ts';
import { cleanLine } from './clean.ts';
import type { CellValue, Column } from './view.ts';

/** Lines of tab-separated cells under headings: nothing is cut, coloured or aligned. */
export function toTabbed<Row>(rows: readonly Row[], columns: Column<Row>[], header: boolean): string {
  const lines = rows.map((row) => columns.map((column) => cleanLine(cellText(column.value(row)))));
  const all = header ? [columns.map(columnTitle), ...lines] : lines;
  return all.map((cells) => `${cells.join('\t')}\n`).join('');
}

/** CSV (RFC 4180, lines end in LF) under the fields' own names, some of which are ids from outside. */
export function toCsv<Row>(rows: readonly Row[], columns: Column<Row>[], header: boolean): string {
  const lines = rows.map((row) => columns.map((column) => csvCell(disarm(column.value(row)))));
  const all = header ? [columns.map((column) => csvCell(disarm(column.key))), ...lines] : lines;
  return all.map((cells) => `${cells.join(',')}\n`).join('');
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * A cell that a spreadsheet would run as a formula gets a leading apostrophe, which spreadsheets hide; numbers stay as
 * they are. One that has the apostrophe already gets another, so that taking one away always gives the value back.
 */
function disarm(value: CellValue): string {
  const text = cellText(value);
  return /^'*[=+\-@\t\r]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}
