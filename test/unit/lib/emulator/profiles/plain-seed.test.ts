// The quick look at seeds agrees with the contract's schema: over right rows, and over tens of thousands of damaged ones.
import { expect, test } from 'vitest';
import { SingleSeed } from '../../../../../src/lib/contract/seeding.ts';
import { isPlainBulk, isPlainSeed } from '../../../../../src/lib/emulator/profiles/plain-seed.ts';
import { JsonError, parseJson } from '../../../../../src/lib/kernel/json.ts';
import { randomFrom } from '../../../../helpers/random.ts';
import { damage, makeRow } from '../../domain/seed/rows.ts';

const SEED = 20_261_121;

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

function verdicts(texts: Iterable<string>): Record<'plain' | 'exact' | 'refused', number> {
  const count = { plain: 0, exact: 0, refused: 0 };
  for (const text of texts) {
    const value = parse(text);
    const schema = SingleSeed.safeParse(value);
    if (isPlainSeed(value)) {
      if (!schema.success) throw new Error(`taken, but refused by the schema: ${text}`);
      expect(schema.data, text).toEqual(value);
      count.plain++;
    } else count[schema.success ? 'exact' : 'refused']++;
  }
  return count;
}

test('knows ordinary rows', () => {
  const random = randomFrom(SEED);
  const { plain, exact, refused } = verdicts(Array.from({ length: 3000 }, () => makeRow(random)));
  expect(refused).toBe(0);
  // What is left to the schema is ids beyond 2^53.
  expect(plain).toBeGreaterThan(exact);
});

test('takes nothing that the schema would refuse or change', () => {
  const random = randomFrom(SEED + 1);
  const { plain, refused } = verdicts(Array.from({ length: 40_000 }, () => damage(makeRow(random), random)));
  expect(plain).toBeGreaterThan(1000);
  expect(refused).toBeGreaterThan(20_000);
}, 120_000);

test('leaves an empty bulk, and one with any other row, to the schema', () => {
  const random = randomFrom(SEED);
  const rows = Array.from({ length: 50 }, () => parseJson(makeRow(random))).filter(isPlainSeed);
  expect(isPlainBulk(rows)).toBe(true);
  expect(isPlainBulk([...rows, {}])).toBe(false);
  expect(isPlainBulk([])).toBe(false);
  expect(isPlainBulk(rows[0])).toBe(false);
});
