// Shards: however a file is cut into chunks and parts, every line is in exactly one part.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inByteShard, inRecordShard, type Shard, shardRange } from '../../../../src/lib/domain/seed/shard.ts';

/** The shard's bytes, given in chunks of this size. */
function partOf(file: Buffer, shard: Shard, chunkSize: number): string {
  const part = inByteShard(shardRange(file.length, shard), undefined);
  const taken: Buffer[] = [];
  for (let at = part.from; at < file.length && !part.isOver; at += chunkSize) {
    const found = part.take(file.subarray(at, at + chunkSize));
    if (found) taken.push(found.bytes);
  }
  return Buffer.concat(taken).toString('latin1');
}

const anyLines = fc.array(fc.stringMatching(/^[a-z]{0,12}$/), { maxLength: 30 });
const anyCount = fc.integer({ min: 1, max: 9 });

test('the parts of a file together are the file, and each begins with a line', () => {
  fc.assert(
    fc.property(
      anyLines,
      fc.boolean(),
      anyCount,
      fc.integer({ min: 1, max: 40 }),
      (lines, closed, count, chunkSize) => {
        const file = Buffer.from(lines.join('\n') + (closed ? '\n' : ''), 'latin1');
        const parts = Array.from({ length: count }, (_, index) => partOf(file, { index, count }, chunkSize));
        expect(parts.join('')).toBe(file.toString('latin1'));
        for (const part of parts.slice(0, -1))
          if (part !== '' && parts.at(-1) !== '') expect(part.endsWith('\n')).toBe(true);
      },
    ),
  );
});

test('each record is in exactly one shard', () => {
  fc.assert(
    fc.property(fc.nat(1e9), anyCount, fc.integer({ min: 1, max: 2000 }), (record, count, together) => {
      const shards = Array.from({ length: count }, (_, index) => inRecordShard(record, { index, count }, together));
      expect(shards.filter(Boolean)).toHaveLength(1);
    }),
  );
});

test('the ranges of a file of any size meet', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: 1000 }), (size, count) => {
      const ranges = Array.from({ length: count }, (_, index) => shardRange(size, { index, count }));
      expect([ranges[0]?.start, ranges.at(-1)?.end]).toEqual([0, size]);
      for (const [index, { start }] of ranges.entries()) if (index > 0) expect(start).toBe(ranges[index - 1]?.end);
    }),
    { numRuns: 50 },
  );
});
