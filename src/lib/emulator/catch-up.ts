// What the clock owes: everything that has fallen due, over all areas, in the order of its times.

import { ownTurn, SLICE_MS, systemClock } from '../kernel/clock.ts';

/** Whatever owes something at a moment of the clock: an area of the platform (`area.ts` says what each answers). */
interface Owing {
  nextDue?(): number | undefined;
  catchUp?(now: number): void | Promise<void>;
}

export type CatchUp = ReturnType<typeof createCatchUp>;

/** `now` is epoch milliseconds of the platform's clock. */
export function createCatchUp(areas: readonly Owing[], now: () => number) {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  let stopped = false;

  async function round(): Promise<void> {
    let since = systemClock.now();
    for (;;) {
      if (systemClock.now() - since >= SLICE_MS) {
        await ownTurn();
        since = systemClock.now();
      }
      if (stopped) return;
      const until = now();
      const { area, at } = earliest(areas);
      if (at > until) {
        for (const other of areas) if (!other.nextDue) await other.catchUp?.(until);
        return;
      }
      // An area that does not say what comes next is brought to each moment at which something happens elsewhere.
      for (const other of areas) if (other === area || !other.nextDue) await other.catchUp?.(at);
    }
  }

  /** Does what has fallen due by now. Resolves when that is done, work in other threads included. */
  function run(): Promise<void> {
    waiting++;
    const next = last.then(round).finally(() => waiting--);
    // The next round begins even if this one fails; whoever waits for this one is told.
    last = next.catch(() => undefined);
    return next;
  }

  return {
    run,
    /** The same without being waited for. What fails is met with again by the next round, and told to who waits for that. */
    start: (): void => {
      run().catch(() => undefined);
    },
    /** Whether something is being done at the moment. */
    busy: (): boolean => waiting > 0,
    /** Begins nothing more; resolves when what is under way has ended. */
    stop: (): Promise<void> => {
      stopped = true;
      return last;
    },
  };
}

function earliest(areas: readonly Owing[]): { area: Owing | undefined; at: number } {
  let found: { area: Owing | undefined; at: number } = { area: undefined, at: Infinity };
  for (const area of areas) {
    const at = area.nextDue?.();
    if (at !== undefined && at < found.at) found = { area, at };
  }
  return found;
}
