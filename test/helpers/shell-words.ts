// Splits a command line from the help or from a page as a shell would.

/** Returns the words without their quotes; nothing in them is expanded. */
export function shellWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}
