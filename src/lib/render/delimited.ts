// Formats cells as text, and lists as tab-separated lines or CSV.
import { cleanLine } from './clean.ts';
import type { CellValue, Column } from './view.ts';
import { csvCell } from '../kernel/csv.ts';
import { usageError } from '../kernel/errors.ts';
import { suggest } from '../kernel/nearest.ts';
import { stringifyJson } from '../kernel/json.ts';

export function cellText(value: CellValue): string {
  return value === null || value === undefined ? '' : String(value);
}

/** Returns the cell for a value of any type: an object or a list becomes JSON. */
export function plainCell(value: unknown): CellValue {
  return typeof value === 'object' && value !== null ? stringifyJson(value) : (value as CellValue);
}

/** Returns a heading: the title or, by default, the key with spaces. It is in upper case unless the title is an id. */
export function columnTitle<Row>(column: Column<Row>): string {
  // A title may come from the platform, such as a role id.
  const title = cleanLine(column.title ?? column.key.replaceAll('_', ' '));
  return column.idTitle ? title : title.toUpperCase();
}

/** Returns the columns that `--fields` names by key or heading, in that order. Throws usage (2) for an unknown name. */
export function chooseColumns<C extends { key: string; title?: string }>(
  columns: readonly C[],
  fields?: string[],
): C[] {
  if (fields === undefined) return [...columns];
  const heading = (text: string): string => text.toLowerCase().replaceAll('_', ' ');
  const known = columns.map((column) => column.key);
  return fields.map((field) => {
    const named = columns.find(({ key, title = key }) => heading(title) === heading(field));
    const column = columns.find(({ key }) => key === field) ?? named;
    if (column) return column;
    const hint = suggest(field, known, `Known fields: ${known.join(', ')}.`);
    throw usageError(`Unknown field \`${field}\` in --fields.`, hint);
  });
}

/** Returns tab-separated lines below headings. Nothing is truncated, colored or aligned. */
export function toTabbed<Row>(rows: readonly Row[], columns: Column<Row>[], header: boolean): string {
  const lines = rows.map((row) => columns.map((column) => cleanLine(cellText(column.value(row)))).join('\t'));
  return toLines(lines, header && columns.map(columnTitle).join('\t'));
}

/** Returns CSV (RFC 4180, with LF) below the field names. A field name may be an id from the platform. */
export function toCsv<Row>(rows: readonly Row[], columns: Column<Row>[], header: boolean): string {
  const line = (cells: CellValue[]): string => cells.map((cell) => csvCell(disarm(cell))).join(',');
  const lines = rows.map((row) => line(columns.map((column) => column.value(row))));
  return toLines(lines, header && line(columns.map(({ key }) => key)));
}

function toLines(lines: readonly string[], header: string | false): string {
  return [...(header === false ? [] : [header]), ...lines].map((line) => `${line}\n`).join('');
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Adds an apostrophe to a cell that a spreadsheet would run as a formula. Remove the apostrophe to get the value. */
function disarm(value: CellValue): string {
  const text = cellText(value);
  return /^'*[=+\-@\t\r]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}
