// Runs the due work of all areas in the order of its times.

import { ownTurn, SLICE_MS, systemClock } from '../kernel/clock.ts';

/** An area with due work; see `OpenArea`. */
interface Scheduled {
  nextDue?(): number | undefined;
  catchUp?(now: number): void | Promise<void>;
}

export type CatchUp = ReturnType<typeof createCatchUp>;

/** `now` is epoch milliseconds of the platform's clock. */
export function createCatchUp(areas: readonly Scheduled[], now: () => number) {
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
      // An area without `nextDue` catches up whenever another area does something.
      for (const other of areas) if (other === area || !other.nextDue) await other.catchUp?.(at);
    }
  }

  /** Runs all due work. Resolves when it is done, including work in other threads. */
  function run(): Promise<void> {
    waiting++;
    const next = last.then(round).finally(() => waiting--);
    // A failure rejects this round only; the next round starts anyway.
    last = next.catch(() => undefined);
    return next;
  }

  return {
    run,
    /** Runs due work in the background. The next round reports a failure again. */
    start: (): void => {
      run().catch(() => undefined);
    },
    /** True during a round. */
    busy: (): boolean => waiting > 0,
    /** Stops; resolves when the current round has ended. */
    stop: (): Promise<void> => {
      stopped = true;
      return last;
    },
  };
}

function earliest(areas: readonly Scheduled[]): { area: Scheduled | undefined; at: number } {
  let found: { area: Scheduled | undefined; at: number } = { area: undefined, at: Infinity };
  for (const area of areas) {
    const at = area.nextDue?.();
    if (at !== undefined && at < found.at) found = { area, at };
  }
  return found;
}
