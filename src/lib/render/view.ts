// How users see a command's result. JSON is always the data itself.
import type { Style } from './style.ts';

export type CellValue = string | number | bigint | boolean | null | undefined;

export interface Column<Row> {
  /** Field name, used by `--fields` and in CSV headers. */
  key: string;
  /** The heading. Default: the key in upper case, with spaces. */
  title?: string;
  /** True if the title is an id, which is shown unchanged. */
  idTitle?: boolean;
  value(row: Row): CellValue;
  /** Returns the text that a terminal shows; programs get `value`. */
  said?(row: Row): CellValue;
  /** Colors a cell by its state. The color must not add information. */
  paint?(text: string, row: Row, style: Style): string;
  /** True for an id, which is never truncated or dropped. */
  id?: boolean;
  /** True for a table's main content: it wraps instead of being truncated. If it does not fit, rows become cards. */
  uncut?: boolean;
  /** A table that is too wide drops empty columns, then others, highest rank first. 0 (default) is never dropped. */
  rank?: number;
  /** Omitted from cards and from tables that would be too wide, because a line below them shows the value. */
  whole?: boolean;
  align?: 'left' | 'right';
}

/** Returns columns that show these fields unchanged. */
export function fields<Key extends string>(...keys: Key[]): Column<Readonly<Partial<Record<Key, CellValue>>>>[] {
  return keys.map((key) => ({ key, value: (row) => row[key] }));
}

/** Like `fields`, but with a rank for each field. */
export function ranked<Key extends string>(ranks: Readonly<Record<Key, number>>) {
  return fields(...(Object.keys(ranks) as Key[])).map((column) => ({ ...column, rank: ranks[column.key as Key] }));
}

export interface ListView<Row> {
  kind: 'list';
  columns: Column<Row>[];
  /** Message for an empty list, shown on stderr. */
  empty: string;
  /** Returns the text for `-o name`. Default: the first id column. */
  name?(row: Row): string;
  html?(rows: Row[]): string;
}

export interface RecordView<T> {
  kind: 'record';
  columns: Column<T>[];
  name?(data: T): string;
}

/** A result with its own layout (a diff, a plan, a report). */
export interface DocumentView<T> {
  kind: 'document';
  /** True if the text has its own format, such as a script or a template: `--out` does not convert it. */
  verbatim?(data: T): boolean;
  text(data: T, style: Style, width: number): string;
  /** True if a pipe gets the rows of `list`. */
  isTable?: true;
  /** The Markdown. Default: the text without color in a code block. */
  markdown?(data: T): string;
  html?(data: T): string;
  /** Returns rows for CSV and `-o name`. By default, the data's fields are the columns. */
  list?(data: T): { columns: Column<never>[]; rows: unknown[] };
  /** Returns the ids, if neither the rows nor the first field contains them. */
  names?(data: T): readonly string[];
}

export type View<T> = ListView<Item<T>> | RecordView<T> | DocumentView<T>;

type Item<T> = T extends readonly (infer Row)[] ? Row : never;
