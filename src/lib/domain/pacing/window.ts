// The number of concurrent requests: grows while responses stay fast, and shrinks when they slow down or hit a limit.

export type Window = ReturnType<typeof createWindow>;

const START = 4;
/** Growth factors before and after the first slow response or limit. */
const FIRST_GROWTH = 2;
const GROWTH = 1.25;
const SHRINK = 0.85;
/** Latency counts as increased if it exceeds twice the best latency plus a margin (for very low latencies). */
const TOLERATED = 2;
const SLACK_MS = 5;
/** Slowly raises the best latency, because a platform may become slower. */
const FORGET = 1.01;

export function createWindow(max: number) {
  let size = Math.min(START, max);
  let best = Infinity;
  let answers = 0;
  let total = 0;
  // Number of outstanding responses to requests sent before the limit was hit. A 429 or 503 among them is ignored.
  let stale = 0;
  let growth = FIRST_GROWTH;

  const restart = (): void => {
    answers = 0;
    total = 0;
  };
  return {
    get size(): number {
      return Math.max(1, Math.floor(size));
    },
    /** Records that a response arrived after `ms`. `slowDown` is true if it reported that a limit is near. */
    answered: (ms: number, slowDown: boolean): void => {
      if (stale > 0) stale--;
      answers++;
      total += ms;
      if (slowDown) {
        size = Math.max(1, size * SHRINK);
        restart();
        return;
      }
      if (answers < size) return;
      const mean = total / answers;
      best = Math.min(best * FORGET, mean);
      const quick = mean <= best * TOLERATED + SLACK_MS;
      if (!quick) growth = GROWTH;
      size = quick ? Math.min(max, Math.max(size + 1, size * growth)) : Math.max(1, size * SHRINK);
      restart();
    },
    /** Records that a limit was hit (429, 503). Halves the size, but only once per round of requests. */
    overloaded: (): void => {
      if (stale > 0) {
        stale--;
        return;
      }
      stale = Math.floor(size);
      growth = GROWTH;
      size = Math.max(1, size / 2);
      restart();
    },
  };
}
