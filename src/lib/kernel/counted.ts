// Numbers of things in a sentence.

/** `1 row`, `2 rows`; `noun` is one whose plural takes an `s`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
