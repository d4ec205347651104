// What draws one question: the same for a terminal that is redrawn and for one that is read line by line.
import type { KnownError } from '../../kernel/errors.ts';
import type { PromptOptions } from '../context.ts';
import { interrupted } from '../interrupt.ts';
import { fail } from '../../errors/fail.ts';

/** Draws one question and waits for its answer. Both kinds of terminal have one. */
export interface Asker {
  input(question: string, options: PromptOptions): Promise<string>;
  secret(question: string, options: PromptOptions): Promise<string>;
  select(
    question: string,
    choices: { value: string; label?: string; hint?: string }[],
    options: PromptOptions,
  ): Promise<string>;
  yesNo(question: string, fallback: boolean): Promise<boolean>;
}

/** Nothing was done, because the person at the terminal did not want it: exit 12. */
export function refused(message: string): KnownError {
  return fail('guard.refused', { message });
}

/** Ctrl-C at a question: exit 130. Ctrl-D, which ends the input: as answered no. */
export function promptEnded(by: 'ctrl-c' | 'ctrl-d'): KnownError {
  return by === 'ctrl-c' ? interrupted() : refused('Nothing was done: the question was left without an answer.');
}
