// How much a test tries: a sample in `npm test`, all of it on demand, and little where the same test runs a thousand times.
import { pick, randomFrom } from './random.ts';
import { SEED } from './seed.ts';

/** Against mutants of the sources (`npm run test:mutation`). */
export const isMutation = process.env.MODE === 'mutation';

/** `vitest --mode whole`: everything, however long it takes. */
export const isWhole = process.env.MODE === 'whole';

/** How many of something: `whole` on demand, otherwise `sample`; `small` against mutants. */
export function size(whole: number, sample: number, small = sample): number {
  if (isWhole) return whole;
  return isMutation ? small : sample;
}

/** How often a property test draws values: a tenth of `usual`, and fifty times as often on demand. Each commit draws others. */
export function runs(usual: number): { numRuns: number } {
  const least = (part: number): number => Math.min(usual, Math.max(25, Math.ceil(usual / part)));
  return { numRuns: size(usual * 50, least(10), least(20)) };
}

/** Some of the rows of a table, in their order, drawn by the seed of the run; on demand all of them. */
export function sample<Row>(rows: readonly Row[], count: number): readonly Row[] {
  if (isWhole || rows.length <= count) return rows;
  const random = randomFrom(SEED ^ rows.length);
  const drawn = new Set<Row>();
  while (drawn.size < count) drawn.add(pick(rows, random));
  return rows.filter((row) => drawn.has(row));
}
