// Reads requests from the ledger: selected requests, the newest, all, the most urgent, or those to prune.
import { dirname } from 'node:path';
import type { LedgerEvent, LedgerRequest, SubmittedNews } from '../domain/dsr/ledger.ts';
import { foldEvent } from '../domain/dsr/ledger-fold.ts';
import { deadlineAfter, isPhaseDue, phaseAfter, statusIn } from '../domain/dsr/outcome.ts';
import { isNotSubmitted } from '../domain/dsr/statuses.ts';
import { ownTurn } from '../kernel/clock.ts';
import { type LineFile, openLineFile } from '../kernel/line-file.ts';
import { createRowKeys } from '../kernel/row-keys.ts';

/** A complete line, found without parsing. The strings are in `latin1`: each character is one byte of the file. */
interface LedgerLine {
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
export function eventOf({ text }: LedgerLine): LedgerEvent | undefined {
  try {
    const line = Buffer.from(text, 'latin1').toString();
    // The number and the hash belong to the chain, not to the event.
    const { chain: _hash, entry: _number, ...event } = JSON.parse(line) as LedgerEvent & Record<string, unknown>;
    return event as LedgerEvent;
  } catch {
    return undefined;
  }
}

/** Maximum number of requests in memory while the whole ledger is read. */
const PART_REQUESTS = 2000;

/** What is in memory about every request while the whole ledger is read. */
interface Facts {
  phase?: string;
  /** True if the request was sent from this machine. */
  isSent?: boolean;
}

/** Reads the file at `path`. Scopes have the form that `scopeKey` returns. */
export function createReadings(path: string, signal?: AbortSignal, waits?: () => () => void) {
  /** Calls `take` with each line whose workspace is known, and with its offset. Yields to other work and Ctrl-C. */
  async function eachLine(take: (line: LedgerLine, offset: number) => void, opened?: LineFile): Promise<void> {
    const file = opened ?? openLineFile(path);
    const end = waits?.();
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
      end?.();
      if (!opened) file?.close();
    }
  }

  function fold(known: Map<string, LedgerRequest>, key: string, line: LedgerLine): void {
    const event = eventOf(line);
    const request = event && foldEvent(known.get(key), event);
    if (request) known.set(key, request);
  }

  async function find(ids: Iterable<string>, scope: string): Promise<ReadonlyMap<string, LedgerRequest>> {
    const wanted = new Set(ids);
    const known = new Map<string, LedgerRequest>();
    if (wanted.size === 0) return known;
    await eachLine((line) => {
      if (line.scope === scope && wanted.has(line.id)) fold(known, line.id, line);
    });
    return known;
  }

  async function newest(limit: number, scope: string): Promise<{ requests: LedgerRequest[]; hasMore: boolean }> {
    const sent = new Set<string>();
    await eachLine((line) => {
      if (line.scope === scope && line.kind === 'submitted') sent.add(ownText(line.id));
    });
    const ids = [...sent].slice(-limit).reverse();
    const known = await find(ids, scope);
    return { requests: ids.flatMap((id) => known.get(id) ?? []), hasMore: sent.size > limit };
  }

  /** Returns the requests whose lines are at these places, given as alternating offsets and lengths. */
  function requestsAt(file: LineFile, places: readonly number[]): LedgerRequest[] {
    const known = new Map<string, LedgerRequest>();
    for (let at = 0; at < places.length; at += 2) {
      const [from = 0, length = 0] = places.slice(at, at + 2);
      const line = lineOf(file.read(from, from + length).toString('latin1'));
      if (line) fold(known, line.key, line);
    }
    return [...known.values()];
  }

