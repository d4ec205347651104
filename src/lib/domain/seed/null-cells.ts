// Empties the cells of a record that hold a null word, in bytes or as values.
import type { NullWords } from '../null-words.ts';
import type { Cells } from '../csv/record.ts';
import type { Column } from './columns.ts';
import { POINT, standsAt } from './scan.ts';

/** Called once for each column in which an attribute looks like a null. */
export type OnNullWord = (column: number, word: string) => void;

export function createNullCells(
  columns: readonly (Column | undefined)[],
  nulls: NullWords,
  onNullWord: OnNullWord | undefined,
) {
  const { find } = createWordFinder(nulls.words);
  const reported = new Set<number>();

  /** Whether a word may stand in a column as a text. */
  function mayStand(column: number, word: string): boolean {
    const kind = columns[column]?.kind;
    if (kind !== 'attribute' && kind !== 'user') return kind === undefined;
    if (!reported.has(column)) {
      reported.add(column);
      onNullWord?.(column, word);
    }
    return true;
  }

  return {
    /** Empties cells in place. False where a word may not pass as it is: the exact reading then rejects the row. */
    clear: ({ bytes, starts, ends }: Cells): boolean => {
      let isClean = true;
      for (let column = 0; column < columns.length; column++) {
        const start = starts[column] as number;
        const end = ends[column] as number;
        if (nulls.floats && bytes[end - 2] === POINT && columns[column]?.kind === 'identity') isClean = false;
        const word = find(bytes, start, end);
        if (word === undefined) continue;
        if (nulls.isNull(word)) ends[column] = start;
        else if (!mayStand(column, word)) isClean = false;
      }
      return isClean;
    },
    /** The cells with null words emptied. */
    cleared: (cells: readonly unknown[]): unknown[] =>
      cells.map((cell, column) => {
        const text = Number.isNaN(cell) ? 'NaN' : cell;
        if (typeof text !== 'string') return text;
        if (nulls.isNull(text)) return '';
        if (nulls.isSuspect(text)) mayStand(column, text);
        return text;
      }),
  };
}

const LONGEST = 31;

/** Finds one of a few words in bytes; two look-ups tell that most bytes are none of them. */
export function createWordFinder(words: readonly string[]) {
  const known = words.map((text) => ({ text, bytes: Buffer.from(text) }));
  /** By first byte, a bit for each length; the last bit is for all that are longer. */
  const lengths = new Int32Array(256);
  for (const { bytes } of known) {
    const [first] = bytes;
    if (first !== undefined) lengths[first] = (lengths[first] as number) | bitOf(bytes.length);
  }
  return {
    find: (bytes: Uint8Array, start: number, end: number): string | undefined => {
      const length = end - start;
      if (length === 0 || ((lengths[bytes[start] as number] as number) & bitOf(length)) === 0) return undefined;
      for (const { text, bytes: wanted } of known) {
        if (wanted.length === length && standsAt(bytes, start, wanted)) return text;
      }
      return undefined;
    },
  };
}

function bitOf(length: number): number {
  return 1 << (length < LONGEST ? length : LONGEST);
}
