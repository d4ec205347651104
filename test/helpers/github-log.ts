// Reads the workflow commands of GitHub Actions from the output of a step.

/**
 * The commands that GitHub would run, in order: after whitespace or, in the older form, anywhere; none inside a fence.
 */
export function commandsIn(text: string): string[] {
  let token: string | undefined;
  return text.split(/\r\n|\r|\n/).filter((line) => {
    const command = line.trim();
    if (token !== undefined) {
      if (command === `::${token}::`) token = undefined;
      return false;
    }
    token = /^::stop-commands::(.+)$/.exec(command)?.[1];
    return token === undefined && (command.startsWith('::') || line.includes('##['));
  });
}

/** The text between the lines of a fence, or the whole text without one. */
export function withoutFence(text: string): string {
  return /^::stop-commands::(.+)\n([^]*)::\1::\n$/.exec(text)?.[2] ?? text;
}
