// Reproducible random numbers from a seed.

/** Returns a generator of numbers from 0 to 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Picks a random item; throws if the list is empty. */
export function pick<T>(from: readonly T[], random: () => number): T {
  if (from.length === 0) throw new Error('nothing to pick from');
  return from[Math.floor(random() * from.length)] as T;
}
