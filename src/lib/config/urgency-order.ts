// The open requests of the ledger by urgency, in a few bytes per request: a large ledger is sorted before any of it is loaded.
import { doubled } from './id-table.ts';
import type { LedgerEvent, StateOrder, SubmittedEvent } from './ledger-events.ts';

/** Which requests, and what puts them in order. */
export interface Urgency {
  /** Absent: all of the scope. */
  belongs?(event: SubmittedEvent): boolean;
  /** By the last status; undefined is not known yet. */
  isOpen(status: string | undefined): boolean;
  /** The smaller, the more urgent; Infinity for what nobody waits for. */
  rank(event: SubmittedEvent): number;
}

export function createUrgencyOrder({ belongs, isOpen, rank }: Urgency, isAdvance: StateOrder) {
  let size = 0;
  /** By number; NaN for a request that nobody here sent, or that does not belong. */
  let ranks = new Float64Array(1024).fill(NaN);
  /** Few: they are the platform's words; the first stands for none. */
  const words: (string | undefined)[] = [undefined];
  /** Place in `words`, by number. */
  let statuses = new Uint16Array(1024);
  /** What a second line of the same request says of its times counts for nothing, as everywhere in the ledger. */
  let isSent = new Uint16Array(1024);

  function grow(): void {
    const before = ranks.length;
    [ranks, statuses] = [doubled(ranks, Float64Array), doubled(statuses, Uint16Array)];
    isSent = doubled(isSent, Uint16Array);
    ranks.fill(NaN, before);
  }

  return {
    /** Takes what a line says of the request of this number (`line-index.ts`). */
    take: (number: number, event: LedgerEvent): void => {
      while (number >= ranks.length) grow();
      size = Math.max(size, number + 1);
      const { status } = event;
      if (status !== undefined && isAdvance(words[statuses[number] ?? 0], status)) {
        if (!words.includes(status)) words.push(status);
        statuses[number] = words.indexOf(status);
      }
      if (event.event !== 'submitted' || isSent[number] === 1) return;
      isSent[number] = 1;
      if (belongs?.(event) ?? true) ranks[number] = rank(event);
    },
    /** Numbers of the open requests that belong, the most urgent first, the older first among equals. */
    numbers: (): Uint32Array => {
      const open = new Uint32Array(size);
      let count = 0;
      for (let number = 0; number < size; number++) {
        if (!Number.isNaN(ranks[number]) && isOpen(words[statuses[number] ?? 0])) open[count++] = number;
      }
      return open.subarray(0, count).sort((a, b) => {
        const one = ranks[a] ?? NaN;
        const other = ranks[b] ?? NaN;
        // Infinity less Infinity is no number.
        return one === other ? a - b : one - other;
      });
    },
  };
}
