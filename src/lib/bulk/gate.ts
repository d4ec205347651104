// Holds the requests of a bulk run until the pacing rules let them go, retries before new ones.
import { setMaxListeners } from 'node:events';
import { type Feedback, Pacing, type PacingOptions, type Pass } from '../domain/pacing/gate.ts';
import { fail } from '../errors/fail.ts';
import type { Clock } from '../kernel/clock.ts';
import type { KnownError } from '../kernel/errors.ts';
import { createSharedSchedule, type SharedRate } from './shared-schedule.ts';

export interface GateOptions extends Omit<PacingOptions, 'onGiveUp' | 'schedule'> {
  clock: Clock;
  signal: AbortSignal;
  /** The rate is shared with other processes; `rate` is then the share of this one. */
  shared?: SharedRate | undefined;
}

/** If a timer is this late, the program had been blocked. */
const BLOCKED_MS = 20;

export type Gate = ReturnType<typeof createGate>;

export function createGate(options: GateOptions) {
  const { clock, signal } = options;
  const waiting = { repeat: [] as Waiter[], fresh: [] as Waiter[] };
  let requests = 0;
  let retries = 0;
  let resting = 0;
  let alarm: { setAt: number; due: number } | undefined;
  let over: { failure: unknown } | undefined;
  /** The error of the current response: a run that gives up ends with it. */
  let cause: KnownError | undefined;
  /** Aborted when the run is over. */
  const ended = new AbortController();
  setMaxListeners(0, ended.signal);
  const onGiveUp = (why: string, hint?: string): void => {
    options.onDecision(why);
    const failure = hint === undefined ? cause : cause?.with({ hint });
    stop(failure ?? fail('http.unavailable', { message: why }));
  };
  const shared = options.shared && createSharedSchedule(options.shared, options.rate, clock);
  const pacing = new Pacing({ ...options, schedule: shared, onGiveUp }, clock.now());

  function pump(): void {
    while (waiting.repeat.length + waiting.fresh.length > 0) {
      if (over !== undefined) {
        for (const waiter of [...waiting.repeat.splice(0), ...waiting.fresh.splice(0)]) waiter.reject(over.failure);
        return;
      }
      if (pacing.room <= 0) return;
      const now = clock.now();
      noticeBlock(now);
      shared?.reserve(Math.min(waiting.repeat.length + waiting.fresh.length, pacing.room), pump);
      if (now < pacing.startAt) {
        if (pacing.startAt < Infinity) wakeAfter(pacing.startAt - now);
        return;
      }
      requests++;
      (waiting.repeat.shift() ?? waiting.fresh.shift())?.go(pacing.take(now));
    }
  }

  function wakeAfter(ms: number): void {
    if (alarm !== undefined) return;
    const now = clock.now();
    alarm = { setAt: now, due: now + ms };
    clock.sleep(ms, signal).then(() => {
      noticeBlock(clock.now());
      alarm = undefined;
      pump();
    }, stop);
  }

  /** Requests that were sent after the alarm was set did not leave the program while it was blocked. */
  function noticeBlock(now: number): void {
    if (alarm === undefined || now - alarm.due <= BLOCKED_MS) return;
    pacing.wasBlocked(alarm.setAt, now);
    alarm.due = Infinity;
  }

  function stop(failure: unknown): void {
    over ??= { failure };
    ended.abort(over.failure);
    pump();
  }

  const gate = {
    /** Called when a row begins to rest. */
    onRest: undefined as (() => void) | undefined,
    /** Resting rows do not count as concurrent. */
    get resting() {
      return resting;
    },
    /** Pauses one row, while others continue. Rejects when the run is over. */
    rest: async (ms: number): Promise<void> => {
      resting++;
      gate.onRest?.();
      try {
        await clock.sleep(ms, ended.signal);
      } finally {
        resting--;
      }
    },
    /** Requests that failed (5xx, or no response). After a 429, or a 503 with `Retry-After`, the run waits instead. */
    get retries() {
      return retries;
    },
    get requests() {
      return requests;
    },
    /** Ends the run: every waiting request rejects with this error. */
    stop,
    /**
     * Resolves when a request may go. A retry goes before new requests, after a pause that grows with the `failures` of its
     * row. Rejects when the run is over.
     */
    enter: async (isRepeat: boolean, failures = 0): Promise<Pass> => {
      if (failures > 0) await clock.sleep(pacing.rowPause(failures), ended.signal);
      if (over !== undefined) throw over.failure as Error;
      return await new Promise((go, reject) => {
        (isRepeat ? waiting.repeat : waiting.fresh).push({ go, reject });
        pump();
      });
    },
    /**
     * Call it for every request that was let go; `failure` ends the run if it gives up now. Returns how long its row must
     * pause.
     */
    leave: (pass: Pass, feedback: Feedback, failure?: KnownError): number => {
      if (feedback.kind === 'trouble') retries++;
      cause = failure;
      const restMs = pacing.leave(clock.now(), pass, feedback);
      pump();
      return restMs;
    },
  };
  return gate;
}

interface Waiter {
  go(pass: Pass): void;
  reject(reason: unknown): void;
}
