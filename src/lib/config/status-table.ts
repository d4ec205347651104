// The last status of each of very many requests, in little memory.
import { doubled } from './id-table.ts';

/** Whether a status is news after another. */
export type StateOrder = (current: string | undefined, next: string) => boolean;

/** `isAdvance` decides which statuses are news. */
export function createStatusTable(isAdvance: StateOrder) {
  /** Few: they are the platform's words; the first stands for none. */
  const words: (string | undefined)[] = [undefined];
  /** Place in `words`, by request. */
  let held = new Uint16Array(1024);

  return {
    /** Takes a status of a request by its number; false when it is no news. */
    take: (request: number, status: string): boolean => {
      while (request >= held.length) held = doubled(held, Uint16Array);
      if (!isAdvance(words[held[request] ?? 0], status)) return false;
      if (!words.includes(status)) words.push(status);
      held[request] = words.indexOf(status);
      return true;
    },
  };
}
