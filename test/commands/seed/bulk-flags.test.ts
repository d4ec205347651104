// The numbers of `seed bulk`: what stands when a flag is absent, and who is named when one is wrong.
import { expect, test } from 'vitest';
import { readBulkFlags } from '../../../src/commands/seed/bulk-flags.ts';

const flags = { batchSize: '100', batchBytes: '256KB', concurrency: '64' };

test.each([
  [undefined, undefined, undefined],
  [undefined, '600/m', 10],
  ['50', '600/m', 50],
])('--rate %s with limits.seeding %s is %s requests a second', (rate, limit, expected) => {
  expect(readBulkFlags({ ...flags, ...(rate !== undefined && { rate }) }, undefined, limit).rate).toBe(expected);
});

test("the profile's limit is divided among the shards, as the flag is", () => {
  expect(readBulkFlags({ ...flags, shard: '2/4' }, undefined, '40').rate).toBe(10);
});

test('a wrong rate is told with where it stands', () => {
  expect(() => readBulkFlags({ ...flags, rate: 'fast' }, undefined, '40')).toThrow(/^--rate must be/);
  expect(() => readBulkFlags(flags, undefined, 'fast')).toThrow(/^limits\.seeding of the profile must be/);
});
