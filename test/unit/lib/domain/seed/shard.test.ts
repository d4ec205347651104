// Every record and every byte of a file is in exactly one shard.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inRecordShard, shardRange } from '../../../../../src/lib/domain/seed/shard.ts';
import { runs } from '../../../../helpers/size.ts';

const anyCount = fc.integer({ min: 1, max: 9 });

test('assigns each record to exactly one shard', () => {
  fc.assert(
    fc.property(fc.nat(1e9), anyCount, fc.integer({ min: 1, max: 2000 }), (record, count, together) => {
      const shards = Array.from({ length: count }, (_, index) => inRecordShard(record, { index, count }, together));
      expect(shards.filter(Boolean)).toHaveLength(1);
    }),
  );
});

test('divides a file of any size into adjacent ranges', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: 1000 }), (size, count) => {
      const ranges = Array.from({ length: count }, (_, index) => shardRange(size, { index, count }));
      expect([ranges[0]?.start, ranges.at(-1)?.end]).toEqual([0, size]);
      for (const [index, { start }] of ranges.entries()) if (index > 0) expect(start).toBe(ranges[index - 1]?.end);
    }),
    runs(50),
  );
});

test('returns a single range if there are no shards', () => {
  expect(inRecordShard(123_456, undefined)).toBe(true);
  expect(shardRange(77, undefined)).toEqual({ start: 0, end: 77 });
});

test('keeps each thousand consecutive records in the same shard', () => {
  const shard = { index: 1, count: 2 };
  const found = [0, 999, 1000, 1999, 2000, 3000].map((record) => inRecordShard(record, shard));
  expect(found).toEqual([false, false, true, true, false, true]);
});
