// The interface that both kinds of prompts implement: redrawing and line by line.
import type { KnownError } from '../../kernel/errors.ts';
import type { Choice, PromptOptions } from '../context.ts';
import { interrupted } from '../interrupt.ts';
import { fail } from '../../errors/fail.ts';

/** Draws one question and waits for its answer. */
export interface Asker {
  input(question: string, options: PromptOptions): Promise<string>;
  secret(question: string, options: PromptOptions): Promise<string>;
  select(question: string, choices: Choice[], options: PromptOptions): Promise<string>;
}

/** The answer that goes back to the previous question, and how a prompt explains it. */
export const BACK = '<';
export const TO_GO_BACK = `type ${BACK} to go back`;

/** Returns the error for a declined question (exit code 12). */
export function refused(message: string): KnownError {
  return fail('guard.refused', { message });
}

/** Returns the error for Ctrl-C at a question (130), or for Ctrl-D, which ends the input and counts as a no. */
export function promptEnded(by: 'ctrl-c' | 'ctrl-d'): KnownError {
  return by === 'ctrl-c' ? interrupted() : refused('Cancelled: the question was not answered.');
}
