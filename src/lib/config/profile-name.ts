// The rules for profile names.

/** The embedded platform's profile, which is always available and never stored. */
export const LOCAL_PROFILE = 'local';

/** Returns the problem with a name, as a sentence; undefined for a valid name. */
export function profileNameProblem(name: string): string | undefined {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    const shown = name === '' ? 'An empty name' : `\`${name}\``;
    return `${shown} is not a valid profile name: use 1 to 64 letters, digits, dots, underscores and hyphens, starting with a letter or a digit.`;
  }
  if (name.toLowerCase() === LOCAL_PROFILE) return `\`${name}\` is reserved for the built-in embedded platform.`;
  // Every object inherits these names. They are harmless here, but might not be in other programs that read the file.
  if (name in Object.prototype) return `\`${name}\` is a reserved word.`;
  return undefined;
}
