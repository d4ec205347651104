// When the next request of a bulk run may go: within the window, at the wanted rate, not while the platform asked to
// wait, and one at a time during an outage; and when to give up.
import { setMaxListeners } from 'node:events';
import { createExcuses } from '../domain/pacing/excuses.ts';
import { createSchedule } from '../domain/pacing/schedule.ts';
import { createTroubles } from '../domain/pacing/troubles.ts';
import { createWindow } from '../domain/pacing/window.ts';
import type { Clock } from '../kernel/clock.ts';
import type { KnownError } from '../kernel/errors.ts';
import { formatDuration } from '../kernel/timestamps.ts';
import { fail } from '../errors/fail.ts';

export interface GateOptions {
  /** Most requests at once. */
  concurrency: number;
  /** Requests a second; undefined is no limit. */
  rate: number | undefined;
  /** An outage ends the run once no request has succeeded for so long. */
  giveUpAfterMs: number;
  clock: Clock;
  random(): number;
  signal: AbortSignal;
  /** A wait or a retry that may interest somebody. */
  onDecision(text: string): void;
  /** No request goes for so many milliseconds, and why: for whoever looks at the run. */
  onWait(ms: number, why: string): void;
}

/** What a request met with, as far as the gate is concerned. */
export type Feedback =
  | { kind: 'answered'; ms: number; slowDown: boolean }
  /** 429, or 503 with `Retry-After`: the platform is well and asks to wait. */
  | { kind: 'busy'; retryAfterMs: number | undefined }
  /** 5xx or no answer. */
  | { kind: 'trouble'; permanent: boolean }
  /** Nothing was learned: it was given up on our side. */
  | { kind: 'none' };

export interface Pass {
  /** Of the requests that a trouble hit together, which are of one round, only one counts. */
  readonly round: number;
  /** When it entered. */
  readonly at: number;
}

export interface Gate {
  /**
   * Resolves with a pass when a request may go. Repeats go before what is new, and after a pause of their own that grows
   * with the `failures` of the row. Rejects when the run is over.
   */
  enter(repeat: boolean, failures?: number): Promise<Pass>;
  /**
   * Every entered request leaves. `failure` is what the run ends with should this have been the last straw. Returns for
   * how long the row alone has to rest before its repeat.
   */
  leave(pass: Pass, feedback: Feedback, failure?: KnownError): number;
  /** Rests with one row, while others go on. Rejects when the run is over. */
  rest(ms: number): Promise<void>;
  /** Rows that rest: they take no part of the concurrency. */
  readonly resting: number;
  /** Called when a row begins to rest. */
  onRest: (() => void) | undefined;
  /** Requests that met with trouble. A 429 did nothing, and a 503 with `Retry-After` asks to wait: these are waits. */
  readonly retries: number;
  readonly requests: number;
  /** Ends the run: whoever waits is refused with this. */
  stop(failure: unknown): void;
}

const BACKOFF_BASE_MS = 500;
const BACKOFF_CAP_MS = 30_000;
/** Between two probes of a platform that is down. */
const PROBE_CAP_MS = 60_000;
/** Before one row is sent again. */
const ROW_CAP_MS = 5000;
/** How often in a row the platform may say "too many" without a time that lies ahead: about two minutes of it. */
const MAX_BUSY = 14;
/** A timer that is so late says that the program stood still. */
const STOOD_STILL_MS = 20;

