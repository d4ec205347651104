// The words of a command line that no shell reads.

/** Splits `code --wait "a b"` into its words: quotes group, nothing is expanded. Empty for a line without any. */
export function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}
