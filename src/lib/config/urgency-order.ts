// The open requests of the ledger by urgency, in a few bytes per request: a large ledger is sorted before any of it is loaded.
import { doubled } from './id-table.ts';

/** Which requests, and what puts them in order. */
export interface Urgency<Event> {
  /** Whether the request that this event begins belongs; absent: all of the scope. */
  belongs?(event: Event): boolean;
  /** What is remembered of a request after an event: one of few words. */
  phase(before: string | undefined, event: Event): string | undefined;
  isOpen(phase: string | undefined): boolean;
  /** The smaller, the more urgent; Infinity for what nobody waits for; undefined for an event that changes nothing. */
  rank(event: Event): number | undefined;
}

export function createUrgencyOrder<Event extends { event: string }>({ belongs, isOpen, phase, rank }: Urgency<Event>) {
  let size = 0;
  /** By number; NaN for a request that nobody here sent, or that does not belong. */
  let ranks = new Float64Array(1024).fill(NaN);
  /** The first stands for none. */
  const words: (string | undefined)[] = [undefined];
  /** Place in `words`, by number. */
  let phases = new Uint16Array(1024);
  /** What a second line of the same request says of its times counts for nothing, as everywhere in the ledger. */
  let isSent = new Uint16Array(1024);

  function grow(): void {
    const before = ranks.length;
    [ranks, phases] = [doubled(ranks, Float64Array), doubled(phases, Uint16Array)];
    isSent = doubled(isSent, Uint16Array);
    ranks.fill(NaN, before);
  }

  return {
    /** Takes what a line says of the request of this number (`line-index.ts`). */
    take: (number: number, event: Event): void => {
      while (number >= ranks.length) grow();
      size = Math.max(size, number + 1);
      const before = words[phases[number] ?? 0];
      const after = phase(before, event);
      if (after !== before) {
        if (!words.includes(after)) words.push(after);
        phases[number] = words.indexOf(after);
      }
      if (event.event === 'submitted') {
        if (isSent[number] === 1) return;
        isSent[number] = 1;
        if (belongs?.(event) ?? true) ranks[number] = rank(event) ?? Infinity;
        return;
      }
      const changed = rank(event);
      if (changed !== undefined && !Number.isNaN(ranks[number])) ranks[number] = changed;
    },
    /** Numbers of the open requests that belong, the most urgent first, the older first among equals. */
    numbers: (): Uint32Array => {
      const open = new Uint32Array(size);
      let count = 0;
      for (let number = 0; number < size; number++) {
        if (!Number.isNaN(ranks[number]) && isOpen(words[phases[number] ?? 0])) open[count++] = number;
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
