// The numeric flags of `seed bulk`: defaults, precedence, and errors that name the flag or setting.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBulkFlags } from '../../../src/commands/seed/run.ts';
import { runs } from '../../helpers/size.ts';

const flags = { batchSize: 100, batchBytes: '256KB', concurrency: 64 };

test.each([
  ['has no rate limit by default', undefined, undefined, undefined],
  ['uses limits.seeding without --rate', undefined, '600/m', 10],
  ['prefers --rate to limits.seeding', '50', '600/m', 50],
])('%s', (_what, rate, limit, expected) => {
  expect(readBulkFlags({ ...flags, ...(rate !== undefined && { rate }) }, {}, limit).pace.rate).toBe(expected);
});

test("divides the profile's rate limit among the shards", () => {
  expect(readBulkFlags({ ...flags, shard: '2/4' }, {}, '40').pace.rate).toBe(10);
});

test('reports an invalid rate with the name of its flag or setting', () => {
  expect(() => readBulkFlags({ ...flags, rate: 'fast' }, {}, '40')).toThrow(/^--rate must be/);
  expect(() => readBulkFlags(flags, {}, 'fast')).toThrow(/^The profile's limits\.seeding must be/);
});

test.each([
  ['after ten minutes by default', undefined, 600_000],
  ['after the time in --give-up-after 90s', '90s', 90_000],
  ['immediately with --give-up-after 0', '0', 0],
])('gives up %s', (_when, giveUpAfter, expected) => {
  const read = readBulkFlags({ ...flags, ...(giveUpAfter !== undefined && { giveUpAfter }) }, {}, undefined);
  expect(read.pace.giveUpAfterMs).toBe(expected);
});

test.each(['10', 'soon', '-1s', ''])('rejects --give-up-after `%s`', (giveUpAfter) => {
  expect(() => readBulkFlags({ ...flags, giveUpAfter }, {}, undefined)).toThrow(/^--give-up-after must be/);
});

describe('--batch-bytes', () => {
  const read = (batchBytes: string): number => readBulkFlags({ ...flags, batchBytes }, {}, undefined).limits.bytes;

  test.each([
    ['1000', 1000],
    ['1KB', 1000],
    ['1kib', 1024],
    ['256KB', 256_000],
    ['256 KB', 256_000],
    ['4096B', 4096],
    ['64MB', 64_000_000],
    ['64MiB', 67_108_864],
    ['0001KB', 1000],
  ])('accepts %s as %i bytes', (text, bytes) => {
    expect(read(text)).toBe(bytes);
  });

  test.each([
    '',
    '0',
    '999',
    '999B',
    '0KB',
    '65MiB',
    '67108865',
    '1GB',
    '1.5MB',
    '-1KB',
    '+1KB',
    '1e6',
    'KB',
    '1 K B',
    '1KB ',
    ' 1KB',
    '1KBx',
    '1constructor',
    '1__proto__',
    '9999999999',
  ])('rejects %j with a message that contains the flag, the allowed sizes and the value', (text) => {
    expect(() => read(text)).toThrow(
      `--batch-bytes must be a size from 1KB to 64MiB, for example 256KB, not \`${text}\`.`,
    );
  });

  test('multiplies any number by its unit, and rejects sizes out of range', () => {
    const units: Record<string, number> = { '': 1, B: 1, KB: 1e3, MB: 1e6, KiB: 1024, MiB: 1024 ** 2 };
    const anyUnit = fc.constantFrom(...Object.keys(units));
    fc.assert(
      fc.property(
        fc.nat(200_000_000),
        anyUnit,
        fc.constantFrom('', ' '),
        fc.boolean(),
        (number, unit, space, isSmall) => {
          const text = `${number}${space}${isSmall ? unit.toLowerCase() : unit}`;
          const bytes = number * (units[unit] ?? 0);
          if (bytes < 1000 || bytes > 64 * 1024 ** 2) expect(() => read(text)).toThrow('--batch-bytes must be');
          else expect(read(text)).toBe(bytes);
        },
      ),
      runs(1000),
    );
  });

  test('rejects any other text as a usage error', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('1', '0', 'k', 'M', 'B', 'i', ' ', '.', '-', 'é', '٣') }),
        (text) => {
          try {
            expect(read(text)).toBeGreaterThanOrEqual(1000);
            expect(text).toMatch(/^[01]+ *[kMBi]*$/);
          } catch (error) {
            expect(error).toMatchObject({ code: 'usage' });
          }
        },
      ),
      runs(1000),
    );
  });
});
