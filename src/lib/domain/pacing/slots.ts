// How many requests a limit takes in any stretch of time, wherever it begins: a platform counts so, and answers "too
// many" to the first one beyond it.

/** More are not remembered: a stretch of that many is short enough. */
const MAX_SLOTS = 10_000;
/** What travels slowly arrives with what was sent later: a little longer than the platform's own second. */
const MARGIN = 1.01;

/** `rate` is requests a second. */
export function createSlots(rate: number) {
  const count = Math.min(MAX_SLOTS, Math.max(1, Math.ceil(rate)));
  const stretchMs = (count / rate) * 1000 * MARGIN;
  const taken = new Float64Array(count).fill(-Infinity);
  let oldest = 0;
  return {
    /** Milliseconds of the clock from which on the next request may go. */
    get from(): number {
      return (taken[oldest] as number) + stretchMs;
    },
    /** A request goes now. */
    take: (now: number): void => {
      taken[oldest] = now;
      oldest = (oldest + 1) % count;
    },
    /** The program stood still: what was to go since `from` goes now. */
    delayed: (from: number, now: number): void => {
      for (const [slot, at] of taken.entries()) if (at >= from) taken[slot] = now;
    },
  };
}
