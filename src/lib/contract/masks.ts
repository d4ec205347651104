// Masks: the platform's replacement for a secret, and how to recognize a mask.

/** The platform returns this for every secret, of any length (decision: D60). */
export const MASK = '********';

// Asterisks of all scripts and the bullets of forms; copied text may add quotes and spaces.
const NOTHING_BUT_MASK =
  /^[\s"'`]*[*\u2022\u2217\u204e\u25cf\ufe61\uff0a][\s"'`*\u2022\u2217\u204e\u25cf\ufe61\uff0a]*$/;

/** True for a mask, which is not a secret. */
export function isMask(value: unknown): boolean {
  return typeof value === 'string' && NOTHING_BUT_MASK.test(value);
}
