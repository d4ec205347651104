// What the sweeps share: a printed seed, and work that is distributed among worlds.
import { randomFrom } from '../helpers/random.ts';
import { SEED } from '../helpers/seed.ts';

export { SEED };

/** A command that takes longer than this counts as hanging, even on a busy machine. */
export const GIVE_UP_MS = 240_000;

/**
 * Returns a random number generator for one part of a sweep, such as a world or a case. The same seed produces the same
 * numbers, regardless of the other parts.
 */
export function randomOf(part: number): () => number {
  return randomFrom(SEED ^ Math.imul(part + 1, 0x9e3779b9));
}

/** Prints a line immediately. */
export function printLine(line: string): void {
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
        // `sum += await …` would read the sum before `work` finishes.
        const done = await work(worker, item);
        sum += done;
      }
    }),
  );
  return sum;
}

/** Runs `work` on random items, each at most once, until the sum of its results reaches `enough`. Returns that sum. */
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
