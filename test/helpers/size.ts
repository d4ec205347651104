// Amount of work per test: a sample in `npm test`, everything on demand, and little in tests that run against mutants.
import { pick, randomFrom } from './random.ts';
import { SEED } from './seed.ts';

/** True when tests run against mutants of the sources (`npm run test:mutation`). */
export const isMutation = process.env.MODE === 'mutation';

/** True with `vitest --mode whole`, which runs every case. */
export const isWhole = process.env.MODE === 'whole';

/** Returns a number of items: `whole` on demand, `small` against mutants, otherwise `sample`. */
export function size(whole: number, sample: number, small = sample): number {
  if (isWhole) return whole;
  return isMutation ? small : sample;
}

/**
 * Returns the number of runs for a property test: a tenth of `usual`, but at least 25, or fifty times `usual` on
 * demand. Each commit draws different values.
 */
export function runs(usual: number): { numRuns: number } {
  const least = (part: number): number => Math.min(usual, Math.max(25, Math.ceil(usual / part)));
  return { numRuns: size(usual * 50, least(10), least(20)) };
}

/** Returns a sample of the rows in their order, selected by the run's seed, or all rows on demand. */
export function sample<Row>(rows: readonly Row[], count: number): readonly Row[] {
  if (isWhole || rows.length <= count) return rows;
  const random = randomFrom(SEED ^ rows.length);
  const drawn = new Set<Row>();
  while (drawn.size < count) drawn.add(pick(rows, random));
  return rows.filter((row) => drawn.has(row));
}
