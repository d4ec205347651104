// Classifies failed requests (5xx, or no response): a few among many, too many, or an outage.

/** Number of recent requests that are taken into account. */
const RECENT = 1000;
/** Tolerated failures: a tenth of the requests, plus ten. */
const TOLERATED = 10;
const TOLERATED_SHARE = 0.1;
/** This many consecutive failures are an outage. */
export const FAILURES_IN_OUTAGE = 8;

export function createTroubles(startedAt: number) {
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
