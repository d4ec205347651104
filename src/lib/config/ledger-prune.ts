// Which requests of the ledger are old enough to be pruned, found in a few bytes per request.
import { doubled } from './id-table.ts';
import { type LedgerFile, scopeKey, type StoredEvent } from './ledger-lines.ts';
import { createRequestNumbers } from './request-numbers.ts';

export interface PruneRules<Event> {
  /** ISO 8601: a request with a line from then on is kept. */
  before: string;
  /** What is remembered of a request after an event: one of few words. */
  phase(before: string | undefined, event: Event): string | undefined;
  /** Whether a request in this phase is kept, however old it is. */
  isOpen(phase: string | undefined): boolean;
}

export interface Prunable {
  requests: number;
  /** Their lines. */
  entries: number;
  /** Whether a line of the chain is not one of theirs. */
  isKept(line: string): boolean;
}

/** Reads the whole file; `turn` runs between its pieces. */
export async function findPrunable<Event extends StoredEvent & { at?: string }>(
  file: LedgerFile<Event>,
  { before, isOpen, phase }: PruneRules<Event>,
  turn: () => Promise<void>,
): Promise<Prunable> {
  const numbers = createRequestNumbers();
  const words: (string | undefined)[] = [undefined];
  /** By number: the place in `words`, how many lines it has, and 1 where one of them is young or names no workspace. */
  let [phases, counts, young] = [new Uint16Array(1024), new Uint32Array(1024), new Uint16Array(1024)];
  for (const lines of file.forward(0)) {
    for (const line of lines) {
      const number = numbers.add(line.id, line.scope);
      // It may be about either of two requests: both are kept.
      if (number === undefined) continue;
      while (number >= counts.length)
        [phases, counts, young] = [
          doubled(phases, Uint16Array),
          doubled(counts, Uint32Array),
          doubled(young, Uint16Array),
        ];
      const event = line.event();
      const next = phase(words[phases[number] ?? 0], event);
      if (!words.includes(next)) words.push(next);
      phases[number] = words.indexOf(next);
      counts[number] = (counts[number] ?? 0) + 1;
      if (line.scope === undefined || event.at === undefined || event.at >= before) young[number] = 1;
    }
    await turn();
  }
  const isOld = (number: number): boolean => young[number] === 0 && !isOpen(words[phases[number] ?? 0]);
  const found = { requests: 0, entries: 0 };
  for (let number = 0; number < numbers.size; number++) {
    if (!isOld(number)) continue;
    found.requests++;
    found.entries += counts[number] ?? 0;
  }
  return {
    ...found,
    isKept: (line) => {
      const { address, id, workspace_id } = JSON.parse(line) as StoredEvent;
      if (address === undefined || workspace_id === undefined) return true;
      const number = numbers.find(id, scopeKey({ address, workspace_id }));
      return number === undefined || !isOld(number);
    },
  };
}
