// Stops a plan at its guards. On a terminal, some guards accept typed text instead of their flags.
import type { Refusal } from '../domain/field-changes.ts';
import type { KnownError } from '../kernel/errors.ts';
import { asSentence } from '../kernel/words.ts';

export interface GuardPrompt {
  readonly possible: boolean;
  typed(question: string, expected: string, options: { flag: string }): Promise<void>;
}

interface Options<Guard extends string> {
  dryRun: boolean;
  deletions: number;
  prompt: GuardPrompt;
  /** Shows what a user needs to know before typing. */
  warn?(): void;
  stop(refusals: readonly Refusal<Guard>[]): KnownError;
}

export async function passGuards<Guard extends string>(
  refusals: readonly Refusal<Guard>[],
  { dryRun, deletions, prompt, warn, stop }: Options<Guard>,
): Promise<void> {
  const final = refusals.filter(({ typed }) => typed === undefined || dryRun || !prompt.possible);
  if (final.length > 0) throw stop(final);
  warn?.();
  const what = deletions === 1 ? 'its id to allow it' : 'the number of deletions to allow them';
  for (const { flag = '', message, typed = '' } of refusals)
    await prompt.typed(`${asSentence(message)} Type ${what}:`, typed, { flag });
}
