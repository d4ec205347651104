// How people see the result of a command; JSON is always the data itself.
import type { Style } from './style.ts';

export type CellValue = string | number | bigint | boolean | null | undefined;

/** One column of a table or one line of a record. */
export interface Column<Row> {
  /** The field's own name: `--fields` and CSV headers use it. */
  key: string;
  /** The heading. Default: the key in upper case, with spaces. */
  title?: string;
  /** The title is an id, which is shown unchanged. */
  idTitle?: boolean;
  value(row: Row): CellValue;
  /** The text shown on a terminal instead of a value for programs. */
  said?(row: Row): CellValue;
  /** The color of a cell, by state. Color only repeats the words. */
  paint?(text: string, row: Row, style: Style): string;
  /** Ids are never truncated and never dropped. */
  id?: boolean;
  /** The main content of the table: it wraps instead of being truncated. If that is too narrow, rows become cards. */
  uncut?: boolean;
  /**
   * A table that is too wide drops the highest rank first: of the columns that are empty in every row, then of all columns.
   * Without a rank (default 0), a column is never dropped.
   */
  rank?: number;
  /** Omitted from a table that would be too wide, and from cards, because a line below them shows it too. */
  whole?: boolean;
  align?: 'left' | 'right';
}

/** Columns that show these fields as they are. */
export function fields<Key extends string>(...keys: Key[]): Column<Readonly<Partial<Record<Key, CellValue>>>>[] {
  return keys.map((key) => ({ key, value: (row) => row[key] }));
}

/** A list of items of one kind: table, csv, markdown, name, ndjson. */
export interface ListView<Row> {
  kind: 'list';
  columns: Column<Row>[];
  /** The sentence for an empty list, on stderr. */
  empty: string;
  /** For `-o name`. Default: the first id column. */
  name?(row: Row): string;
  html?(rows: Row[]): string;
}

/** One item with fields, drawn as `key  value` lines. */
export interface RecordView<T> {
  kind: 'record';
  columns: Column<T>[];
  name?(data: T): string;
}

/** A result with its own shape (a diff, a plan, a report). */
export interface DocumentView<T> {
  kind: 'document';
  /** The text has a format of its own, like a script or a template: the `--out` extension does not convert it. */
  verbatim?(data: T): boolean;
  text(data: T, style: Style, width: number): string;
  /** The text in a pipe: tab-separated rows, as for every piped table. */
  piped?(data: T): string;
  /** Default: the text without color in a code block. */
  markdown?(data: T): string;
  html?(data: T): string;
  /** Rows for csv and name. Default: the fields of the data are the columns. */
  list?(data: T): { columns: Column<never>[]; rows: unknown[] };
  /** The ids, if neither the rows nor the first field contain them. */
  names?(data: T): readonly string[];
}

export type View<T> = ListView<Item<T>> | RecordView<T> | DocumentView<T>;

type Item<T> = T extends readonly (infer Row)[] ? Row : never;
