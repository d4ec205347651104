// Stops a plan at its guards, unless a flag or a typed answer allows it.
import type { Refusal } from '../domain/guards.ts';
import type { ErrorCode } from '../errors/registry.ts';
import { fail } from '../errors/fail.ts';

export interface GuardPrompt {
  readonly possible: boolean;
  typed(question: string, expected: string, options: { flag: string }): Promise<void>;
}

/** Throws guard (12). On a terminal, typing `what` allows deletions; every other guard needs its flag. */
export async function passGuards<Guard extends string, Area extends string>(
  area: `${Area}.guard.${Guard}` extends ErrorCode ? Area : never,
  refusals: readonly Refusal<Guard>[],
  { isDryRun, prompt, what }: { isDryRun: boolean; prompt: GuardPrompt; what: string },
): Promise<void> {
  const mayType = prompt.possible && !isDryRun;
  const open = refusals.filter(({ typed }) => typed === undefined || !mayType);
  const [first] = open;
  if (first) {
    const flags = open.flatMap(({ flag = [] }) => flag);
    throw fail(`${area}.guard.${first.guard}` as ErrorCode, {
      message: `Nothing was sent: ${open.map(({ message }) => message).join('; ')}.`,
      hint:
        flags.length > 0
          ? `If you intend this, pass ${flags.join(' ')}.`
          : 'To grant these permissions, omit --fail-on escalation.',
    });
  }
  for (const { message, typed } of refusals) {
    const question = `${message.charAt(0).toUpperCase()}${message.slice(1)}. Type ${what} to allow this:`;
    if (typed !== undefined) await prompt.typed(question, typed, { flag: '--allow-delete' });
  }
}
