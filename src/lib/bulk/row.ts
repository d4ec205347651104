// A row of an input, and the heading before the rows.
import type { ValuePath } from '../files/reading.ts';
import type { Place } from '../kernel/errors.ts';

/** One row. `locate` finds the line and column of an issue. */
export interface Row {
  /** Row number across all inputs, starting at 1; headings and empty lines are not counted. */
  number: number;
  file: string;
  /** Cells of a CSV row, the value of a JSON row, or the reason why the row cannot be read. */
  content: { cells: readonly string[] } | { value: unknown } | { fault: string };
  locate(where: { column: number } | { path: ValuePath; at?: 'key' }): Place;
}

/** The part of an input before its first row. */
export interface Heading {
  file: string;
  /** Column names of a CSV file; undefined for JSON. */
  columns: readonly (Place & { text: string })[] | undefined;
  delimiter: string;
  /** Byte order mark, or an empty string. */
  mark: string;
  lineEnd: string;
}

export type LocalRow = Omit<Row, 'number' | 'file'>;

export interface Opened {
  heading: Heading;
  rows: AsyncIterable<LocalRow[]>;
}
