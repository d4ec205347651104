// Reads requests from the ledger: selected requests, the newest, all, the most urgent, or those to prune.
import { dirname } from 'node:path';
import { ownTurn } from '../kernel/clock.ts';
import { type LineFile, openLineFile } from '../kernel/line-file.ts';
import { createRowKeys } from '../kernel/row-keys.ts';

/** The fields that this module uses. The domain defines the other fields, and how lines combine. */
export interface StoredEvent {
  event: string;
  id: string;
  at?: string;
  status?: string;
}

/** Rules for combining lines (see `domain/dsr/ledger-fold.ts`). */
export interface LedgerRules<Event extends StoredEvent, Request> {
  /** Returns the request with the event applied; undefined if the event adds nothing. */
  fold(before: Request | undefined, event: Event): Request | undefined;
  /** True if `next` is a later status than `current`. */
  isAdvance(current: string | undefined, next: string): boolean;
  /** True if a new submission in this phase starts the request over. */
  isVoid(phase: string | undefined): boolean;
}

/** Phases are short strings, because the phases of all requests are in memory while the whole ledger is read. */
interface Phases<Event> {
  /** Returns a request's phase after an event, as one of a few words. */
  phase(before: string | undefined, event: Event): string | undefined;
  isOpen(phase: string | undefined): boolean;
}

export interface Selection<Event, Kept extends object> extends Phases<Event> {
  /** Returns what to keep of a submission, or undefined to omit the request. */
  keep(event: Event): Kept | undefined;
}

/** Selects and orders open requests. */
export interface Urgency<Event> extends Pick<Phases<Event>, 'phase'> {
  isOpen(phase: string | undefined, rank: number): boolean;
  /** A lower rank is more urgent. Infinity means no deadline; undefined means that the event changes nothing. */
  rank(event: Event, before?: number): number | undefined;
}

export interface PruneRules<Event> extends Phases<Event> {
  /** ISO 8601. A request with a line at or after this time is kept. An open request is always kept. */
  before: string;
  /** Returns the path of a file that the line records. Pruning does not delete the file. */
  fileOf(event: Event): string | undefined;
}

/** A complete line, found without parsing. The strings are in `latin1`: each character is one byte of the file. */
export interface LedgerLine {
  kind: string;
  id: string;
  /** The scope, as `scopeKey` returns it; undefined in state lines from versions that had no hash chain. */
  scope: string | undefined;
  key: string;
  text: string;
}

