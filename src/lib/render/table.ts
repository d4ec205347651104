// Draws a list for a terminal: as a table if it fits the width, otherwise as one card per row.
import { cellText, columnTitle } from './delimited.ts';
import { cleanLine } from './clean.ts';
import type { Style } from './style.ts';
import type { Column } from './view.ts';
import { displayWidth, fitText, packLines, padText, wrapText } from './width.ts';
import { largest } from '../kernel/words.ts';

export interface TableOptions {
  width: number;
  style: Style;
  header: boolean;
}

const GAP = 2;
/** Cells are truncated to the first width before columns are dropped, and to the second before rows become cards. */
const COMFORTABLE = 20;
const NARROWEST = 8;

interface Sized<Row> {
  column: Column<Row>;
  width: number;
  /** Minimum width: headings, and the words of an `uncut` column, are never truncated. */
  least: number;
  isEmpty: boolean;
}

/** Drops empty columns, truncates cells, drops columns by rank, or draws cards. Lists the dropped columns below. */
export async function drawTable<Row>(rows: readonly Row[], columns: Column<Row>[], options: TableOptions) {
  const sized = columns.map((column) => {
    const parts = options.header ? headingParts(column) : [];
    const cells = rows.map((row) => cleanCell(column, row));
    const words = column.uncut ? cells.flatMap((cell) => cell.split(' ')) : [];
    const width = largest(cells.map(displayWidth), displayWidth(parts.join('')));
    const least = largest([...parts, ...words].map(displayWidth), column.uncut ? COMFORTABLE : 0);
    return { column, width, least, isEmpty: cells.every((cell) => cell === '') };
  });
  const fitted = fitColumns(sized, options.width);
  const text = fitted ? await drawGrid(rows, fitted, options) : drawCards(rows, columns, options);
  const shown = fitted?.map(({ column }) => column) ?? columns.filter(({ whole }) => whole !== true);
  const hidden = sized.filter(({ column, isEmpty }) => !isEmpty && !shown.includes(column));
  if (hidden.length === 0) return text;
  const names = hidden.map(({ column }) => columnTitle(column).toLowerCase()).join(', ');
  const note = wrapText(`Not shown: ${names} (-o wide shows all columns)`, options.width);
  return [text, ...note.map((line) => options.style.dim(line))].join('\n');
}

/** Draws a record as lines of the form `KEY value`. Values that exceed `terminal` columns wrap, except ids. */
export function drawRecord<T>(
  data: T,
  columns: Column<T>[],
  style: Style,
  terminal = Infinity,
  keys = keyWidth(columns),
): string {
  const indent = ' '.repeat(keys + GAP);
  return columns
    .map((column) => {
      const title = style.bold(padText(columnTitle(column), keys));
      const text = withBreaks(cleanCell(column, data));
      const lines = column.id ? [text] : wrapText(text, Math.max(COMFORTABLE, terminal - keys - GAP));
      const value = lines.map((line) => paintCell(column, data, line, style)).join(`\n${indent}`);
      return `${title}${' '.repeat(GAP)}${value}`.trimEnd();
    })
    .join('\n');
}

function drawCards<Row>(rows: readonly Row[], columns: Column<Row>[], { style, width }: TableOptions): string {
  const keys = keyWidth(columns);
  const named = columns.filter(({ whole }) => whole !== true);
  return rows.map((row) => drawRecord(row, filledColumns(row, named), style, width, keys)).join('\n\n');
}

/** Returns a record's non-empty columns, and its id columns even if they are empty. */
export function filledColumns<T>(data: T, columns: readonly Column<T>[]): Column<T>[] {
  return columns.filter((column) => column.id === true || cleanCell(column, data) !== '');
}

function keyWidth<Row>(columns: Column<Row>[]): number {
  return largest(columns.map((column) => displayWidth(columnTitle(column))));
}

const BORDERS =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle';
const NO_BORDERS = Object.fromEntries(BORDERS.split(' ').map((name) => [name, '']));

/** The library takes quadratic time, and its call stack overflows at about 100,000 rows. */
const ROWS_AT_ONCE = 250;

