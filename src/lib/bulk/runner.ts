// The loop of a bulk run: starts tasks as they are read, a limited number at once. A failure or a stop ends it after a grace period.
import { setMaxListeners } from 'node:events';
import { type Clock, waitAtMost } from '../kernel/clock.ts';
import type { Gate } from './gate.ts';

/** One row or batch, until its outcome is known. What it throws ends the run. */
export type Task = () => Promise<void>;

export interface RunOptions {
  clock: Clock;
  /** Stops the run. */
  signal: AbortSignal;
  gate: Gate;
  /** Most tasks under way. */
  atOnce: number;
  /** Aborted once the grace is over: what is still under way ends too. */
  hard: AbortController;
}

/** Tasks beyond `atOnce` while others rest: each of them holds its rows in memory. */
const MOST_RESTING = 128;

/** How long tasks under way may take to end after a stop or a failure. */
const GRACE_MS = 600;

/** For `RunOptions.hard`: any number of requests may listen to it. */
export function createHardStop(): AbortController {
  const hard = new AbortController();
  setMaxListeners(0, hard.signal);
  return hard;
}

/** Runs tasks in groups as they are read. Resolves with what ended the run early, or undefined once all are done. */
export async function runTasks(
  groups: AsyncIterable<readonly Task[]>,
  { atOnce, clock, gate, hard, signal }: RunOptions,
): Promise<{ error: unknown } | undefined> {
  const underWay = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  let wake: (() => void) | undefined;

  function fail(error: unknown): void {
    failure ??= { error };
    gate.stop(failure.error);
    wake?.();
  }
  const stop = (): void => fail(signal.reason);
  const isOver = (): boolean => failure !== undefined;
  const change = () => new Promise<void>((resolve) => (wake = resolve));

  function start(task: Task): void {
    const run: Promise<void> = task()
      .catch(fail)
      .finally(() => {
        underWay.delete(run);
        wake?.();
      });
    underWay.add(run);
  }

  async function startAll(): Promise<void> {
    for await (const tasks of groups) {
      for (const task of tasks) {
        while (!isOver() && underWay.size - Math.min(gate.resting, MOST_RESTING) >= atOnce) await change();
        if (isOver()) return;
        start(task);
      }
      if (isOver()) return;
    }
    while (!isOver() && underWay.size > 0) await change();
  }

  gate.onRest = () => wake?.();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  await startAll().catch(fail);
  signal.removeEventListener('abort', stop);
  if (failure === undefined) return undefined;
  const rest = Promise.all(underWay);
  await waitAtMost(rest, GRACE_MS, clock);
  hard.abort(failure.error);
  await rest;
  return failure;
}
