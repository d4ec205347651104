// Where a secret is, as a profile writes it down: `env:NAME`, `command:LINE`, `keychain:ENTRY` or `file:`.

export type SecretReference =
  /** The environment variable `name`. */
  | { kind: 'env'; name: string }
  /** The first line that the command writes to its standard output. */
  | { kind: 'command'; line: string }
  /** The entry of the operating system's keychain, below the service `cdpadm`. */
  | { kind: 'keychain'; entry: string }
  /** The profile's own 0600 file in the configuration folder. */
  | { kind: 'file' };

/** Reads a reference; undefined for any other text. */
export function parseReference(text: string): SecretReference | undefined {
  if (text === 'file:') return { kind: 'file' };
  const match = /^(env|command|keychain):(.*\S.*)$/s.exec(text);
  const rest = match?.[2]?.trim();
  if (rest === undefined) return undefined;
  switch (match?.[1]) {
    case 'env':
      return isVariableName(rest) ? { kind: 'env', name: rest } : undefined;
    case 'command':
      return { kind: 'command', line: rest };
    default:
      return { kind: 'keychain', entry: rest };
  }
}

/** Whether the text begins like a reference, so that a broken one is never taken for the value itself. */
export function looksLikeReference(text: string): boolean {
  return /^(env|command|keychain|file):/.test(text);
}

/** Whether the text can be the name of an environment variable. */
function isVariableName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}
