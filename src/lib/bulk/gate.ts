// When the next request of a bulk run may go: within the window, at the wanted rate, not while the platform asked to
// wait, one at a time while it is in trouble; and whether to give up.
import { createLearnedRate } from '../domain/pacing/learned-rate.ts';
import { createSlots } from '../domain/pacing/slots.ts';
import { createWindow } from '../domain/pacing/window.ts';
import type { Clock } from '../kernel/clock.ts';
import type { CliError } from '../kernel/errors.ts';
import { formatDuration } from '../kernel/timestamps.ts';
import { fail } from '../errors/fail.ts';

export interface GateOptions {
  /** Most requests at once. */
  concurrency: number;
  /** Requests a second; undefined is no limit. */
  rate: number | undefined;
  /** Attempts after the first, of one request and of the first one after the platform went down. */
  retries: number;
  clock: Clock;
  random(): number;
  signal: AbortSignal;
  /** A wait or a retry that may interest somebody. */
  onDecision(text: string): void;
  /** No request goes for so many milliseconds, and why: for whoever looks at the run. */
  onWait(ms: number, why: string): void;
}

/** What a request met with, as far as the gate is concerned. */
export type Signal =
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
  /** Resolves with a pass when a request may go. Repeats go before what is new. Rejects when the run is over. */
  enter(repeat: boolean): Promise<Pass>;
  /** Every entered request leaves. `failure` is what the run ends with should this have been the last straw. */
  leave(pass: Pass, signal: Signal, failure?: CliError): void;
  /** Requests that met with trouble. A 429 did nothing, and a 503 with `Retry-After` asks to wait: these are waits. */
  readonly retries: number;
  readonly requests: number;
  /** Ends the run: whoever waits is refused with this. */
  stop(failure: unknown): void;
}

const BACKOFF_BASE_MS = 500;
const BACKOFF_CAP_MS = 30_000;
/** Requests that may come too soon at a wanted rate: as a share of those answered, and at least so many at once. */
const EXCUSED_SHARE = 0.05;
const MIN_EXCUSED = 4;
/** How often in a row the platform may say "too many" without a time that lies ahead: about two minutes of it. */
const MAX_BUSY = 14;
/** A late timer may be made up for by this much, so that the wanted rate is reached. */
const CATCH_UP_MS = 250;
/** Made up for little by little: what goes at once arrives late together, and would come too soon a second later. */
const CATCH_UP_PACE = 0.8;
const CATCH_UP_AT_ONCE_MS = 10;
/** A timer that is so late says that the program stood still. */
const STOOD_STILL_MS = 20;

export function createGate(options: GateOptions): Gate {
  const { clock, signal } = options;
  const window = createWindow(options.concurrency);
  const interval = options.rate === undefined ? 0 : 1000 / options.rate;
  const slots = options.rate === undefined ? undefined : createSlots(options.rate);
  const waiting = { repeat: [] as Waiter[], fresh: [] as Waiter[] };
  let inFlight = 0;
  let requests = 0;
  let retries = 0;
  let nextAt = 0;
  let soonestAt = 0;
  let pausedUntil = 0;
  let troubles = 0;
  let busy = 0;
  let untimed = 0;
  let round = 0;
  const learned = createLearnedRate(options.rate);
  const early = createEarlyArrivals(options.rate);
  let alarm: { setAt: number; due: number } | undefined;
  let over: { failure: unknown } | undefined;

  function pump(): void {
    while (waiting.repeat.length + waiting.fresh.length > 0) {
      if (over !== undefined) {
        for (const waiter of [...waiting.repeat.splice(0), ...waiting.fresh.splice(0)]) waiter.refuse(over.failure);
        return;
      }
      const room = troubles > 0 || busy > 0 ? 1 : window.size;
      if (inFlight >= room) return;
      const now = clock.now();
      noticeStandstill(now);
      const startAt = Math.max(pausedUntil, nextAt, soonestAt, slots?.from ?? 0);
      if (now < startAt) {
        wakeAfter(startAt - now);
        return;
      }
      slots?.take(now);
      const learnedInterval = 1000 / learned.at(now);
      if (learnedInterval > interval) {
        nextAt = Math.max(nextAt, now - CATCH_UP_AT_ONCE_MS) + learnedInterval;
      } else if (interval > 0) {
        nextAt = Math.max(nextAt, now - CATCH_UP_MS) + interval;
        soonestAt = Math.max(soonestAt, now - CATCH_UP_AT_ONCE_MS) + interval * CATCH_UP_PACE;
      }
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
    slots?.delayed(alarm.setAt, now);
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
    pump();
  }

  /** The longest pause; a random part of it is taken. */
  const backoff = (times: number): number => Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (times - 1));

  function giveUp(failure: CliError | undefined, why: string): void {
    options.onDecision(why);
    stop(failure ?? fail('http.unavailable', { message: why }));
  }

  /** Never earlier than asked, and never sooner than our own back-off: 0 seconds, said again and again, is no pause. */
  function leaveBusy(askedMs: number | undefined, isFirst: boolean, failure: CliError | undefined): void {
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

  return {
    get retries() {
      return retries;
    },
    get requests() {
      return requests;
    },
    stop,
    enter: (repeat) => {
      if (over !== undefined) return Promise.reject(over.failure as Error);
      return new Promise((go, refuse) => {
        (repeat ? waiting.repeat : waiting.fresh).push({ go, refuse });
        pump();
      });
    },
    leave: (pass, met, failure) => {
      inFlight--;
      const isFirst = pass.round === round;
      switch (met.kind) {
        case 'none':
          break;
        case 'answered':
          learned.accepted(pass.at);
          troubles = 0;
          // What went before the limit was hit does not tell whether it is over.
          if (isFirst) {
            busy = 0;
            untimed = 0;
            const rate = learned.resumed(clock.now());
            if (rate !== undefined) options.onDecision(`the platform takes ${rate.toPrecision(3)} requests a second`);
          }
          early.answered();
          window.answered(met.ms, met.slowDown);
          break;
        case 'busy':
          troubles = 0;
          // Its repeat has to wait for the next free slot: that is all it takes.
          if (met.retryAfterMs === undefined && busy === 0 && early.excuses()) break;
          window.overloaded();
          learned.limited(pass.at, met.retryAfterMs);
          leaveBusy(met.retryAfterMs, isFirst, failure);
          break;
        case 'trouble':
          window.overloaded();
          retries++;
          if (met.permanent) giveUp(failure, 'trying again cannot help');
          else if (isFirst) {
            round++;
            troubles++;
            if (troubles > options.retries)
              giveUp(failure, `the platform is down: ${troubles} attempts in a row failed`);
            else if (retries > 10 + requests / 10) giveUp(failure, 'too many requests had to be repeated');
            else pause(options.random() * backoff(troubles), 'the platform is in trouble');
          }
          break;
      }
      pump();
    },
  };
}

interface EarlyArrivals {
  answered(): void;
  /** Whether a "too many" may come from the way there, on which one request overtook another. */
  excuses(): boolean;
}

/** At a rate that is told to us, one in twenty; when there are more, the limit is lower than the rate. */
function createEarlyArrivals(rate: number | undefined): EarlyArrivals {
  const most = rate === undefined ? 0 : Math.max(MIN_EXCUSED, rate * EXCUSED_SHARE);
  let left = most;
  return {
    answered: () => {
      left = Math.min(most, left + EXCUSED_SHARE);
    },
    excuses: () => {
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}

interface Waiter {
  go(pass: Pass): void;
  refuse(reason: unknown): void;
}
