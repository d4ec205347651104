// How much a test tries: as much as it takes, or little, where the same test runs a thousand times over.

/** Against mutants of the sources (`npm run test:mutation`). */
export const isMutation = process.env.MODE === 'mutation';

/** `vitest --mode whole`: everything, however long it takes. */
export const isWhole = process.env.MODE === 'whole';

/** `usual`, fifty times that in the whole, and `small` against mutants: by default a twentieth, and no less than 25. */
export function size(usual: number, small = Math.max(25, Math.ceil(usual / 20))): number {
  if (isWhole) return usual * 50;
  return isMutation ? Math.min(usual, small) : usual;
}
