// Divides an input between several machines: every row is in exactly one shard.
import { LINE_FEED } from './scan.ts';

/** `index` from 0. */
export interface Shard {
  index: number;
  count: number;
}

/** Records of one shard in a row. */
const RECORDS_TOGETHER = 1000;

/** Whether a record of this number, from 0, is the shard's. */
export function inRecordShard(record: number, shard: Shard | undefined, together = RECORDS_TOGETHER): boolean {
  return shard === undefined || Math.floor(record / together) % shard.count === shard.index;
}

/** The bytes in which the shard's lines begin. */
export function shardRange(size: number, shard: Shard | undefined): { start: number; end: number } {
  if (shard === undefined) return { start: 0, end: size };
  const edge = (index: number): number => Number((BigInt(size) * BigInt(index)) / BigInt(shard.count));
  return { start: edge(shard.index), end: edge(shard.index + 1) };
}

export interface ByteShard {
  /** Offset at which reading begins. */
  from: number;
  /** The shard's bytes of the next chunk; undefined if it has none. */
  take(chunk: Buffer): { bytes: Buffer; offset: number } | undefined;
  /** Whether nothing more is in the shard. */
  readonly isOver: boolean;
}

/** The complete lines that begin in the range. `resumed` is the beginning of a line from which an earlier run continues. */
export function inByteShard({ start, end }: { start: number; end: number }, resumed: number | undefined): ByteShard {
  // The byte before the range shows whether a line begins there.
  const from = resumed ?? Math.max(0, start - 1);
  let at = from;
  let begun = resumed !== undefined || start === 0;
  let over = begun && from >= end;
  return {
    from,
    take: (chunk) => {
      if (over) return undefined;
      let first = 0;
      if (!begun) {
        const feed = chunk.indexOf(LINE_FEED);
        first = feed < 0 ? chunk.length : feed + 1;
        begun = feed >= 0;
      }
      const offset = at + first;
      let last = chunk.length;
      if (at + chunk.length >= end) {
        // The line that holds the range's last byte is its last.
        const feed = chunk.indexOf(LINE_FEED, Math.max(0, end - 1 - at));
        if (feed >= 0) {
          last = feed + 1;
          over = true;
        }
      }
      at += chunk.length;
      return first >= last ? undefined : { bytes: chunk.subarray(first, last), offset };
    },
    get isOver() {
      return over;
    },
  };
}
