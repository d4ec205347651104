// Thousands separators, and the extremes of lists. A call with `...list` overflows the stack above about 100,000 items.

/** The largest number, or `least` if that is larger. */
export function largest(numbers: Iterable<number>, least = 0): number {
  let most = least;
  for (const one of numbers) if (one > most) most = one;
  return most;
}

/** The smallest number; Infinity for an empty list. */
export function smallest(numbers: Iterable<number>): number {
  let least = Infinity;
  for (const one of numbers) if (one < least) least = one;
  return least;
}

/** `12,345`. */
export function grouped(count: number): string {
  return Math.round(count).toLocaleString('en');
}
