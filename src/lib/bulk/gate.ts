// Holds the requests of a bulk run until the pacing rules allow them. Retries are sent before new requests.
import { setMaxListeners } from 'node:events';
import { type Feedback, Pacing, type PacingOptions, type Pass } from '../domain/pacing/gate.ts';
import { fail } from '../errors/fail.ts';
import { type Clock, steadyClock } from '../kernel/clock.ts';
import type { KnownError } from '../kernel/errors.ts';
import { createSharedSchedule, type SharedRate } from './rate-store.ts';

export interface GateOptions extends Omit<PacingOptions, 'onGiveUp' | 'schedule'> {
  clock: Clock;
  signal: AbortSignal;
  /** A rate shared with other processes. If it is set, `rate` is this process's share. */
  shared?: SharedRate | undefined;
}

/** Maximum number of tasks that may start in place of paused ones: every task holds its rows in memory. */
export const MAX_PAUSED = 128;

/** If a timer fires later than this, the event loop was blocked. */
const BLOCKED_MS = 20;

export class Gate {
  requests = 0;
  /** Number of failed requests (5xx, or no response). A 429, or a 503 with `Retry-After`, pauses the run instead. */
  retries = 0;
  /** Number of paused rows, which do not count toward the concurrency limit. */
  paused = 0;
  onPause: (() => void) | undefined;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #pacing: Pacing;
  readonly #shared: ReturnType<typeof createSharedSchedule> | undefined;
  readonly #waiting = { repeat: [] as Waiter[], fresh: [] as Waiter[] };
  readonly #ended = new AbortController();
  #alarm: { setAt: number; due: number } | undefined;
  #over: { failure: unknown } | undefined;
  #cause: KnownError | undefined;

  constructor(options: GateOptions) {
    const { onDecision, rate } = options;
    const clock = (this.#clock = steadyClock(options.clock));
    this.#signal = options.signal;
    setMaxListeners(0, this.#ended.signal);
    this.#shared = options.shared && createSharedSchedule(options.shared, rate, clock);
    const onGiveUp = (why: string, hint?: string): void => {
      onDecision(why);
      const failure = hint === undefined ? this.#cause : this.#cause?.with({ hint });
      this.stop(failure ?? fail('http.unavailable', { message: why }));
    };
    this.#pacing = new Pacing({ ...options, schedule: this.#shared, onGiveUp }, clock.now());
  }

  /** Pauses a row while others continue. Reports `why` if no request is in flight. Rejects once the run has ended. */
  async pauseRow(ms: number, why?: string): Promise<void> {
    if (why !== undefined) this.#pacing.reportRowPause(ms, why);
    this.paused++;
    this.onPause?.();
    try {
      await this.#clock.sleep(ms, this.#ended.signal);
    } finally {
      this.paused--;
    }
  }

  /** Resolves when a request may be sent; rejects if the run ends. The more `failures`, the longer it first pauses. */
  async enter(isRepeat: boolean, failures = 0): Promise<Pass> {
    if (failures > 0) await this.#clock.sleep(this.#pacing.rowPause(failures), this.#ended.signal);
    if (this.#over !== undefined) throw this.#over.failure as Error;
    return await new Promise((go, reject) => {
      (isRepeat ? this.#waiting.repeat : this.#waiting.fresh).push({ go, reject });
      this.#pump();
    });
  }

  /** Call it after every admitted request. If the run gives up now, it ends with `failure`. Returns the row's pause. */
  leave(pass: Pass, feedback: Feedback, failure?: KnownError): number {
    if (feedback.kind === 'trouble') this.retries++;
    this.#cause = failure;
    const pauseMs = this.#pacing.leave(this.#clock.now(), pass, feedback);
    this.#pump();
    return pauseMs;
  }

  /** Ends the run: every waiting `enter` call rejects with this error. */
  readonly stop = (failure: unknown): void => {
    this.#over ??= { failure };
    this.#ended.abort(this.#over.failure);
    this.#pump();
  };

  readonly #pump = (): void => {
    const { repeat, fresh } = this.#waiting;
    while (repeat.length + fresh.length > 0) {
      if (this.#over !== undefined) {
        for (const waiter of [...repeat.splice(0), ...fresh.splice(0)]) waiter.reject(this.#over.failure);
        return;
      }
      if (this.#pacing.room <= 0) return;
      const now = this.#clock.now();
      this.#noticeBlock(now);
      this.#shared?.reserve(Math.min(repeat.length + fresh.length, this.#pacing.room), this.#pump);
      if (now < this.#pacing.startAt) {
        if (this.#pacing.startAt < Infinity) this.#wakeAfter(this.#pacing.startAt - now);
        return;
      }
      this.requests++;
      (repeat.shift() ?? fresh.shift())?.go(this.#pacing.take(now));
    }
  };

  #wakeAfter(ms: number): void {
    if (this.#alarm !== undefined) return;
    const now = this.#clock.now();
    this.#alarm = { setAt: now, due: now + ms };
    this.#clock.sleep(ms, this.#signal).then(() => {
      this.#noticeBlock(this.#clock.now());
      this.#alarm = undefined;
      this.#pump();
    }, this.stop);
  }

  /** If the timer fires late, reports to `#pacing` how long the program was blocked. */
  #noticeBlock(now: number): void {
    if (this.#alarm === undefined || now - this.#alarm.due <= BLOCKED_MS) return;
    this.#pacing.wasBlocked(this.#alarm.setAt, now);
    this.#alarm.due = Infinity;
  }
}

interface Waiter {
  go(pass: Pass): void;
  reject(reason: unknown): void;
}
