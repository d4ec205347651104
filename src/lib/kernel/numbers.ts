// Formats numbers and sizes, and finds the largest or smallest. `Math.max(...list)` would overflow the stack at 100,000 items.

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
  const whole = Math.round(count);
  return whole < 1000 ? String(whole) : whole.toLocaleString('en');
}

/** Formats a size or a limit in binary units, such as `6 KiB` or `32 MiB` (decision: D438). */
export function sizeText(bytes: number): string {
  return bytes < 2 ** 20 ? `${Math.ceil(bytes / 2 ** 10)} KiB` : `${grouped(bytes / 2 ** 20)} MiB`;
}
