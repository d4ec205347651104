// Remembers the row of each key in at most 48 bytes per row, so that a million rows fit in memory.
import { hash } from 'node:crypto';

const START = 1024;

/** Returns a map that compares 64-bit hashes. Of tens of millions of files with a million rows, one has a collision. */
export function createRowKeys() {
  let hashes = new BigUint64Array(START);
  /** The row of each hash; 0 marks an empty slot. */
  let rows = new Uint32Array(START);
  let size = 0;

  function place(key: bigint): number {
    const mask = rows.length - 1;
    let at = Number(key & BigInt(mask));
    while (rows[at] !== 0 && hashes[at] !== key) at = (at + 1) & mask;
    return at;
  }

  function put(key: bigint, row: number): void {
    const at = place(key);
    [hashes[at], rows[at]] = [key, row];
  }

  function grow(): void {
    const [oldHashes, oldRows] = [hashes, rows];
    [hashes, rows] = [new BigUint64Array(oldRows.length * 2), new Uint32Array(oldRows.length * 2)];
    for (const [at, row] of oldRows.entries()) if (row !== 0) put(oldHashes[at] ?? 0n, row);
  }

  const hashOf = (key: string): bigint => hash('sha1', key, 'buffer').readBigUInt64LE(0);

  return {
    /** Returns the earlier row with this key. Otherwise, remembers the key and returns undefined. Rows are 1-based. */
    add: (key: string, row: number): number | undefined => {
      const own = hashOf(key);
      const before = rows[place(own)];
      if (before !== undefined && before !== 0) return before;
      put(own, row);
      if (++size * 2 > rows.length) grow();
      return undefined;
    },
    has: (key: string): boolean => rows[place(hashOf(key))] !== 0,
  };
}
