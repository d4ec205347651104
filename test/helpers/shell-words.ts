// A command line of the help or of a page, as a shell would part it.

/** The words, without the quotes around them; nothing within them is replaced. */
export function shellWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}
