// How many requests may be under way at once: more while answers stay quick, fewer when they slow down or a limit hits.

export type Window = ReturnType<typeof createWindow>;

const START = 4;
/** Until it slows down or hits a limit for the first time, and from then on. */
const FIRST_GROWTH = 2;
const GROWTH = 1.25;
const SHRINK = 0.85;
/** Latency may double, and a little more where it is tiny, before it counts as growing. */
const TOLERATED = 2;
const SLACK_MS = 5;
/** The best latency is forgotten slowly: a platform may be slower now than it was. */
const FORGET = 1.01;

export function createWindow(max: number) {
  let size = Math.min(START, max);
  let best = Infinity;
  let answers = 0;
  let total = 0;
  // Answers to requests that were under way when the limit hit say nothing new.
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
    /** An answer came after `ms`; `slowDown` when the platform told that a limit is near. */
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
    /** A limit was hit (429, 503): halves it, at most once for the requests of one round. */
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
