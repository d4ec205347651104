// What failed requests (5xx, or no response) tell of the platform: a few among many, too many, or an outage.

/** How many of the last requests count. */
const RECENT = 1000;
/** Failures that mean nothing: a tenth of the requests, and ten more. */
const TOLERATED = 10;
const TOLERATED_SHARE = 0.1;
/** This many failures without a success between them are an outage. */
const IN_A_ROW = 8;

export interface Troubles {
  succeeded(now: number): void;
  failed(): void;
  readonly isOutage: boolean;
  /** Whether more of the recent requests failed than is tolerated. */
  readonly areMany: boolean;
  /** Milliseconds since the last success; since the run began, if there was none. */
  sinceSuccess(now: number): number;
}

export function createTroubles(startedAt: number): Troubles {
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
    succeeded: (now) => {
      note(0);
      inARow = 0;
      succeededAt = now;
    },
    failed: () => {
      note(1);
      inARow++;
    },
    get isOutage() {
      return inARow >= IN_A_ROW;
    },
    get areMany() {
      return failures > TOLERATED + Math.min(count, RECENT) * TOLERATED_SHARE;
    },
    sinceSuccess: (now) => now - succeededAt,
  };
}
