// A word of a command line as one would type it to a POSIX shell.

/** Quoted where the shell would read it as anything but itself. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word);
}

/** In single quotes, within which POSIX shells take nothing for more than it is; a single quote itself stands outside. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
