// Determines when the next request of a bulk run may be sent. Respects pauses and the concurrency and rate limits, and
// allows one request at a time during an outage. Ends a run that gives up. All times are milliseconds on one clock.
import { formatDuration } from '../../kernel/timestamps.ts';
import { createExcuses, type Excuses } from './excuses.ts';
import { createSchedule, type Schedule } from './learned-rate.ts';
import { createWindow, type Window } from './window.ts';

export interface PacingOptions {
  concurrency: number;
  rate: number | undefined;
  /** Determines when requests may be sent. Default: at `rate`. */
  schedule?: Schedule | undefined;
  /** An outage ends the run after this many milliseconds without a successful request. */
  giveUpAfterMs: number;
  random(): number;
  /** Reports a pause or a learned rate, for verbose output. */
  onDecision(text: string): void;
  /** Reports a pause during which nothing is sent, and its reason, for the progress line. */
  onWait(ms: number, why: string): void;
  /** Ends the run for the reason `why`; `hint` suggests what to do. */
  onGiveUp(why: string, hint?: string): void;
}

/** Effect of a response on the pace of the run. */
export type Feedback =
  | { kind: 'answered'; slowDown: boolean }
  /** 429, or 503 with `Retry-After`: the platform is healthy and asks the client to wait. */
  | { kind: 'busy'; retryAfterMs: number | undefined }
  /** 5xx or no response. */
  | { kind: 'trouble'; permanent: boolean }
  | { kind: 'none' };

export interface Pass {
  /** Requests that fail together belong to the same round; only the first failure of a round counts. */
  readonly round: number;
  readonly at: number;
}

const BACKOFF_BASE_MS = 500;
const BACKOFF_CAP_MS = 30_000;
/** Maximum pause between two probes during an outage. */
const PROBE_CAP_MS = 60_000;
const ROW_CAP_MS = 5000;
/** The run ends after more consecutive 429s without a requested pause than this, which take about two minutes. */
const MAX_BUSY = 14;
const RECENT = 1000;
/** Tolerated failures: a tenth of the requests, plus ten. */
const TOLERATED = 10;
const TOLERATED_SHARE = 0.1;
/** This many consecutive failures are an outage. */
const FAILURES_IN_OUTAGE = 8;

export class Pacing {
  readonly #options: PacingOptions;
  readonly #window: Window;
  readonly #schedule: Schedule;
  readonly #troubles: ReturnType<typeof createTroubles>;
  readonly #excuses: Excuses;
  #inFlight = 0;
  #pausedUntil = 0;
  #probes = 0;
  #busy = 0;
  /** Number of consecutive 429s without a requested pause. */
  #untimed = 0;
  #round = 0;

  constructor(options: PacingOptions, startedAt: number) {
    this.#options = options;
    this.#window = createWindow(options.concurrency);
    this.#schedule = options.schedule ?? createSchedule(options.rate);
    this.#troubles = createTroubles(startedAt);
    this.#excuses = createExcuses(options.rate);
  }

