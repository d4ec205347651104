// Every line of a file is in exactly one shard, for any chunks and shards.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inByteShard, inRecordShard, type Shard, shardRange } from '../../../../../src/lib/domain/seed/shard.ts';
import { runs } from '../../../../helpers/size.ts';

/** The shard's bytes, read in chunks of `chunkSize`. */
function partOf(file: Buffer, shard: Shard, chunkSize: number): string {
  const part = inByteShard(shardRange(file.length, shard), undefined);
  const kept: Buffer[] = [];
  for (let at = part.from; at < file.length && !part.isOver; at += chunkSize) {
    const found = part.take(file.subarray(at, at + chunkSize));
    if (found) kept.push(found.bytes);
  }
  return Buffer.concat(kept).toString('latin1');
}

const anyLines = fc.array(fc.stringMatching(/^[a-z]{0,12}$/), { maxLength: 30 });
const anyCount = fc.integer({ min: 1, max: 9 });

test('the shards of a file add up to the file, and each starts with a line', () => {
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

test('the ranges of a file of any size are adjacent', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: 1000 }), (size, count) => {
      const ranges = Array.from({ length: count }, (_, index) => shardRange(size, { index, count }));
      expect([ranges[0]?.start, ranges.at(-1)?.end]).toEqual([0, size]);
      for (const [index, { start }] of ranges.entries()) if (index > 0) expect(start).toBe(ranges[index - 1]?.end);
    }),
    runs(50),
  );
});

test('without shards everything is in a single range', () => {
  expect(inRecordShard(123_456, undefined)).toBe(true);
  expect(shardRange(77, undefined)).toEqual({ start: 0, end: 77 });
});

test('a thousand consecutive records stay together', () => {
  const shard = { index: 1, count: 2 };
  const found = [0, 999, 1000, 1999, 2000, 3000].map((record) => inRecordShard(record, shard));
  expect(found).toEqual([false, false, true, true, false, true]);
});

test('a resumed shard starts after the completed rows and has offsets in the whole file', () => {
  const file = Buffer.from('aa\nbb\ncc\ndd\n');
  const fresh = inByteShard({ start: 4, end: 8 }, undefined);
  // The line with the first byte belongs to the previous shard, the line with the last byte to this one.
  expect(fresh.from).toBe(3);
  const kept = fresh.take(file.subarray(3));
  expect([kept?.bytes.toString(), kept?.offset, fresh.isOver]).toEqual(['cc\n', 6, true]);
  expect(fresh.take(file)).toBeUndefined();

  const resumed = inByteShard({ start: 0, end: 9 }, 6);
  expect(resumed.from).toBe(6);
  const rest = resumed.take(file.subarray(6));
  expect([rest?.bytes.toString(), rest?.offset, resumed.isOver]).toEqual(['cc\n', 6, true]);

  const later = inByteShard({ start: 4, end: 9 }, 6);
  expect([later.from, later.take(file.subarray(6))?.bytes.toString()]).toEqual([6, 'cc\n']);

  const done = inByteShard({ start: 0, end: 9 }, 9);
  expect([done.isOver, done.take(file)]).toEqual([true, undefined]);
  // A shard in which no line starts.
  const inner = inByteShard({ start: 4, end: 5 }, undefined);
  expect([inner.isOver, inner.take(file.subarray(3)), inner.isOver]).toEqual([false, undefined, true]);
});
