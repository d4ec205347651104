// Recognizes a first line that is a data row, so that personal data in it is never shown as a column name.

export const NOT_A_HEADER =
  'the first line seems to be a data row, not column names; for a file without a header, pass --headerless --columns A,B';

const PERSON = /[^\s@]@[^\s@.]+\.[^\s@]|^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$|^[0-9a-f]{32,}$/i;
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?$/;

/** True if an unknown column name looks like data. A number may be a year, so it counts only if no column is known. */
export function isRow(unknown: readonly string[], hasKnown: boolean): boolean {
  return unknown.some((text) => PERSON.test(text.trim()) || (!hasKnown && NUMBER.test(text.trim())));
}