  /** Returns the number of additional requests that may start; 0 or less means none. */
  get room(): number {
    return (this.#troubles.isOutage || this.#busy > 0 ? 1 : this.#window.size) - this.#inFlight;
  }

  get startAt(): number {
    return Math.max(this.#pausedUntil, this.#schedule.startAt);
  }

  take(now: number): Pass {
    this.#schedule.take(now);
    this.#inFlight++;
    return { round: this.#round, at: now };
  }

  /** Records that the program was blocked from `from` to `to`, so nothing was sent. */
  wasBlocked(from: number, to: number): void {
    this.#schedule.wasBlocked(from, to);
  }

  /** Returns the pause before retrying a failed row, short enough to detect an outage before the run should give up. */
  rowPause(failures: number): number {
    const cap = Math.min(ROW_CAP_MS, Math.max(BACKOFF_BASE_MS, this.#options.giveUpAfterMs / FAILURES_IN_OUTAGE));
    return this.#options.random() * backoff(failures, cap);
  }

  reportRowPause(ms: number, why: string): void {
    if (this.#inFlight === 0) this.#options.onWait(ms, why);
  }

  /** Records the feedback on a request, and returns the pause before its row is retried. */
  leave(now: number, pass: Pass, feedback: Feedback): number {
    this.#inFlight--;
    const isFirst = pass.round === this.#round;
    if (feedback.kind === 'busy') return this.#wasBusy(now, pass, isFirst, feedback.retryAfterMs);
    if (feedback.kind === 'answered') this.#answered(now, pass, isFirst, feedback.slowDown);
    if (feedback.kind === 'trouble') this.#failed(now, isFirst, feedback.permanent);
    return 0;
  }

  #answered(now: number, { at }: Pass, isFirst: boolean, slowDown: boolean): void {
    const { learned } = this.#schedule;
    learned.accepted(at);
    this.#succeed(now);
    // The response to a request sent before the limit was hit does not show whether the limit has cleared.
    if (isFirst) {
      this.#busy = 0;
      this.#untimed = 0;
      const rate = learned.resumed(now, this.#excuses.balance);
      if (rate !== undefined) {
        if (this.#schedule.isLimitKnown) this.#excuses.learned(rate);
        this.#options.onDecision(`the platform accepts ${rate.toPrecision(3)} requests/s`);
      }
    }
    this.#excuses.answered(learned.isBelow(at));
    this.#window.answered(now - at, slowDown);
  }

  #wasBusy(now: number, { at }: Pass, isFirst: boolean, askedMs: number | undefined): number {
    const { learned } = this.#schedule;
    const { random } = this.#options;
    this.#succeed(now);
    // A single 429 does not prove that we send too fast.
    if (this.#excuses.take(isFirst && learned.isBelow(at)) && this.#busy === 0)
      return askedMs === undefined ? 0 : askedMs + random() * BACKOFF_BASE_MS;
    this.#window.overloaded();
    this.#schedule.limited(at, askedMs);
    if (isFirst) {
      this.#round++;
      this.#busy++;
      // A platform that requests pauses is healthy, even if it does so often.
      this.#untimed = askedMs === undefined || askedMs === 0 ? this.#untimed + 1 : 0;
    }
    if (this.#untimed > MAX_BUSY) this.#options.onGiveUp('the rate limit did not clear');
    else if (askedMs !== undefined) {
      // Wait as long as requested, but at least for our backoff: the platform may keep requesting 0 seconds.
      const own = isFirst ? random() * backoff(this.#busy) : 0;
      this.#pause(now, Math.max(askedMs + random() * BACKOFF_BASE_MS, own), 'the platform requested a pause');
    } else if (isFirst) this.#pause(now, random() * backoff(this.#busy), 'too many requests');
    return 0;
  }

  #failed(now: number, isFirst: boolean, permanent: boolean): void {
    const wasOutage = this.#troubles.isOutage;
    this.#troubles.failed();
    if (permanent) {
      this.#options.onGiveUp('a retry cannot help');
      return;
    }
    if (!this.#troubles.isOutage) {
      if (this.#troubles.areMany) this.#window.overloaded();
      return;
    }
    if (wasOutage && !isFirst) return;
    this.#window.overloaded();
    this.#round++;
    this.#probes++;
    const failingMs = this.#troubles.sinceSuccess(now);
    const leftMs = this.#options.giveUpAfterMs - failingMs;
    if (leftMs > 0) {
      // Use at least half of the interval, so that intervals grow until the cap.
      const ms = backoff(this.#probes, PROBE_CAP_MS) * (0.5 + this.#options.random() / 2);
      this.#pause(now, Math.min(leftMs, ms), 'the platform is unavailable');
      return;
    }
    const lasted = formatDuration(Math.ceil(failingMs));
    const hint = `No request succeeded for ${lasted}; --give-up-after sets how long a run keeps trying.`;
    this.#options.onGiveUp('the platform is down', hint);
  }

  #succeed(now: number): void {
    this.#troubles.succeeded(now);
    this.#probes = 0;
  }

  #pause(now: number, ms: number, why: string): void {
    const before = this.#pausedUntil;
    this.#pausedUntil = Math.max(before, now + ms);
    // The first of several requests that hit the same limit has already reported it.
    if (this.#pausedUntil - before <= BACKOFF_BASE_MS && before > now) return;
    this.#options.onDecision(`${why}: waiting ${formatDuration(Math.ceil(ms))}`);
    this.#options.onWait(ms, why);
  }
}

/** Returns the maximum pause; callers use a random fraction of it. */
const backoff = (times: number, cap = BACKOFF_CAP_MS): number => Math.min(cap, BACKOFF_BASE_MS * 2 ** (times - 1));

/** Classifies failed requests (5xx, or no response): a few among many, too many, or an outage. */
function createTroubles(startedAt: number) {
  const recent = new Uint8Array(RECENT);
  let count = 0;
  let failures = 0;
  let inARow = 0;
  let succeededAt = startedAt;

  function note(failed: 0 | 1): void {
    const at = count++ % RECENT;
    failures += failed - (recent[at] ?? 0);
    recent[at] = failed;
  }

  return {
    succeeded: (now: number): void => {
      note(0);
      inARow = 0;
      succeededAt = now;
    },
    failed: (): void => {
      note(1);
      inARow++;
    },
    get isOutage(): boolean {
      return inARow >= FAILURES_IN_OUTAGE;
    },
    /** True if too many of the recent requests failed. */
    get areMany(): boolean {
      return failures > TOLERATED + Math.min(count, RECENT) * TOLERATED_SHARE;
    },
    /** Milliseconds since the last success or, if there is none, since the start of the run. */
    sinceSuccess: (now: number): number => now - succeededAt,
  };
}
