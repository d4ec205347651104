// How much a test tries: a sample in `npm test`, all of it on demand, and little where the same test runs a thousand times.

/** Against mutants of the sources (`npm run test:mutation`). */
export const isMutation = process.env.MODE === 'mutation';

/** `vitest --mode whole`: everything, however long it takes. */
export const isWhole = process.env.MODE === 'whole';

/** How many of something: `whole` on demand, otherwise `sample`; `small` against mutants. */
export function size(whole: number, sample: number, small = sample): number {
  if (isWhole) return whole;
  return isMutation ? small : sample;
}

/** How often a property test draws values: a quarter of `usual`, and fifty times as often on demand. Each commit draws others. */
export function runs(usual: number): { numRuns: number } {
  const least = (part: number): number => Math.min(usual, Math.max(25, Math.ceil(usual / part)));
  return { numRuns: size(usual * 50, least(4), least(20)) };
}