async function drawGrid<Row>(rows: readonly Row[], sized: Sized<Row>[], options: TableOptions): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const lines: string[] = [];
  for (let at = 0; at === 0 || at < rows.length; at += ROWS_AT_ONCE) {
    const table = new Table({
      chars: NO_BORDERS,
      // By default, the library colors borders, even in files.
      style: { border: [], 'padding-left': 0, 'padding-right': GAP },
      colAligns: sized.map(({ column }) => column.align ?? 'left'),
      colWidths: sized.map(({ width }) => width + GAP),
    });
    if (options.header && at === 0) table.push(sized.map((one) => drawHeading(one, options)));
    for (const row of rows.slice(at, at + ROWS_AT_ONCE)) table.push(sized.map((one) => drawCell(row, one, options)));
    for (const line of table.toString().split('\n')) lines.push(line.trimEnd());
  }
  return lines.join('\n');
}

/** Returns the parts between which a heading may wrap: the words of an id. Other headings do not wrap. */
function headingParts<Row>(column: Column<Row>): string[] {
  return columnTitle(column).split(column.idTitle ? /(?<=[-_:])/ : /^/);
}

function drawHeading<Row>({ column, width }: Sized<Row>, { style }: TableOptions) {
  const lines = packLines(headingParts(column), width, {});
  return { content: lines.map((line) => style.bold(line)).join('\n'), vAlign: 'bottom' as const };
}

function drawCell<Row>(row: Row, { column, width }: Sized<Row>, { style }: TableOptions): string {
  const text = cleanCell(column, row);
  const lines = column.uncut ? wrapText(text, width) : [fitCell(text, width)];
  return lines.map((line) => paintCell(column, row, line, style)).join('\n');
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/;

/** Truncates a cell. Truncates a timestamp to the minute or the day, without an ellipsis. */
function fitCell(text: string, width: number): string {
  if (text.length <= width || !INSTANT.test(text)) return fitText(text, width);
  if (width >= 17) return `${text.slice(0, 16)}Z`;
  return width >= 10 ? text.slice(0, 10) : fitText(text, width);
}

/** Adds a space after each field of JSON, so that the line can wrap there. */
function withBreaks(text: string): string {
  return /^[{[]/.test(text) ? text.replaceAll(/(?<=["\d}\]el]),(?=["{])/g, ', ') : text;
}

/** Drops empty columns that have a rank first, then other columns by rank, until the table fits. */
function fitColumns<Row>(sized: Sized<Row>[], width: number): Sized<Row>[] | undefined {
  let kept = sized;
  for (let last; totalOf(kept) > width && (last = nextToDrop(kept.filter(({ isEmpty }) => isEmpty)));)
    kept = kept.filter((entry) => entry !== last);
  if (totalOf(kept) > width) kept = kept.filter(({ column }) => column.whole !== true);
  for (;;) {
    const cut = cutColumns(kept, width, COMFORTABLE);
    if (cut) return cut;
    const last = nextToDrop(kept);
    if (last === undefined) return cutColumns(kept, width, NARROWEST);
    kept = kept.filter((entry) => entry !== last);
  }
}

/** Returns the last column with the highest rank; undefined if no column may be dropped. */
function nextToDrop<Row>(sized: readonly Sized<Row>[]): Sized<Row> | undefined {
  const rankOf = ({ column }: Sized<Row>): number => (column.id ? 0 : (column.rank ?? 0));
  const rank = largest(sized.map(rankOf));
  return rank === 0 ? undefined : sized.findLast((entry) => rankOf(entry) === rank);
}

function totalOf<Row>(sized: readonly Sized<Row>[]): number {
  return sized.reduce((sum, { width }) => sum + width, GAP * (sized.length - 1));
}

/** Narrows the widest columns until the table fits, but none below `least`. Returns undefined if that is not enough. */
function cutColumns<Row>(sized: Sized<Row>[], width: number, least: number): Sized<Row>[] | undefined {
  const result = sized.map((entry) => ({ ...entry }));
  let excess = totalOf(result) - width;
  while (excess > 0) {
    const candidates = result.filter((entry) => !entry.column.id && entry.width > Math.max(entry.least, least));
    const widest = largest(candidates.map((entry) => entry.width));
    const [target, ...equal] = candidates.filter((entry) => entry.width === widest);
    if (!target) return undefined;
    const others = candidates.map((entry) => entry.width).filter((own) => own < widest);
    const step = Math.min(
      Math.ceil(excess / (equal.length + 1)),
      widest - largest(others, Math.max(target.least, least)),
    );
    target.width -= step;
    excess -= step;
  }
  return result;
}

function cleanCell<Row>(column: Column<Row>, row: Row): string {
  return cleanLine(cellText(column.said ? column.said(row) : column.value(row)));
}

function paintCell<Row>(column: Column<Row>, row: Row, text: string, style: Style): string {
  return column.paint && text !== '' ? column.paint(text, row, style) : text;
}
