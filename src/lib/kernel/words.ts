// Words of sentences and of command lines: plurals, lists, quoting.

/** `1 row`, `2 rows`; the plural takes an `s` unless it is given. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Length as the specification counts it: characters, not UTF-16 units. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}

/** Splits `code --wait "a b"` into its words: quotes group, nothing is expanded. Empty for a line without any. */
export function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/** Quoted where the shell would read it as anything but itself. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word);
}

/** In single quotes, within which POSIX shells take nothing for more than it is; a single quote itself stands outside. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
