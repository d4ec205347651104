// Splits a command line of the help or of a page as a shell would.

/** The words without their quotes; nothing in them is expanded. */
export function shellWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}
