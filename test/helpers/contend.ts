// Runs several processes that contend for one budget or one token at the same time.
import { runTogether } from './bundle.ts';

/** Runs `children/contender.ts` `count` times simultaneously and returns the outputs. */
export function contend(count: number, ...args: string[]): Promise<string[]> {
  return runTogether('test/e2e/children/contender.ts', Array<string[]>(count).fill(args));
}
