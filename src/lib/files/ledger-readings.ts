// Reads the ledger: chosen requests, the newest, all, the most urgent, or those to prune.
import { ownTurn } from '../kernel/clock.ts';
import { eventOf, headOf, type LineHead, ownText, type StoredEvent } from './ledger-lines.ts';
import { type LineFile, openLineFile } from '../kernel/line-file.ts';

/** How lines add up (`domain/dsr/ledger.ts`). */
export interface LedgerRules<Event extends StoredEvent, Request> {
  /** The request after an event; undefined when the event adds nothing. */
  fold(before: Request | undefined, event: Event): Request | undefined;
  /** True if the second status is news after the first. */
  isAdvance(current: string | undefined, next: string): boolean;
}

/** Few bytes for each request while the whole ledger is read. */
interface Phases<Event> {
  /** One of few words. */
  phase(before: string | undefined, event: Event): string | undefined;
  isOpen(phase: string | undefined): boolean;
}

/** Chooses open requests and their order. */
export interface Urgency<Event> extends Phases<Event> {
  /** True if the request that this event begins is wanted; absent: all of the scope. */
  belongs?(event: Event): boolean;
  /** The smaller, the more urgent; Infinity for a request without a deadline; undefined for an event that changes nothing. */
  rank(event: Event): number | undefined;
}

export interface PruneRules<Event> extends Phases<Event> {
  /** ISO 8601: a request with a line from then on is kept. An open request is always kept. */
  before: string;
}

/** A line whose workspace is known. */
interface LedgerLine<Event> extends LineHead {
  scope: string;
  /** Byte of the file at which it begins. */
  offset: number;
  length: number;
  event(): Event | undefined;
}

/** Requests in memory at once while the whole ledger is read. */
const PART_REQUESTS = 2000;
/** Lines this close to each other are read together. */
const NEAR_BYTES = 4096;
const PIECE_BYTES = 1024 * 1024;

