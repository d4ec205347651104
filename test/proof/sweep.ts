// What sweeps have in common: the whole or a sample, a seed that is printed, and work shared out among worlds.

/** `vitest --mode whole`: everything, however long it takes. */
export const isWhole = process.env.MODE === 'whole';

/** Of this run; `SEED=n` repeats an earlier one. */
export const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));

/** A line of what a sweep found, at once. */
export function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(from: readonly T[], random: () => number): T {
  const found = from[Math.floor(random() * from.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

/** Gives each of `items` to whichever worker is free; the sum of what `work` returns. */
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
