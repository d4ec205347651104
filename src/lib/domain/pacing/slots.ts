// Limits requests in every sliding second, as a platform does that answers 429 to the first one too many.

/** More are not remembered: a stretch of that many is short enough. */
const MAX_SLOTS = 10_000;
/** A slow request arrives together with later ones: the second is a little longer than the platform's. */
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
    /** The program was blocked: requests since `from` are sent at `now`. */
    delayed: (from: number, now: number): void => {
      for (const [slot, at] of taken.entries()) if (at >= from) taken[slot] = now;
    },
  };
}
