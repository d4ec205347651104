// Remembers the row of each key in at most 48 bytes per row, so that a million rows fit in memory.
import { hash } from 'node:crypto';

const START = 1024;

/** Returns a map that compares 64-bit hashes. Of tens of millions of files with a million rows, one has a collision. */
export function createRowKeys() {
  // Three numbers per key: the two halves of the hash, and the row. Row 0 marks an empty slot.
  let table = new Uint32Array(START * 3);
  let size = 0;

  function place(high: number, low: number, into: Uint32Array): number {
    const places = into.length / 3;
    let at = high & (places - 1);
    while (into[at * 3 + 2] !== 0 && (into[at * 3] !== high || into[at * 3 + 1] !== low)) at = (at + 1) & (places - 1);
    return at * 3;
  }

  function grow(): void {
    const larger = new Uint32Array(table.length * 2);
    for (let at = 0; at < table.length; at += 3) {
      if (table[at + 2] === 0) continue;
      larger.set(table.subarray(at, at + 3), place(table[at] ?? 0, table[at + 1] ?? 0, larger));
    }
    table = larger;
  }

  function digestOf(key: string): [high: number, low: number] {
    const digest = hash('sha1', key, 'buffer');
    return [digest.readUInt32LE(0), digest.readUInt32LE(4)];
  }

  return {
    /** Returns the earlier row with this key. Otherwise, remembers the key and returns undefined. Rows are 1-based. */
    add: (key: string, row: number): number | undefined => {
      const [high, low] = digestOf(key);
      const at = place(high, low, table);
      const before = table[at + 2];
      if (before !== undefined && before !== 0) return before;
      table.set([high, low, row], at);
      if (++size * 2 > table.length / 3) grow();
      return undefined;
    },
    has: (key: string): boolean => table[place(...digestOf(key), table) + 2] !== 0,
  };
}
