// Remembers the row of each key by a short hash, so that a million rows fit in memory.
import { hash } from 'node:crypto';

/** Returns a map that compares 64-bit hashes. Of tens of millions of files with a million rows, one has a collision. */
export function createRowKeys() {
  // Node limits a map to 16 million keys.
  const maps = Array.from({ length: 256 }, () => new Map<string, number>());

  function placeOf(key: string) {
    const digest = hash('sha1', key, 'buffer').toString('latin1', 0, 8);
    const rows = maps[digest.charCodeAt(0)] as Map<string, number>;
    return { digest, rows };
  }

  return {
    /** Returns the earlier row with this key. Otherwise, remembers the key and returns undefined. */
    add: (key: string, row: number): number | undefined => {
      const { digest, rows } = placeOf(key);
      const before = rows.get(digest);
      if (before === undefined) rows.set(digest, row);
      return before;
    },
    has: (key: string): boolean => {
      const { digest, rows } = placeOf(key);
      return rows.has(digest);
    },
  };
}
