// Remembers when requests were sent, to count them per second.
import { smallest } from '../../kernel/numbers.ts';

const SECOND_MS = 1000;
/** Maximum number of remembered requests. More requests would not make the rate more accurate. */
const MAX_REMEMBERED = 4096;

export function createSentTimes() {
  const times = new Float64Array(MAX_REMEMBERED).fill(-Infinity);
  let count = 0;
  let firstAt = Infinity;
  return {
    /** The earliest recorded time; `Infinity` if no time is recorded. */
    get firstAt(): number {
      return firstAt;
    },
    record: (at: number): void => {
      times[count++ % MAX_REMEMBERED] = at;
      firstAt = Math.min(firstAt, at);
    },
    /** Returns the number of requests sent in the second before `at`. */
    perSecondBefore: (at: number): number => {
      const within = times.filter((one) => one > at - SECOND_MS && one <= at);
      return within.length < MAX_REMEMBERED ? within.length : (within.length / (at - smallest(within))) * SECOND_MS;
    },
  };
}
