// Group commit: items that arrive during a batch form the next batch, so that many items share one flush.
import { ownTurn } from './clock.ts';

/** Each item resolves or rejects with its batch. Only one batch runs at a time. */
export function inBatches<T>(work: (items: readonly T[]) => Promise<void>): (item: T) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let next: { items: T[]; done: Promise<void> } | undefined;
  return (item) => {
    if (!next) {
      const items: T[] = [];
      const done = last.then(async () => {
        // Items that arrive in this turn of the event loop, on any connection, join the batch.
        await ownTurn();
        next = undefined;
        await work(items);
      });
      last = done.catch(() => undefined);
      next = { items, done };
    }
    next.items.push(item);
    return next.done;
  };
}