/** Reads the file at `path`; a scope is as `scopeKey` writes it. */
export function createReadings<Event extends StoredEvent, Request>(
  path: string,
  rules: LedgerRules<Event, Request>,
  signal: AbortSignal | undefined,
) {
  async function reading(work: (file: LineFile) => Promise<void>): Promise<void> {
    const file = openLineFile(path);
    try {
      if (file) await work(file);
    } finally {
      file?.close();
    }
  }

  /** Other work, such as Ctrl-C, gets its turn between pieces. */
  async function scan(file: LineFile, take: (line: LedgerLine<Event>) => void): Promise<void> {
    let offset = 0;
    for (const lines of file.lines(0, 'latin1')) {
      for (const line of lines) {
        const head = headOf(line);
        if (head?.scope !== undefined) {
          const { id, kind, scope } = head;
          take({ id, kind, scope, offset, length: line.length, event: () => eventOf(line) });
        }
        offset += line.length + 1;
      }
      await ownTurn(signal);
    }
  }

  const eachLine = (take: (line: LedgerLine<Event>) => void) => reading((file) => scan(file, take));

  function fold(known: Map<string, Request>, key: string, event: Event | undefined): void {
    const request = event && rules.fold(known.get(key), event);
    if (request) known.set(key, request);
  }

  async function find(ids: Iterable<string>, scope: string): Promise<ReadonlyMap<string, Request>> {
    const wanted = new Set(ids);
    const known = new Map<string, Request>();
    if (wanted.size === 0) return known;
    await eachLine((line) => {
      if (line.scope === scope && wanted.has(line.id)) fold(known, line.id, line.event());
    });
    return known;
  }

  async function newest(limit: number, scope: string): Promise<{ requests: Request[]; hasMore: boolean }> {
    const sent = new Set<string>();
    await eachLine((line) => {
      if (line.scope === scope && line.kind === 'submitted') sent.add(ownText(line.id));
    });
    const ids = [...sent].slice(-limit).reverse();
    const known = await find(ids, scope);
    return { requests: ids.flatMap((id) => known.get(id) ?? []), hasMore: sent.size > limit };
  }

  /** Oldest first. Memory holds the places of all lines, and the requests of one part. */
  async function* all(): AsyncGenerator<Request[]> {
    const file = openLineFile(path);
    if (!file) return;
    try {
      const places = new Map<string, number[]>();
      const scopes = new Map<string, number>();
      await scan(file, ({ id, length, offset, scope }) => {
        if (!scopes.has(scope)) scopes.set(ownText(scope), scopes.size);
        const key = `${scopes.get(scope)} ${id}`;
        // `concat` leaves no room to grow: with `push`, an export takes a third more memory.
        const known = places.get(key);
        places.set(known ? key : ownText(key), known?.concat(offset, length) ?? [offset, length]);
      });
      let part: LineSpan[] = [];
      let count = 0;
      for (const [key, numbers] of places) {
        for (let at = 0; at < numbers.length; at += 2) {
          const from = numbers[at] ?? 0;
          part.push({ key, from, to: from + (numbers[at + 1] ?? 0) });
        }
        if (++count % PART_REQUESTS !== 0 && count < places.size) continue;
        const known = new Map<string, Request>();
        for (const { key: own, line } of linesAt(file, part)) fold(known, own, eventOf(line));
        await ownTurn(signal);
        part = [];
        yield [...known.values()];
      }
    } finally {
      file.close();
    }
  }

  async function* byUrgency(
    { belongs, isOpen, phase, rank }: Urgency<Event>,
    count: () => number,
    scope: string,
  ): AsyncGenerator<{ requests: Request[]; left: number }> {
    /** By id. Without a rank while no line shows that the request was sent from here and belongs. */
    const known = new Map<string, { phase: string | undefined; rank: number | undefined; isSent: boolean }>();
    await eachLine((line) => {
      const event = line.scope === scope ? line.event() : undefined;
      if (event === undefined) return;
      const request = known.get(line.id) ?? { phase: undefined, rank: undefined, isSent: false };
      if (!known.has(line.id)) known.set(ownText(line.id), request);
      request.phase = phase(request.phase, event);
      if (event.event !== 'submitted') {
        if (request.rank !== undefined) request.rank = rank(event) ?? request.rank;
      } else if (!request.isSent) {
        request.isSent = true;
        if (belongs?.(event) ?? true) request.rank = rank(event) ?? Infinity;
      }
    });
    const ids = [...known]
      .filter(([, request]) => request.rank !== undefined && isOpen(request.phase))
      // Infinity less Infinity is not a number.
      .sort(([, { rank: a = 0 }], [, { rank: b = 0 }]) => (a === b ? 0 : a - b))
      .map(([id]) => id);
    for (let from = 0; from < ids.length; from += PART_REQUESTS) {
      const part = ids.slice(from, from + PART_REQUESTS);
      const found = await find(part, scope);
      const requests = part.flatMap((id) => found.get(id) ?? []);
      const after = ids.length - from - part.length;
      while (requests.length > 0)
        yield { requests: requests.splice(0, Math.max(1, count())), left: after + requests.length };
    }
  }

  /** Counts the requests to prune and their lines; `isKept` is false for one of these lines. */
  async function prunable({ before, isOpen, phase }: PruneRules<Event>) {
    const known = new Map<string, { phase: string | undefined; entries: number; isYoung: boolean }>();
    await eachLine((line) => {
      const event = line.event();
      if (event === undefined) return;
      const key = `${line.id} ${line.scope}`;
      const request = known.get(key) ?? { phase: undefined, entries: 0, isYoung: false };
      if (!known.has(key)) known.set(ownText(key), request);
      request.phase = phase(request.phase, event);
      request.entries++;
      request.isYoung ||= event.at === undefined || event.at >= before;
    });
    for (const [key, request] of known) if (request.isYoung || isOpen(request.phase)) known.delete(key);
    return {
      requests: known.size,
      entries: [...known.values()].reduce((sum, { entries }) => sum + entries, 0),
      isKept: (line: string): boolean => {
        const head = headOf(Buffer.from(line).toString('latin1'));
        return !known.has(`${head?.id ?? ''} ${head?.scope ?? ''}`);
      },
    };
  }

  return { eachLine, find, newest, all, byUrgency, prunable };
}

interface LineSpan {
  key: string;
  /** Bytes of the file. */
  from: number;
  to: number;
}

/** The lines at these places, in the order of the file. It skips the bytes between distant lines. */
function* linesAt(file: LineFile, places: readonly LineSpan[]): Generator<{ key: string; line: string }> {
  const inOrder = [...places].sort((a, b) => a.from - b.from);
  for (let next = 0; next < inOrder.length;) {
    const first = next;
    const start = inOrder[first]?.from ?? 0;
    let end = start;
    for (let place = inOrder[next]; place; place = inOrder[++next]) {
      if (place.from > start && (place.from - end > NEAR_BYTES || place.to - start > PIECE_BYTES)) break;
      end = place.to;
    }
    const text = file.read(start, end).toString('latin1');
    for (const { from, key, to } of inOrder.slice(first, next))
      yield { key, line: text.slice(from - start, to - start) };
  }
}
