// Line and column of an offset in a text.

/** Both count from 1; columns in UTF-16 units, as editors count them. */
export interface Place {
  line: number;
  column: number;
}

/** Reads the whole text before the offset: use it for errors, not for every row. */
export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}
