// Clears the cells of a record that consist of a null word, as bytes or as values, and finds identities to check exactly.
import { FLOAT, type NullWords } from '../null-words.ts';
import type { Cells } from '../csv/record.ts';
import type { Column } from './columns.ts';
import { POINT, matchesAt } from './scan.ts';

const SPACE = 0x20;
const PLUS = 0x2b;
const NINE = 0x39;
const DELETE = 0x7f;
/** First byte of the control characters U+0080 to U+009F in UTF-8. */
const C1_LEAD = 0xc2;

/** Called once for each attribute column with a null word, and for each identity column with a number like `123.0`. */
export type OnNullWord = (column: number, word: string) => void;

export function createNullCells(
  columns: readonly (Column | undefined)[],
  nulls: NullWords,
  onNullWord: OnNullWord | undefined,
) {
  const find = createWordFinder(nulls.words);
  const reported = new Set<number>();

  /** True if the word is allowed as text in this column. */
  function mayStand(column: number, word: string): boolean {
    const kind = columns[column]?.kind;
    if (kind !== 'attribute' && kind !== 'user') return kind === undefined;
    report(column, word);
    return true;
  }

  function report(column: number, word: string): void {
    if (reported.has(column)) return;
    reported.add(column);
    onNullWord?.(column, word);
  }

  return {
    /** Clears cells in place. Returns false if a cell may be invalid, so that the row goes to the exact check. */
    clear: ({ bytes, starts, ends }: Cells): boolean => {
      let isClean = true;
      for (let column = 0; column < columns.length; column++) {
        const start = starts[column] as number;
        const end = ends[column] as number;
        if (columns[column]?.kind === 'identity' && !isUsualIdentity(bytes, start, end)) isClean = false;
        const word = find(bytes, start, end);
        if (word === undefined) continue;
        if (nulls.isNull(word)) ends[column] = start;
        else if (!mayStand(column, word)) isClean = false;
      }
      return isClean;
    },
    cleared: (cells: readonly unknown[]): unknown[] =>
      cells.map((cell, column) => {
        const text = Number.isNaN(cell) ? 'NaN' : cell;
        if (typeof text !== 'string') return text;
        if (nulls.isNull(text)) return '';
        if (nulls.isSuspect(text)) mayStand(column, text);
        else if (!nulls.floats && columns[column]?.kind === 'identity' && FLOAT.test(text)) report(column, '123.0');
        return text;
      }),
  };
}

/** False for text with outer spaces or possible control characters, and for numbers with a fraction or an exponent. */
function isUsualIdentity(bytes: Uint8Array, start: number, end: number): boolean {
  const isNumber = (bytes[start] as number) <= NINE;
  for (let at = start; at < end; at++) {
    const code = bytes[at] as number;
    if (code === SPACE ? at === start || at === end - 1 : code < SPACE || code === DELETE || code === C1_LEAD)
      return false;
    if (isNumber && (code === POINT || (code === PLUS && at > start))) return false;
  }
  return start === end || ((bytes[start] as number) < DELETE && (bytes[end - 1] as number) < DELETE);
}

/** Returns a function that finds the word that equals a range of bytes, if any. */
export function createWordFinder(words: readonly string[]) {
  const known = words.map((text) => ({ text, bytes: Buffer.from(text) }));
  return (bytes: Uint8Array, start: number, end: number): string | undefined => {
    if (start === end) return undefined;
    for (const { text, bytes: wanted } of known) {
      if (wanted.length === end - start && matchesAt(bytes, start, wanted)) return text;
    }
    return undefined;
  };
}
