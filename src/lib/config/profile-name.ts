// Which names a profile may have.

/** The embedded platform: always there, never stored. */
export const LOCAL_PROFILE = 'local';

/** What is wrong with a profile's name, as a sentence; undefined when it is right. */
export function profileNameProblem(name: string): string | undefined {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    const shown = name === '' ? 'An empty text' : `\`${name}\``;
    return `${shown} cannot name a profile: that takes 1 to 64 letters, digits, dots, underscores and hyphens, and begins with a letter or a digit.`;
  }
  if (name.toLowerCase() === LOCAL_PROFILE) return `\`${name}\` is reserved for the built-in embedded platform.`;
  // Names that every object has: harmless here, but not in everything that may read the file one day.
  if (name in Object.prototype) return `\`${name}\` is a reserved word.`;
  return undefined;
}
