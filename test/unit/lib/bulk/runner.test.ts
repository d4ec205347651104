// Tests how a bulk run ends: unfinished requests get time to finish, and no request continues after the run.
import { describe, expect, it } from 'vitest';
import { Gate } from '../../../../src/lib/bulk/gate.ts';
import { checkErrorLimit, runTasks, type Task } from '../../../../src/lib/bulk/runner.ts';
import type { Clock } from '../../../../src/lib/kernel/clock.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import { thrownBy } from '../../../helpers/failure.ts';

const STOPPED = new Error('stopped');

function run(tasks: (hard: AbortSignal) => Task[], stop = new AbortController(), clock: Clock = createTestClock()) {
  const { signal } = stop;
  const quiet = { onDecision: () => undefined, onWait: () => undefined };
  const pace = { concurrency: 4, rate: undefined, giveUpAfterMs: 60_000, random: () => 0.5 };
  const gate = new Gate({ ...quiet, ...pace, clock, signal });

  return runTasks({ clock, gate, signal, atOnce: 4 }, async function* (hard) {
    yield tasks(hard);
  });
}

/** A request that finishes only when its signal is aborted. */
const hanging = (hard: AbortSignal) => new Promise<void>((resolve) => hard.addEventListener('abort', () => resolve()));

describe('a bulk run', () => {
  it('aborts unfinished requests 600 ms after the run is stopped', async () => {
    const stop = new AbortController();
    const clock = createTestClock();
    const reasons: unknown[] = [];
    const stopping: Task = () => Promise.resolve(stop.abort(STOPPED));
    const tasks = (hard: AbortSignal): Task[] => [
      async () => {
        await hanging(hard);
        reasons.push(hard.reason);
      },
      stopping,
    ];
    expect(await run(tasks, stop, clock)).toEqual({ error: STOPPED });
    expect([clock.sleeps, reasons]).toEqual([[600], [STOPPED]]);
  });

  it('lets a request finish if it needs less than 600 ms after the run is stopped', async () => {
    const stop = new AbortController();
    let finish: (() => void) | undefined;
    // Sleeping lets the request finish, but the sleep itself never ends.
    const clock: Clock = { now: () => 0, sleep: () => new Promise(() => finish?.()) };
    const ends: boolean[] = [];
    const tasks = (hard: AbortSignal): Task[] => [
      async () => {
        await Promise.race([hanging(hard), new Promise<void>((resolve) => (finish = resolve))]);
        ends.push(hard.aborted);
      },
      () => Promise.resolve(stop.abort(STOPPED)),
    ];
    expect(await run(tasks, stop, clock)).toEqual({ error: STOPPED });
    expect(ends).toEqual([false]);
  });

  it('lets the other requests finish after a failure, and does not start any more', async () => {
    const failure = new Error('failed');
    let finish: (() => void) | undefined;
    const ends: (boolean | string)[] = [];
    const tasks = (hard: AbortSignal): Task[] => [
      async () => {
        await Promise.race([hanging(hard), new Promise<void>((resolve) => (finish = resolve))]);
        ends.push(hard.aborted);
      },
      () => Promise.reject(failure),
      () => Promise.resolve(),
      () => Promise.resolve(),
      () => Promise.resolve(),
      () => Promise.resolve(void ends.push('further')),
    ];
    const ended = run(tasks);
    setImmediate(() => finish?.());
    expect(await ended).toEqual({ error: failure });
    expect(ends).toEqual([false]);
  });
});

describe('the limit on rejected rows', () => {
  it.each([
    [{ rows: 2 }, 3, 10],
    [{ percent: 10 }, 101, 1000],
  ])('%j stops a run when %i of %i rows have been rejected', (limit, rejected, rows) => {
    expect(thrownBy(() => checkErrorLimit(limit, rejected, rows))).toMatchObject({ code: 'bulk.too_many_errors' });
  });

  it.each([
    [{ rows: 2 }, 2, 10],
    [{ percent: 10 }, 100, 1000],
    [{ percent: 10 }, 999, 999],
    [undefined, 1000, 1000],
  ])('%j does not stop a run when %i of %i rows have been rejected', (limit, rejected, rows) => {
    expect(() => checkErrorLimit(limit, rejected, rows)).not.toThrow();
  });
});
