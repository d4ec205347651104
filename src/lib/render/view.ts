// How a command says what its result looks like to people; JSON is always the data itself.
import type { Style } from './style.ts';

export type CellValue = string | number | bigint | boolean | null | undefined;

/** One column of a table or one line of a record. */
export interface Column<Row> {
  /** The field's own name: `--fields` and CSV headers use it. */
  key: string;
  /** The heading; default is the key in upper case with spaces. */
  title?: string;
  /** The title is an id: it is shown as it is. */
  idTitle?: boolean;
  value(row: Row): CellValue;
  /** What a terminal shows in its place, where the value itself is for programs. */
  said?(row: Row): CellValue;
  /** Colour for a cell, by state. Words carry the meaning; colour only repeats it. */
  paint?(text: string, row: Row, style: Style): string;
  /** Ids are never cut and never dropped. */
  id?: boolean;
  /** What the table is there to say: it goes on below instead of being cut; where that is too narrow, rows become cards. */
  uncut?: boolean;
  /**
   * When the width is short the highest number is dropped first, of those that are empty in every row and then of all; what
   * has none (default 0) is never dropped.
   */
  rank?: number;
  /** Whole or not at all: left out of a table that would be too wide, and of cards, because it is told below them too. */
  whole?: boolean;
  align?: 'left' | 'right';
}

/** A list of equal things: table, csv, markdown, name, ndjson. */
export interface ListView<Row> {
  kind: 'list';
  columns: Column<Row>[];
  /** The sentence for an empty list, on stderr. */
  empty: string;
  /** `-o name`: default is the first id column. */
  name?(row: Row): string;
  html?(rows: Row[]): string;
}

/** One thing with fields, drawn as `key  value` lines. */
export interface RecordView<T> {
  kind: 'record';
  columns: Column<T>[];
  name?(data: T): string;
}

/** A result with a shape of its own (a diff, a plan, a report). */
export interface DocumentView<T> {
  kind: 'document';
  /** The text has a format of its own, as a script or a template has: the extension of `--out` does not convert it. */
  verbatim?(data: T): boolean;
  text(data: T, style: Style, width: number): string;
  /** In place of the text where no terminal reads it: rows with tabs between their cells, as every piped table. */
  piped?(data: T): string;
  /** Default: the text without colour in a code block. */
  markdown?(data: T): string;
  html?(data: T): string;
  /** Rows for csv and name; without, the data's own fields are the columns. */
  list?(data: T): { columns: Column<never>[]; rows: unknown[] };
  /** The ids, where neither the rows nor the first field hold them. */
  names?(data: T): readonly string[];
}

export type View<T> = ListView<Item<T>> | RecordView<T> | DocumentView<T>;

type Item<T> = T extends readonly (infer Row)[] ? Row : never;
