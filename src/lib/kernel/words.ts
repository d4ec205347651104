// Plurals, and splitting and quoting of command lines.

/** `1 row`, `2 rows`; the default plural adds an `s`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Length as the specification counts it: characters, not UTF-16 units. */
export function characterCount(text: string): number {
  return Array.from(text).length;
}

/** Splits `code --wait "a b"` into words: quotes group, nothing is expanded. */
export function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/** Quotes a word when the shell would change it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word);
}

/** A command line that a POSIX shell reads as these words. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** Single quotes: POSIX shells change nothing inside them. A single quote itself is escaped outside. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
