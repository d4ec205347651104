// Masks, which the platform returns instead of secrets, and how to recognize them.

/** The platform returns this mask for every secret, whatever its length (decision: D60). */
export { MASK } from '../kernel/redact.ts';

// Matches asterisks in any script, and the bullets that forms show. A copied mask may have quotes and spaces around it.
const NOTHING_BUT_MASK =
  /^[\s"'`]*[*\u2022\u2217\u204e\u25cf\ufe61\uff0a][\s"'`*\u2022\u2217\u204e\u25cf\ufe61\uff0a]*$/;

export function isMask(value: unknown): boolean {
  return typeof value === 'string' && NOTHING_BUT_MASK.test(value);
}
