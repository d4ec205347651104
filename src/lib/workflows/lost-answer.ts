// A deed whose answer was lost: the platform is looked at, and where that tells nothing it is said that nobody knows.
import { CliError } from '../kernel/errors.ts';
import type { Tell } from './ports.ts';

/** How it is found out what became of a deed. */
export interface Look<Now> {
  /** What the platform holds now. */
  read(): Promise<Now>;
  /** What is read, as it stands in a sentence; the platform, unless given. */
  readonly place?: string;
  /** That nobody knows, and how to find out. `reason` is a clause without its full stop. */
  unknown(reason: string): { message: string; hint: string };
}

interface Deed<Result, Now> extends Look<Now> {
  /** How often it may be sent in all: one whose answer is lost time and again is not tried for ever, another never twice. */
  readonly mostSends: number;
  /** `count` is 1 for the first time. */
  send(count: number): Promise<Result>;
  /** What the platform holds says: it was done; it was not, and may go again; or it is an error to end with. */
  judge(now: Now, lost: CliError): { done: Result } | 'not done' | CliError;
  /** What is told before the look, when it was done and before it goes again. */
  readonly told: { lost?: string; arrived?: (done: Result) => string; again?: string };
}

export interface LookPorts {
  tell: Tell;
  signal: AbortSignal;
}

/**
 * Carries the deed out. A lost answer is settled by reading. Throws the loss (8) when that tells nothing, and with the
 * exit code of the stop when it was stopped: nothing more is read then, and the person is told how to find out.
 */
export async function settle<Result, Now>(deed: Deed<Result, Now>, { signal, tell }: LookPorts): Promise<Result> {
  const { again, arrived, lost } = deed.told;
  for (let count = 1; ; count++) {
    try {
      return await deed.send(count);
    } catch (error) {
      if (!isLoss(error)) throw error;
      const now = await lookAfter(error, deed, signal, () => lost !== undefined && tell.warn(lost));
      const verdict = deed.judge(now, error);
      if (verdict instanceof CliError) throw verdict;
      if (verdict !== 'not done') {
        if (arrived !== undefined) tell.note(arrived(verdict.done));
        return verdict.done;
      }
      if (count >= deed.mostSends) throw error;
      if (again !== undefined) tell.note(again);
    }
  }
}

/** Whether it is open if the deed that ended so was done. */
export function isLoss(error: unknown): error is CliError {
  return error instanceof CliError && error.code === 'http.outcome_unknown';
}

/** Reads after `failed`, which left something open. Throws it, saying that nobody knows, when nothing can be read. */
export async function lookAfter<Now>(
  failed: CliError,
  { place = 'the platform', read, unknown }: Look<Now>,
  signal: AbortSignal,
  onLook: () => unknown = () => undefined,
): Promise<Now> {
  const throwIfStopped = (): void => {
    if (!signal.aborted) return;
    const reason = signal.reason as unknown;
    const exit = reason instanceof CliError ? reason.exit : failed.exit;
    throw failed.with({ ...unknown('the command was stopped'), exit });
  };
  throwIfStopped();
  onLook();
  try {
    return await read();
  } catch (error) {
    throwIfStopped();
    throw failed.with(unknown(`${place} cannot be read: ${(error as Error).message.replace(/\.$/, '')}`));
  }
}
