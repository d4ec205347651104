// One row of an input, and what comes before the rows.
import type { ValuePath } from '../files/reading.ts';
import type { Place } from '../kernel/text-place.ts';

/** One row. `locate` finds line and column of what is wrong in it. */
export interface Row {
  /** From 1 through all inputs; headings and empty lines do not count. */
  number: number;
  /** The input that it is from, as it is shown. */
  file: string;
  /** By column, for CSV; the value itself for JSON; or why there is nothing to be had. */
  content: { cells: readonly string[] } | { value: unknown } | { fault: string };
  locate(where: { column: number } | { path: ValuePath; at?: 'key' }): Place;
}

export interface Column extends Place {
  text: string;
}

/** What comes before the first row. */
export interface Heading {
  file: string;
  /** Column names of a CSV, as they stand; undefined for JSON. */
  columns: readonly Column[] | undefined;
  delimiter: string;
  /** What stands before the first byte: a byte-order mark, or nothing. */
  mark: string;
  lineEnd: string;
}

/** A row before it has its number. */
export type LocalRow = Omit<Row, 'number' | 'file'>;

export interface Opened {
  heading: Heading;
  rows: AsyncIterable<LocalRow[]>;
}
