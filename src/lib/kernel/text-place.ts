// Where in a text something stands, so that an issue can name its line.

/** Both count from 1; columns in UTF-16 units, as editors count them. */
export interface Place {
  line: number;
  column: number;
}

/** The place of an offset. Reads all that stands before it: for a failure, not for every row. */
export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}
