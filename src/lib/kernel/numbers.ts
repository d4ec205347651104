// Adds thousands separators, and finds extremes of lists. A call with `...list` overflows the stack at about 100,000
// items.

export function largest(numbers: Iterable<number>, least = 0): number {
  let most = least;
  for (const one of numbers) if (one > most) most = one;
  return most;
}

export function smallest(numbers: Iterable<number>): number {
  let least = Infinity;
  for (const one of numbers) if (one < least) least = one;
  return least;
}

/** `12,345`. */
export function grouped(count: number): string {
  return Math.round(count).toLocaleString('en');
}
