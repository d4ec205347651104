// Reads the GitHub Actions workflow commands in a step's output.

/**
 * Returns the lines with commands that GitHub would run. Only whitespace may precede a command on its line; the older
 * form (`##[`) may be anywhere in a line. Lines inside a fence are omitted.
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

/** Returns the text inside a fence, or the whole text if there is none. */
export function withoutFence(text: string): string {
  return /^::stop-commands::(.+)\n([^]*)::\1::\n$/.exec(text)?.[2] ?? text;
}
