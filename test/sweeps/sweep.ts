// Parts that sweeps share: a printed seed, and work distributed among worlds.
import { randomFrom } from '../helpers/random.ts';
import { SEED } from '../helpers/seed.ts';

export { SEED };

/** A command that has not finished after this much of the machine's time hangs, however busy the machine is. */
export const GIVE_UP_MS = 240_000;

/**
 * Numbers at random for one part of a sweep, such as a world or a case: the same for the same seed, whatever the other
 * parts do meanwhile.
 */
export function randomOf(part: number): () => number {
  return randomFrom(SEED ^ Math.imul(part + 1, 0x9e3779b9));
}

/** A line of what a sweep found, at once. */
export function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Gives each item to a free worker. Returns the sum of the results of `work`. */
export async function inTurn<Worker, Item>(
  workers: readonly Worker[],
  items: readonly Item[],
  work: (worker: Worker, item: Item) => Promise<number>,
): Promise<number> {
  const left = [...items];
  let sum = 0;
  await Promise.all(
    workers.map(async (worker) => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) {
        // Not in one expression: that would take the sum from before the wait.
        const done = await work(worker, item);
        sum += done;
      }
    }),
  );
  return sum;
}

/** Gives items drawn at random to `work`, each at most once, until it has done so much: the sum of what it returns. */
export async function inSample<Item>(
  items: readonly Item[],
  enough: number,
  random: () => number,
  work: (item: Item) => Promise<number>,
): Promise<number> {
  const left = [...items];
  let sum = 0;
  while (left.length > 0 && sum < enough) {
    for (const item of left.splice(Math.floor(random() * left.length), 1)) {
      const done = await work(item);
      sum += done;
    }
  }
  return sum;
}
