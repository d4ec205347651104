// Reads a word from a fixed list.
import { usageError } from '../../kernel/errors.ts';
import { choiceHint } from '../../kernel/nearest.ts';

/** The word that matches `text` in any letter case. Throws KnownError usage (2) with the nearest word. */
export function readWord(flag: string, text: string, words: readonly string[]): string {
  const word = words.find((known) => known.toLowerCase() === text.toLowerCase());
  if (word === undefined) throw usageError(`Invalid value \`${text}\` for ${flag}.`, choiceHint(text, words));
  return word;
}
