// Cells as text, and lists for other programs: tab-separated lines for pipes, CSV for spreadsheets.
import { cleanLine } from './clean.ts';
import type { CellValue, Column } from './view.ts';
import { csvCell } from '../kernel/csv.ts';
import { usageError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';

/** A cell as text: nothing for what is absent. */
export function cellText(value: CellValue): string {
  return value === null || value === undefined ? '' : String(value);
}

/** `display_name` -> `DISPLAY NAME`, unless the column has a title of its own. */
export function columnTitle<Row>(column: Column<Row>): string {
  // A title may come from the platform: a role's id above its column.
  const title = cleanLine(column.title ?? column.key.replaceAll('_', ' '));
  return column.idTitle ? title : title.toUpperCase();
}

/** The columns that `--fields` names, in its order. Throws KnownError usage (2) for a name that no column has. */
export function chooseColumns<C extends { key: string }>(columns: readonly C[], fields: string[] | undefined): C[] {
  if (fields === undefined) return [...columns];
  const known = columns.map((column) => column.key);
  return fields.map((field) => {
    const column = columns.find(({ key }) => key === field);
    if (column) return column;
    const guess = nearest(field, known);
    throw usageError(
      `--fields names \`${field}\`, which this result does not have.`,
      `${guess === undefined ? '' : `Did you mean \`${guess}\`? `}There are ${known.join(', ')}.`,
    );
  });
}

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
