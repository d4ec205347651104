// A word of a command line as one would type it to a POSIX shell.

/** Quoted where the shell would read it as anything but itself. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
