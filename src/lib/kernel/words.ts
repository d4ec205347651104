// Formats numbers, plurals, lists and sentences, and splits and quotes command lines.

/** Formats a count and its noun, such as `1 row` or `2,000 rows`. The default plural adds an `s`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : plural}`;
}

/** Formats a list such as `a, b and 3 more`, with the first `most` items. */
export function listed(items: readonly (string | number)[], most: number): string {
  const hidden = items.length - most;
  return items.slice(0, most).join(', ') + (hidden > 0 ? ` and ${hidden} more` : '');
}

/** `a, b or c`. */
export function series(items: readonly string[], word: 'and' | 'or'): string {
  return [items.slice(0, -1).join(', '), ...items.slice(-1)].filter(Boolean).join(` ${word} `);
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Capitalizes the text, and adds a final period unless it ends in `.`, `!` or `?`. */
export const asSentence = (text: string): string => capitalized(text) + (text === '' || /[.!?]$/.test(text) ? '' : '.');

/** True for a UUID of any version, in uppercase or lowercase. */
export function isUuid(text: unknown): boolean {
  return typeof text === 'string' && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}

/** Returns the length as the specification counts it: in characters, not in UTF-16 units. */
export const characterCount = (text: string): number => Array.from(text).length;

/** Returns the text that names a column after the word "column" in a message. */
export const columnName = (name: string): string => (name.trim() === '' ? 'without a name' : `\`${name}\``);

export function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

export const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word));

export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(' ');

/** Puts text in single quotes, in which POSIX shells do not change anything. Writes a single quote as `'\''`. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

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
