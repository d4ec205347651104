// What is read of the ledger: chosen requests, the newest, all, or the most urgent, each in little memory.
import { ownTurn } from '../kernel/clock.ts';
import { type LedgerFile, type LedgerLine, openLedgerFile, type StoredEvent } from './ledger-lines.ts';
import { createLineIndex, type LineIndex } from './line-index.ts';
import { createRequestNumbers } from './request-numbers.ts';
import type { StateOrder } from './status-table.ts';
import { createUrgencyOrder, type Urgency } from './urgency-order.ts';

/** How lines add up (`domain/dsr/ledger.ts`). */
export interface LedgerRules<Event extends StoredEvent, Request> {
  /** The request after an event; undefined when the event adds nothing. */
  fold(before: Request | undefined, event: Event): Request | undefined;
  /** Which states are news. */
  isAdvance: StateOrder;
}

/** Requests held at once while everything is read. */
const PART_REQUESTS = 2000;

/** The readings of the file at `path`; a scope is as `scopeKey` writes it. */
export function createReadings<Event extends StoredEvent, Request>(
  path: string,
  rules: LedgerRules<Event, Request>,
  signal: AbortSignal | undefined,
) {
  /** The ids that `find` was asked for, and their requests in every scope. */
  let found = { ids: new Set<string>(), ...emptyFind() };

  function emptyFind() {
    return { file: '', readTo: 0, numbers: createRequestNumbers(), known: new Map<number, Request>() };
  }

  function fold(known: Map<number, Request>, number: number, event: Event): void {
    const request = rules.fold(known.get(number), event);
    if (request) known.set(number, request);
  }

  /** Runs over lines until `take` answers false; other work, such as Ctrl-C, gets its turn between pieces. */
  async function eachLine(
    lines: Iterable<LedgerLine<Event>[]>,
    take: (line: LedgerLine<Event>) => unknown,
  ): Promise<void> {
    for (const piece of lines) {
      for (const line of piece) if (take(line) === false) return;
      await ownTurn(signal);
    }
  }

  async function reading<T>(work: (file: LedgerFile<Event>) => Promise<T>): Promise<T | undefined> {
    const file = openLedgerFile<Event>(path);
    try {
      return file && (await work(file));
    } finally {
      file?.close();
    }
  }

  async function find(ids: readonly string[], scope: string): Promise<ReadonlyMap<string, Request>> {
    if (ids.length === 0) return new Map();
    await reading(async (file) => {
      const isSame = file.identity === found.file && file.size >= found.readTo && ids.every((id) => found.ids.has(id));
      if (!isSame) found = { ids: new Set([...found.ids, ...ids]), ...emptyFind(), file: file.identity };
      const { ids: wanted, known, numbers, readTo } = found;
      await eachLine(file.forward(readTo), (line) => {
        if (!wanted.has(line.id)) return;
        const number = numbers.add(line.id, line.scope);
        if (number !== undefined) fold(known, number, line.event());
      });
      found.readTo = file.size;
    });
    return new Map(
      ids.flatMap((id): [string, Request][] => {
        const request = found.known.get(found.numbers.find(id, scope) ?? -1);
        return request ? [[id, request]] : [];
      }),
    );
  }

  async function newest(limit: number, scope: string): Promise<{ requests: Request[]; hasMore: boolean }> {
    const known = new Map<number, Request>();
    const numbers = createRequestNumbers();
    const ids = new Set<string>();
    let hasMore = false;
    await reading(async (file) => {
      let from = file.size;
      await eachLine(file.backward(), (line) => {
        // Only the lines before it show which request it is about.
        if (line.scope === undefined) from = 0;
        if (line.scope !== scope || ids.has(line.id) || line.event().event !== 'submitted') return true;
        hasMore = ids.size === limit;
        if (hasMore) return false;
        ids.add(line.id);
        from = Math.min(from, line.offset);
        return true;
      });
      await eachLine(file.forward(from), (line) => {
        const number = ids.has(line.id) ? numbers.add(line.id, line.scope) : undefined;
        if (number !== undefined) fold(known, number, line.event());
      });
    });
    return { requests: [...ids].flatMap((id) => known.get(numbers.find(id, scope) ?? -1) ?? []), hasMore };
  }

  async function* all(): AsyncGenerator<Request[]> {
    const file = openLedgerFile<Event>(path);
    if (!file) return;
    try {
      const index = createLineIndex();
      await eachLine(file.forward(0), (line) => index.add(line));
      for (let first = 0; first < index.requests; first += PART_REQUESTS) {
        const count = Math.min(PART_REQUESTS, index.requests - first);
        const numbers = Array.from({ length: count }, (_, number) => first + number);
        yield await requestsOf(file, index, numbers);
      }
    } finally {
      file.close();
    }
  }

  async function* byUrgency(
    urgency: Urgency<Event>,
    count: () => number,
    scope: string,
  ): AsyncGenerator<{ requests: Request[]; left: number }> {
    const file = openLedgerFile<Event>(path);
    if (!file) return;
    try {
      const index = createLineIndex();
      const order = createUrgencyOrder(urgency);
      await eachLine(file.forward(0), (line) => {
        const number = index.add(line);
        if (number !== undefined && (line.scope ?? scope) === scope) order.take(number, line.event());
      });
      for (let numbers = order.numbers(); numbers.length > 0;) {
        const part = numbers.subarray(0, Math.max(1, count()));
        numbers = numbers.subarray(part.length);
        yield { requests: await requestsOf(file, index, part), left: numbers.length };
      }
    } finally {
      file.close();
    }
  }

  /** The entries of these numbers, in the order of the file. */
  async function requestsOf(file: LedgerFile<Event>, index: LineIndex, numbers: Iterable<number>): Promise<Request[]> {
    const known = new Map<number, Request>();
    for (const lines of file.chosen(index.spans(numbers, file.size))) {
      for (const { event, request } of lines) fold(known, request, event);
      await ownTurn(signal);
    }
    return [...known.values()];
  }

  return { reading, find, newest, all, byUrgency };
}