/** Every line starts with its kind and its id. The address and the workspace are always adjacent. */
const HEAD = /^\{"event":"([^"]*)","id":"([^"]*)".*\}$/s;
const SCOPE = /"address":"(?:[^"\\]|\\.)*","workspace_id":"(?:[^"\\]|\\.)*"/;

/** Returns undefined for an incomplete line, and for a line that the chain wrote about itself. */
export function lineOf(text: string): LedgerLine | undefined {
  const [, kind, id] = HEAD.exec(text) ?? [];
  if (kind === undefined || id === undefined) return undefined;
  const scope = SCOPE.exec(text)?.[0];
  return { kind, id, scope, key: `${id} ${scope ?? ''}`, text };
}

/** Copies the text, because a substring would keep a whole chunk of the file in memory. */
export function ownText(part: string): string {
  return Buffer.from(part, 'latin1').toString('latin1');
}

/** Returns the key of a scope, in the encoding of `latin1` lines. */
export function scopeKey({ address, workspace_id }: { address: string; workspace_id: string }): string {
  return Buffer.from(JSON.stringify({ address, workspace_id }).slice(1, -1)).toString('latin1');
}

/** Returns undefined for a line that only appears to be complete. */
export function eventOf<Event extends StoredEvent>({ text }: LedgerLine): Event | undefined {
  try {
    const line = Buffer.from(text, 'latin1').toString();
    // The number and the hash belong to the chain, not to the event.
    const { chain: _hash, entry: _number, ...event } = JSON.parse(line) as Event & Record<'chain' | 'entry', unknown>;
    return event as unknown as Event;
  } catch {
    return undefined;
  }
}

/** Maximum number of requests in memory while the whole ledger is read. */
const PART_REQUESTS = 2000;

/** Reads the file at `path`. Scopes have the form that `scopeKey` returns. */
export function createReadings<Event extends StoredEvent, Request>(
  path: string,
  rules: LedgerRules<Event, Request>,
  signal: AbortSignal | undefined,
) {
  /** Calls `take` with each line whose workspace is known, and with its offset. Yields to other work and Ctrl-C. */
  async function eachLine(take: (line: LedgerLine, offset: number) => void, opened?: LineFile): Promise<void> {
    const file = opened ?? openLineFile(path);
    let offset = 0;
    try {
      for (const texts of file?.lines(0, 'latin1') ?? []) {
        for (const text of texts) {
          const line = lineOf(text);
          if (line?.scope !== undefined) take(line, offset);
          offset += text.length + 1;
        }
        await ownTurn(signal);
      }
    } finally {
      if (!opened) file?.close();
    }
  }

  function fold(known: Map<string, Request>, key: string, line: LedgerLine): void {
    const event = eventOf<Event>(line);
    const request = event && rules.fold(known.get(key), event);
    if (request) known.set(key, request);
  }

  async function find(ids: Iterable<string>, scope: string): Promise<ReadonlyMap<string, Request>> {
    const wanted = new Set(ids);
    const known = new Map<string, Request>();
    if (wanted.size === 0) return known;
    await eachLine((line) => {
      if (line.scope === scope && wanted.has(line.id)) fold(known, line.id, line);
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

  /** Returns the requests whose lines are at these places, given as alternating offsets and lengths. */
  function requestsAt(file: LineFile, places: readonly number[]): Request[] {
    const known = new Map<string, Request>();
    for (let at = 0; at < places.length; at += 2) {
      const [from = 0, length = 0] = places.slice(at, at + 2);
      const line = lineOf(file.read(from, from + length).toString('latin1'));
      if (line) fold(known, line.key, line);
    }
    return [...known.values()];
  }

  /** Yields all requests, oldest first. Only the position of each line and one part of the requests are in memory. */
  async function* all(): AsyncGenerator<Request[]> {
    const file = openLineFile(path);
    if (!file) return;
    try {
      const keys = createRowKeys();
      const parts: number[][] = [];
      let count = 0;
      await eachLine(({ key, text }, offset) => {
        const request = keys.add(key, count + 1) ?? ++count;
        (parts[Math.floor((request - 1) / PART_REQUESTS)] ??= []).push(offset, text.length);
      }, file);
      for (const places of parts) {
        await ownTurn(signal);
        yield requestsAt(file, places);
      }
    } finally {
      file.close();
    }
  }

  /** Calls `take` with each event and its request's facts, then sets their `phase`. Returns facts by id and scope. */
  async function survey<Facts extends { phase?: string | undefined }>(
    { phase }: Pick<Phases<Event>, 'phase'>,
    start: Facts,
    take: (facts: Facts, event: Event, offset: number, length: number) => void,
    { scope, opened }: { scope?: string; opened?: LineFile } = {},
  ) {
    const known = new Map<string, Facts>();
    await eachLine((line, offset) => {
      const event = scope === undefined || line.scope === scope ? eventOf<Event>(line) : undefined;
      if (event === undefined) return;
      const facts = known.get(line.key) ?? { ...start };
      if (!known.has(line.key)) known.set(ownText(line.key), facts);
      take(facts, event, offset, line.text.length);
      facts.phase = phase(facts.phase, event);
    }, opened);
    return known;
  }

  /** Returns the open requests that were sent from this machine, each with its phase. */
  async function submissions<Kept extends object>(
    { isOpen, keep, phase }: Selection<Event, Kept>,
    scope: string,
  ): Promise<(Kept & { phase: string | undefined })[]> {
    const start: { phase?: string | undefined; isSent: boolean; kept?: Kept | undefined } = { isSent: false };
    const take = (facts: typeof start, event: Event): void => {
      if (event.event !== 'submitted' || (facts.isSent && !rules.isVoid(facts.phase))) return;
      facts.isSent = true;
      facts.kept = keep(event);
    };
    const found = await survey({ phase }, start, take, { scope });
    return [...found.values()].flatMap(({ kept, phase }) => (kept && isOpen(phase) ? { ...kept, phase } : []));
  }

  /** Yields requests as they were when the ledger was opened, most urgent first. */
  async function* byUrgency(
    urgency: Urgency<Event>,
    count: () => number,
    scope: string,
  ): AsyncGenerator<{ requests: Request[]; left: number }> {
    const { isOpen, rank } = urgency;
    /** The rank is absent until a line shows that the request was sent from this machine. */
    const start: { phase?: string | undefined; rank?: number; isSent: boolean; places?: number[] } = { isSent: false };
    const take = (facts: typeof start, event: Event, offset: number, length: number): void => {
      (facts.places ??= []).push(offset, length);
      if (event.event !== 'submitted') {
        if (facts.rank !== undefined) facts.rank = rank(event, facts.rank) ?? facts.rank;
      } else if (!facts.isSent || rules.isVoid(facts.phase)) {
        facts.isSent = true;
        facts.rank = rank(event) ?? Infinity;
      }
    };
    const file = openLineFile(path);
    if (!file) return;
    try {
      const selected = [...(await survey(urgency, start, take, { scope, opened: file })).values()]
        .filter(({ phase, rank }) => rank !== undefined && isOpen(phase, rank))
        // Infinity minus Infinity is NaN.
        .sort(({ rank: a = 0 }, { rank: b = 0 }) => (a === b ? 0 : a - b));
      for (let from = 0; from < selected.length;) {
        const part = selected.slice(from, from + Math.min(PART_REQUESTS, Math.max(1, count())));
        from += part.length;
        await ownTurn(signal);
        yield {
          requests: part.flatMap(({ places = [] }) => requestsAt(file, places)),
          left: selected.length - from,
        };
      }
    } finally {
      file.close();
    }
  }

  /** Returns the requests to prune, and the folders that contain their files. `isKept` is false for lines to remove. */
  async function prunable(pruned: PruneRules<Event>) {
    const { before, fileOf, isOpen } = pruned;
    const start: { phase?: string | undefined; entries: number; isYoung: boolean; folders?: ReadonlySet<string> } = {
      entries: 0,
      isYoung: false,
    };
    const known = await survey(pruned, start, (facts, event) => {
      const file = fileOf(event);
      facts.entries++;
      facts.isYoung ||= event.at === undefined || event.at >= before;
      if (file !== undefined) facts.folders = new Set(facts.folders).add(dirname(file));
    });
    for (const [key, request] of known) if (request.isYoung || isOpen(request.phase)) known.delete(key);
    return {
      requests: known.size,
      ids: [...known.keys()].map((key) => key.slice(0, key.indexOf(' '))),
      kept_in: [...new Set([...known.values()].flatMap(({ folders }) => [...(folders ?? [])]))],
      entries: [...known.values()].reduce((sum, { entries }) => sum + entries, 0),
      isKept: (text: string): boolean => {
        const line = lineOf(Buffer.from(text).toString('latin1'));
        return line === undefined || !known.has(line.key);
      },
    };
  }

  return { eachLine, find, newest, all, submissions, byUrgency, prunable };
}