export function createGate(options: GateOptions): Gate {
  const { clock, signal } = options;
  const window = createWindow(options.concurrency);
  const schedule = createSchedule(options.rate);
  const { learned } = schedule;
  const waiting = { repeat: [] as Waiter[], fresh: [] as Waiter[] };
  let inFlight = 0;
  let requests = 0;
  let retries = 0;
  let pausedUntil = 0;
  const troubles = createTroubles(clock.now());
  let probes = 0;
  let busy = 0;
  let resting = 0;
  let untimed = 0;
  let round = 0;
  const excuses = createExcuses(options.rate);
  let alarm: { setAt: number; due: number } | undefined;
  let over: { failure: unknown } | undefined;
  /** Aborted when the run is over. */
  const ended = new AbortController();
  setMaxListeners(0, ended.signal);

  function pump(): void {
    while (waiting.repeat.length + waiting.fresh.length > 0) {
      if (over !== undefined) {
        for (const waiter of [...waiting.repeat.splice(0), ...waiting.fresh.splice(0)]) waiter.refuse(over.failure);
        return;
      }
      const room = troubles.isOutage || busy > 0 ? 1 : window.size;
      if (inFlight >= room) return;
      const now = clock.now();
      noticeStandstill(now);
      const startAt = Math.max(pausedUntil, schedule.startAt);
      if (now < startAt) {
        wakeAfter(startAt - now);
        return;
      }
      schedule.take(now);
      inFlight++;
      requests++;
      const waiter = waiting.repeat.shift() ?? waiting.fresh.shift();
      waiter?.go({ round, at: now });
    }
  }

  function wakeAfter(ms: number): void {
    if (alarm !== undefined) return;
    const now = clock.now();
    alarm = { setAt: now, due: now + ms };
    clock.sleep(ms, signal).then(
      () => {
        noticeStandstill(clock.now());
        alarm = undefined;
        pump();
      },
      (reason: unknown) => stop(reason),
    );
  }

  /** What was sent since the alarm was set had not left the program when it stood still. */
  function noticeStandstill(now: number): void {
    if (alarm === undefined || now - alarm.due <= STOOD_STILL_MS) return;
    schedule.stoodStill(alarm.setAt, now);
    alarm.due = Infinity;
  }

  function pause(ms: number, why: string): void {
    const before = pausedUntil;
    pausedUntil = Math.max(pausedUntil, clock.now() + ms);
    // Of the requests that met with the same, the first one has told it.
    if (pausedUntil - before <= BACKOFF_BASE_MS && before > clock.now()) return;
    options.onDecision(`${why}: waiting ${formatDuration(Math.ceil(ms))}`);
    options.onWait(ms, why);
  }

  function stop(failure: unknown): void {
    over ??= { failure };
    ended.abort(over.failure);
    pump();
  }

  /** The longest pause; a random part of it is taken. */
  const backoff = (times: number, cap = BACKOFF_CAP_MS): number => Math.min(cap, BACKOFF_BASE_MS * 2 ** (times - 1));

  function giveUp(failure: KnownError | undefined, why: string): void {
    options.onDecision(why);
    stop(failure ?? fail('http.unavailable', { message: why }));
  }

  /** Never earlier than asked, and never sooner than our own back-off: 0 seconds, said again and again, is no pause. */
  function leaveBusy(askedMs: number | undefined, isFirst: boolean, failure: KnownError | undefined): void {
    if (isFirst) {
      round++;
      busy++;
      // A time that lies ahead says that the platform is well, however often it is said.
      untimed = askedMs === undefined || askedMs === 0 ? untimed + 1 : 0;
    }
    if (untimed > MAX_BUSY) giveUp(failure, 'the rate limit did not clear');
    else if (askedMs !== undefined) {
      const own = isFirst ? options.random() * backoff(busy) : 0;
      pause(Math.max(askedMs + options.random() * BACKOFF_BASE_MS, own), 'the platform asked to wait');
    } else if (isFirst) pause(options.random() * backoff(busy), 'too many requests');
  }

  function succeed(): void {
    troubles.succeeded(clock.now());
    probes = 0;
  }

  function leaveTrouble(isFirst: boolean, permanent: boolean, failure: KnownError | undefined): void {
    const now = clock.now();
    const wasOutage = troubles.isOutage;
    troubles.failed();
    if (permanent) {
      giveUp(failure, 'trying again cannot help');
      return;
    }
    if (!troubles.isOutage) {
      if (troubles.areMany) window.overloaded();
      return;
    }
    if (wasOutage && !isFirst) return;
    window.overloaded();
    round++;
    probes++;
    const leftMs = options.giveUpAfterMs - troubles.sinceSuccess(now);
    if (leftMs > 0) {
      // At least half, so that the intervals grow whatever the luck.
      const ms = backoff(probes, PROBE_CAP_MS) * (0.5 + options.random() / 2);
      pause(Math.min(leftMs, ms), 'the platform is in trouble');
      return;
    }
    const why = `No request succeeded for ${formatDuration(Math.ceil(troubles.sinceSuccess(now)))}; --give-up-after sets how long a run tries.`;
    giveUp(failure?.with({ hint: why }), 'the platform is down');
  }

  async function pauseRow(failures: number): Promise<void> {
    await clock.sleep(options.random() * backoff(failures, ROW_CAP_MS), ended.signal);
  }

  const gate: Gate = {
    onRest: undefined,
    get resting() {
      return resting;
    },
    rest: async (ms) => {
      resting++;
      gate.onRest?.();
      try {
        await clock.sleep(ms, ended.signal);
      } finally {
        resting--;
      }
    },
    get retries() {
      return retries;
    },
    get requests() {
      return requests;
    },
    stop,
    enter: async (repeat, failures = 0) => {
      if (failures > 0) await pauseRow(failures);
      if (over !== undefined) throw over.failure as Error;
      return await new Promise((go, refuse) => {
        (repeat ? waiting.repeat : waiting.fresh).push({ go, refuse });
        pump();
      });
    },
    leave: (pass, met, failure) => {
      inFlight--;
      let restMs = 0;
      const isFirst = pass.round === round;
      switch (met.kind) {
        case 'none':
          break;
        case 'answered':
          learned.accepted(pass.at);
          succeed();
          // What went before the limit was hit does not tell whether it is over.
          if (isFirst) {
            busy = 0;
            untimed = 0;
            const rate = learned.resumed(clock.now());
            if (rate !== undefined) options.onDecision(`the platform takes ${rate.toPrecision(3)} requests a second`);
          }
          excuses.answered();
          window.answered(met.ms, met.slowDown);
          break;
        case 'busy':
          succeed();
          // The others are as welcome as before.
          if (busy === 0 && !learned.isKnown() && excuses.take()) {
            restMs = met.retryAfterMs === undefined ? 0 : met.retryAfterMs + options.random() * BACKOFF_BASE_MS;
            break;
          }
          window.overloaded();
          learned.limited(pass.at, met.retryAfterMs);
          leaveBusy(met.retryAfterMs, isFirst, failure);
          break;
        case 'trouble':
          retries++;
          leaveTrouble(isFirst, met.permanent, failure);
          break;
      }
      pump();
      return restMs;
    },
  };
  return gate;
}

interface Waiter {
  go(pass: Pass): void;
  refuse(reason: unknown): void;
}
