// Masks: what the platform shows in a secret's place, and how a text that is nothing but a mask is told.

/** The platform answers this for every secret, however long the secret is (decision: D60). */
export const MASK = '********';

// Asterisks of all alphabets and the bullets that forms show; quotes and spaces around them come from copying.
const NOTHING_BUT_MASK =
  /^[\s"'`]*[*\u2022\u2217\u204e\u25cf\ufe61\uff0a][\s"'`*\u2022\u2217\u204e\u25cf\ufe61\uff0a]*$/;

/** Whether a value is a mask and no secret. */
export function isMask(value: unknown): boolean {
  return typeof value === 'string' && NOTHING_BUT_MASK.test(value);
}
