// The last status of each of very many requests, in little memory.
import { createIdTable, doubled } from './id-table.ts';
import type { StateOrder } from './ledger-events.ts';

export interface StatusTable {
  get(id: string): string | undefined;
  /** Takes a status; false when it tells nothing new. */
  take(id: string, status: string): boolean;
}

/** `isAdvance` decides which statuses are news. */
export function createStatusTable(isAdvance: StateOrder): StatusTable {
  const ids = createIdTable();
  /** Few: they are the platform's words. */
  const words: string[] = [];
  /** Place in `words`, by number of the id. */
  let held = new Uint16Array(1024);

  function wordAt(number: number | undefined): string | undefined {
    return number === undefined ? undefined : words[held[number] ?? 0];
  }

  return {
    get: (id) => wordAt(ids.find(id)),
    take: (id, status) => {
      const before = ids.find(id);
      if (!isAdvance(wordAt(before), status)) return false;
      const number = before ?? ids.add(id);
      if (number >= held.length) held = doubled(held, Uint16Array);
      if (!words.includes(status)) words.push(status);
      held[number] = words.indexOf(status);
      return true;
    },
  };
}
