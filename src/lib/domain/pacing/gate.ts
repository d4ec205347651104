// Decides when the next request of a bulk run may go: limited in number and rate, not during a pause, and one at a time
// in an outage. Also decides when to give up. All times are milliseconds of one clock.
import { formatDuration } from '../../kernel/timestamps.ts';
import { createExcuses } from './excuses.ts';
import { createSchedule } from './schedule.ts';
import { createTroubles } from './troubles.ts';
import { createWindow } from './window.ts';

export interface PacingOptions {
  /** Maximum number of concurrent requests. */
  concurrency: number;
  /** Requests per second; undefined is no limit. */
  rate: number | undefined;
  /** An outage ends the run after this long without a successful request. */
  giveUpAfterMs: number;
  random(): number;
  /** A pause or a learned rate, for verbose output. */
  onDecision(text: string): void;
  /** A pause of all requests and its reason, for the progress. */
  onWait(ms: number, why: string): void;
  /** The run is over, because of `why`; `hint` explains it. */
  onGiveUp(why: string, hint?: string): void;
}

/** What the response to a request says about the platform. */
export type Feedback =
  | { kind: 'answered'; ms: number; slowDown: boolean }
  /** 429, or 503 with `Retry-After`: the platform is healthy and asks to wait. */
  | { kind: 'busy'; retryAfterMs: number | undefined }
  /** 5xx or no response. */
  | { kind: 'trouble'; permanent: boolean }
  /** Nothing: the request was cancelled on our side. */
  | { kind: 'none' };

export interface Pass {
  /** Requests that fail together belong to one round. Only the first of them counts. */
  readonly round: number;
  /** When the request was sent. */
  readonly at: number;
}

const BACKOFF_BASE_MS = 500;
const BACKOFF_CAP_MS = 30_000;
/** Between two probes during an outage. */
const PROBE_CAP_MS = 60_000;
/** Before one row is sent again. */
const ROW_CAP_MS = 5000;
/** Consecutive 429s without a time to wait that end the run: about two minutes. */
const MAX_BUSY = 14;

export type Pacing = ReturnType<typeof createPacing>;

export function createPacing(options: PacingOptions, startedAt: number) {
  const window = createWindow(options.concurrency);
  const schedule = createSchedule(options.rate);
  const { learned } = schedule;
  const troubles = createTroubles(startedAt);
  const excuses = createExcuses(options.rate);
  let inFlight = 0;
  let pausedUntil = 0;
  let probes = 0;
  let busy = 0;
  let untimed = 0;
  let round = 0;

  /** The longest pause; callers use a random part of it. */
  const backoff = (times: number, cap = BACKOFF_CAP_MS): number => Math.min(cap, BACKOFF_BASE_MS * 2 ** (times - 1));

  function pause(now: number, ms: number, why: string): void {
    const before = pausedUntil;
    pausedUntil = Math.max(pausedUntil, now + ms);
    // The first of several requests that met the same limit has reported it.
    if (pausedUntil - before <= BACKOFF_BASE_MS && before > now) return;
    options.onDecision(`${why}: waiting ${formatDuration(Math.ceil(ms))}`);
    options.onWait(ms, why);
  }

  /** Waits at least as long as asked, and at least our own backoff: repeated requests to wait 0 seconds are no pause. */
  function leaveBusy(now: number, askedMs: number | undefined, isFirst: boolean): void {
    if (isFirst) {
      round++;
      busy++;
      // A time to wait shows that the platform is healthy, however often it comes.
      untimed = askedMs === undefined || askedMs === 0 ? untimed + 1 : 0;
    }
    if (untimed > MAX_BUSY) options.onGiveUp('the rate limit did not clear');
    else if (askedMs !== undefined) {
      const own = isFirst ? options.random() * backoff(busy) : 0;
      pause(now, Math.max(askedMs + options.random() * BACKOFF_BASE_MS, own), 'the platform asked to wait');
    } else if (isFirst) pause(now, options.random() * backoff(busy), 'too many requests');
  }

  function succeed(now: number): void {
    troubles.succeeded(now);
    probes = 0;
  }

  function leaveTrouble(now: number, isFirst: boolean, permanent: boolean): void {
    const wasOutage = troubles.isOutage;
    troubles.failed();
    if (permanent) {
      options.onGiveUp('a retry cannot help');
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
      // At least half of it, so that the intervals always grow.
      const ms = backoff(probes, PROBE_CAP_MS) * (0.5 + options.random() / 2);
      pause(now, Math.min(leftMs, ms), 'the platform is unavailable');
      return;
    }
    const lasted = formatDuration(Math.ceil(troubles.sinceSuccess(now)));
    options.onGiveUp(
      'the platform is down',
      `No request succeeded for ${lasted}; --give-up-after sets how long a run tries.`,
    );
  }

  return {
    /** Whether one more request may be under way. */
    get hasRoom(): boolean {
      return inFlight < (troubles.isOutage || busy > 0 ? 1 : window.size);
    },
    /** When the next request may go. */
    get startAt(): number {
      return Math.max(pausedUntil, schedule.startAt);
    },
    /** A request goes now. Each one must `leave`. */
    take: (now: number): Pass => {
      schedule.take(now);
      inFlight++;
      return { round, at: now };
    },
    /** The program was blocked between the two times: nothing was sent. */
    wasBlocked: schedule.wasBlocked,
    /** The pause before a row is sent again that failed this often. */
    rowPause: (failures: number): number => options.random() * backoff(failures, ROW_CAP_MS),
    /** The response to a request. Returns how long its row alone must wait. */
    leave: (now: number, pass: Pass, feedback: Feedback): number => {
      inFlight--;
      const isFirst = pass.round === round;
      switch (feedback.kind) {
        case 'none':
          break;
        case 'answered':
          learned.accepted(pass.at);
          succeed(now);
          // A request that was sent before the limit was met does not tell whether it is over.
          if (isFirst) {
            busy = 0;
            untimed = 0;
            const rate = learned.resumed(now);
            if (rate !== undefined) options.onDecision(`the platform accepts ${rate.toPrecision(3)} requests/s`);
          }
          excuses.answered();
          window.answered(feedback.ms, feedback.slowDown);
          break;
        case 'busy':
          succeed(now);
          // A single 429 says nothing about the other requests.
          if (busy === 0 && !learned.isKnown() && excuses.take())
            return feedback.retryAfterMs === undefined ? 0 : feedback.retryAfterMs + options.random() * BACKOFF_BASE_MS;
          window.overloaded();
          learned.limited(pass.at, feedback.retryAfterMs);
          leaveBusy(now, feedback.retryAfterMs, isFirst);
          break;
        case 'trouble':
          leaveTrouble(now, isFirst, feedback.permanent);
          break;
      }
      return 0;
    },
  };
}
