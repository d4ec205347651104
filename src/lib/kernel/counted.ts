// Numbers of things in a sentence.

/** `1 row`, `2 rows`; the plural takes an `s` unless it is given. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
