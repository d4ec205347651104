// The scale of the chart on the page of a pipeline's runs: round numbers, and their text.

/** Rounds up to a number whose half is short when written. */
export function ceiling(count: number): number {
  const power = 10 ** Math.floor(Math.log10(count));
  return ([1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8].find((step) => step * power >= count) ?? 10) * power;
}

/** Half of the scale; empty if that is half of a row. */
export function halfOf(top: number): string {
  return top % 2 === 0 ? short(top / 2) : '';
}

/** `500`, `2.5k`, `10M`. */
export function short(count: number): string {
  const [size, letter] = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
    [1, ''],
  ].find(([least]) => count >= Number(least)) ?? [1, ''];
  return `${count / Number(size)}${letter}`;
}
