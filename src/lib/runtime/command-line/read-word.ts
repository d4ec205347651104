// Reads flag values: a word from a fixed list, a whole number, or an output path.
import { usageError } from '../../kernel/errors.ts';
import { choiceHint } from '../../kernel/nearest.ts';

interface Spec {
  choices?: readonly string[];
  most?: number;
  read?: (text: string, flag: string) => unknown;
  value?: string;
  writes?: true;
}

/** Returns a function that checks and converts a flag's value; undefined if any text is valid. */
export function readerOf(flag: string, spec: Spec): ((text: string) => unknown) | undefined {
  const { choices, most, read, value, writes } = spec;
  if (writes) return (text) => checkPath(needValue(text, flag), flag, value === 'dir' ? 'folder' : 'file');
  if (choices) return (text) => readWord(flag, text, choices);
  if (most !== undefined) return (text) => readCount(flag, text, most);
  return value === 'id' ? (text) => needValue(text, flag) : read && ((text) => read(text, flag));
}

/** Throws KnownError usage (2) for an empty value, which usually comes from a shell variable that is not set. */
export function needValue(text: string, flag: string): string {
  if (text.trim() === '') throw usageError(`${flag} needs a value.`);
  return text;
}

/** Returns the word that equals `text`, ignoring case. If there is none, throws KnownError usage (2) with a hint. */
export function readWord(flag: string, text: string, words: readonly string[]): string {
  const word = words.find((known) => known.toLowerCase() === text.toLowerCase());
  if (word === undefined) throw usageError(`Invalid value \`${text}\` for ${flag}.`, choiceHint(text, words));
  return word;
}

function readCount(flag: string, text: string, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= most) return number;
  throw usageError(`${flag} must be a whole number from 1 to ${most}, not \`${text}\`.`);
}

/** Checks an output path (file or folder). Throws KnownError usage (2) for standard output. */
export function checkPath(text: string, flag: string, what = 'file'): string {
  if (text === '-') throw usageError(`${flag} needs a ${what}, not standard output.`, 'Pass a path instead of `-`.');
  return text;
}