  /** Yields all requests, oldest first. Only the position of each line and one part of the requests are in memory. */
  async function* all(): AsyncGenerator<LedgerRequest[]> {
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

  /**
   * Calls `take` with each event and the facts from the lines before it. `sent` is set if the event starts the request:
   * its first submission, or the next one after the platform did not get it. Returns the facts by id and scope.
   */
  async function survey<More extends Facts>(
    start: More,
    take: (facts: More, event: LedgerEvent, place: [number, number], sent?: SubmittedNews) => void,
    { scope, opened }: { scope?: string; opened?: LineFile } = {},
  ) {
    const known = new Map<string, More>();
    await eachLine((line, offset) => {
      const event = scope === undefined || line.scope === scope ? eventOf(line) : undefined;
      if (event === undefined) return;
      const facts = known.get(line.key) ?? { ...start };
      if (!known.has(line.key)) known.set(ownText(line.key), facts);
      const isStart = event.event === 'submitted' && (!facts.isSent || isNotSubmitted(statusIn(facts.phase)));
      if (isStart) facts.isSent = true;
      take(facts, event, [offset, line.text.length], isStart ? event : undefined);
      facts.phase = phaseAfter(facts.phase, event);
    }, opened);
    return known;
  }

  /** Returns what `keep` returns for the requests that were sent from this machine, and their phases. */
  async function submissions<Kept extends object>(keep: (event: SubmittedNews) => Kept | undefined, scope: string) {
    const first: Facts & { kept?: Kept | undefined } = {};
    const found = await survey(
      first,
      (facts, _event, _place, sent) => {
        if (sent) facts.kept = keep(sent);
      },
      { scope },
    );
    return [...found.values()].flatMap(({ kept, phase }) => (kept ? [{ ...kept, phase }] : []));
  }

  /**
   * Yields the requests that were due when the ledger was opened, most urgent first, in parts of `count()`; `left` counts
   * the rest. Omits erasures due after `until` (ms): other requests may have results, which can expire much earlier.
   */
  async function* byUrgency(
    until: number,
    count: () => number,
    scope: string,
  ): AsyncGenerator<{ requests: LedgerRequest[]; left: number }> {
    /** Infinity means no deadline; undefined means that the request was not sent from this machine. */
    const first: Facts & { deadline?: number; places?: number[] } = {};
    const file = openLineFile(path);
    if (!file) return;
    try {
      const found = await survey(
        first,
        (facts, event, place, sent) => {
          (facts.places ??= []).push(...place);
          if (sent) facts.deadline = deadlineAfter(undefined, event) ?? Infinity;
          else if (event.event !== 'submitted' && facts.deadline !== undefined)
            facts.deadline = deadlineAfter(facts.deadline, event) ?? facts.deadline;
        },
        { scope, opened: file },
      );
      const due = [...found.values()].flatMap(({ deadline, phase = '', places = [] }) => {
        if (deadline === undefined || !isPhaseDue(phase)) return [];
        const isLater = phase.startsWith('erasure ') && deadline > until && deadline !== Infinity;
        return isLater ? [] : [{ deadline, places }];
      });
      // Infinity minus Infinity is NaN.
      due.sort((a, b) => (a.deadline === b.deadline ? 0 : a.deadline - b.deadline));
      for (let from = 0; from < due.length;) {
        const part = due.slice(from, from + Math.min(PART_REQUESTS, Math.max(1, count())));
        from += part.length;
        await ownTurn(signal);
        yield { requests: part.flatMap(({ places }) => requestsAt(file, places)), left: due.length - from };
      }
    } finally {
      file.close();
    }
  }

  /**
   * Returns the requests that are not due and have no line at or after `before` (ISO 8601), and the folders that contain
   * their kept messages, which pruning does not delete. `isKept` is false for the lines to remove.
   */
  async function prunable(before: string) {
    const start: Facts & { entries: number; isYoung: boolean; folders?: ReadonlySet<string> } = {
      entries: 0,
      isYoung: false,
    };
    const known = await survey(start, (facts, event) => {
      facts.entries++;
      // A damaged line may have no time.
      facts.isYoung ||= !(event.at < before);
      if (event.event === 'kept') facts.folders = new Set(facts.folders).add(dirname(event.file));
    });
    for (const [key, request] of known) if (request.isYoung || isPhaseDue(request.phase)) known.delete(key);
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
