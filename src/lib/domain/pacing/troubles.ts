// Judges failed requests (5xx, or no response): a few among many, too many, or an outage.

/** How many of the last requests count. */
const RECENT = 1000;
/** Failures that mean nothing: a tenth of the requests, and ten more. */
const TOLERATED = 10;
const TOLERATED_SHARE = 0.1;
/** This many failures without a success between them are an outage. */
const IN_A_ROW = 8;

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
      return inARow >= IN_A_ROW;
    },
    /** Whether more of the recent requests failed than is tolerated. */
    get areMany(): boolean {
      return failures > TOLERATED + Math.min(count, RECENT) * TOLERATED_SHARE;
    },
    /** Milliseconds since the last success; since the run began, if there was none. */
    sinceSuccess: (now: number): number => now - succeededAt,
  };
}
