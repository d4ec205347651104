// What is no UTF-8 text, and how that is told: one way for all inputs.
import { type KnownError, invalidInput } from '../kernel/errors.ts';
import type { Place } from '../kernel/text-place.ts';

export const IS_UTF16 = 'the file is UTF-16; save it as UTF-8';

/** Whether the bytes begin with a byte-order mark of UTF-16. */
export function isUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

/** The error (9) for a file that is no text, with the place. */
export function notText(file: string, place: Place, message: string): KnownError {
  return invalidInput(`${file} cannot be read as text.`, [{ file, ...place, path: '', message }]);
}
