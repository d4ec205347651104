// Runs the tasks of a bulk run as rows are read, with limited concurrency. A failure or a stop ends the run.
import { setMaxListeners } from 'node:events';
import { fail } from '../errors/fail.ts';
import { abortable, type Clock, steadyClock, waitAtMost } from '../kernel/clock.ts';
import { counted, grouped } from '../kernel/words.ts';
import { type Gate, MAX_PAUSED } from './gate.ts';

/** Processes one row or batch until its outcome is known. An error that it throws ends the run. */
export type Task = () => Promise<void>;

export interface RunOptions {
  clock: Clock;
  signal: AbortSignal;
  gate: Gate;
  /** Maximum number of unfinished tasks. Up to `MAX_PAUSED` paused tasks are not counted. */
  atOnce: number;
}

/** Shorter than the interval at which a terminal draws the progress, so no drawing is delayed. */
const REPORT_INTERVAL_MS = 50;

/** Limits how often progress is reported, because describing it takes longer than a row. */
export function createReporter(clock: Clock, report: () => void) {
  const { now } = steadyClock(clock);
  let reportedAt = Number.NEGATIVE_INFINITY;
  let isLate = false;
  return {
    /** Reports progress, unless the last report was just now. */
    update: (): void => {
      isLate = now() - reportedAt < REPORT_INTERVAL_MS;
      if (isLate) return;
      reportedAt = now();
      report();
    },
    /** Reports progress that was not reported yet. */
    end: (): void => {
      if (isLate) report();
    },
  };
}

/** Time that unfinished tasks have to finish after a stop signal. */
const GRACE_MS = 600;

/**
 * Runs the tasks that `start` yields. After a failure, waits for unfinished tasks. After a stop signal, waits for
 * at most the grace period, then aborts `hardSignal`. Resolves to the reason why the run ended early, or to undefined.
 */
export async function runTasks(
  { atOnce, clock, gate, signal }: RunOptions,
  start: (hardSignal: AbortSignal) => AsyncIterable<readonly Task[]>,
): Promise<{ error: unknown } | undefined> {
  const hard = new AbortController();
  setMaxListeners(0, hard.signal);
  const unfinished = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  let wake: (() => void) | undefined;

  function end(error: unknown): void {
    failure ??= { error };
    gate.stop(failure.error);
    wake?.();
  }
  const stop = (): void => end(signal.reason);
  const isOver = (): boolean => failure !== undefined;
  const change = () => new Promise<void>((resolve) => (wake = resolve));

  function run(task: Task): void {
    const running: Promise<void> = task()
      .catch(end)
      .finally(() => {
        unfinished.delete(running);
        wake?.();
      });
    unfinished.add(running);
  }

  async function runAll(): Promise<void> {
    for await (const tasks of start(hard.signal)) {
      for (const task of tasks) {
        while (!isOver() && unfinished.size - Math.min(gate.paused, MAX_PAUSED) >= atOnce) await change();
        if (isOver()) return;
        run(task);
      }
      if (isOver()) return;
    }
    while (!isOver() && unfinished.size > 0) await change();
  }

  gate.onPause = () => wake?.();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  await runAll().catch(end);
  signal.removeEventListener('abort', stop);
  if (failure === undefined) return undefined;
  const rest = Promise.all(unfinished);
  // Wait for the outcomes; otherwise, only the next run can determine them. Each request has its own timeout.
  await abortable(rest, signal).catch(() => waitAtMost(rest, GRACE_MS, clock));
  hard.abort(failure.error);
  await rest;
  return failure;
}

export type MaxErrors = { rows: number } | { percent: number };

const MIN_ROWS_FOR_PERCENT = 1000;

export function checkErrorLimit(limit: MaxErrors | undefined, rejected: number, rows: number): void {
  if (limit === undefined) return;
  const isOver =
    'rows' in limit ? rejected > limit.rows : rows >= MIN_ROWS_FOR_PERCENT && rejected > (rows * limit.percent) / 100;
  if (!isOver) return;
  throw fail('bulk.too_many_errors', {
    message: `Stopped: ${grouped(rejected)} of ${counted(rows, 'row was', 'rows were')} rejected, more than --max-errors allows.`,
  });
}
