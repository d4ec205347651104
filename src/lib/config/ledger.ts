// The ledger: the data subject requests sent from this machine, by workspace: when, by whom, and each status since.
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { type Clock, ownTurn } from '../kernel/clock.ts';
import type { ChainReport } from '../kernel/hash-chain.ts';
import { withLock } from '../kernel/lock.ts';
import { openChain } from './chain.ts';
import {
  foldEvent,
  type LedgerEvent,
  type LedgerRequest,
  type LedgerScope,
  type StateEvent,
  type StateOrder,
} from './ledger-events.ts';
import { loadLedgerKey } from './ledger-key.ts';
import { type LedgerFile, type LedgerLine, openLedgerFile, scopeKey } from './ledger-lines.ts';
import { createLineIndex, type LineIndex } from './line-index.ts';
import { createRequestNumbers } from './request-numbers.ts';
import { createStatusTable } from './status-table.ts';
import { createUrgencyOrder, type Urgency } from './urgency-order.ts';

/** The whole file. Only an export reads across scopes. */
export interface Ledger {
  readonly path: string;
  /** The requests of one workspace at one address. All of them share one file. */
  in(scope: LedgerScope): ScopedLedger;
  /** Everything, oldest first, in parts: memory holds one part, even of a million requests. */
  all(): AsyncGenerator<LedgerRequest[]>;
  /** Checks the chain of its lines; `head` is a hash that it must contain. */
  verify(head?: string): Promise<ChainReport>;
}

/** What is sent to one workspace at one address, and nothing else. */
export interface ScopedLedger {
  /** A keyed hash: the same for the same identity on this machine, useless elsewhere. */
  hash(type: string, value: string): Promise<string>;
  /** Writes the states that are news, durably. Returns their number. The first call reads the file. */
  append(events: readonly StateEvent[]): Promise<number>;
  /** Writes events without reading the file; a reader drops repeats. */
  record(events: readonly LedgerEvent[]): Promise<void>;
  /** The current entries of these ids, including what other processes wrote meanwhile. */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, LedgerRequest>>;
  /** The newest requests, newest first; reads backward from the end of the file, no further than necessary. */
  newest(limit: number): Promise<{ requests: LedgerRequest[]; hasMore: boolean }>;
  /**
   * The open requests in parts, each more urgent than the next; `count` sizes each part, and `left` more follow.
   * Memory holds one part.
   */
  byUrgency(urgency: Urgency, count: () => number): AsyncGenerator<{ requests: LedgerRequest[]; left: number }>;
}

/** Requests held at once while everything is read. */
const PART_REQUESTS = 2000;

/**
 * Opens the ledger below the state directory: a private file of lines that any number of processes append to, under a
 * lock. `isAdvance` decides which states are news (`domain/dsr/statuses.ts`).
 */
export function openLedger(
  stateFolder: string,
  { clock, isAdvance, signal }: { clock: Clock; isAdvance: StateOrder; signal?: AbortSignal },
): Ledger {
  const folder = join(stateFolder, 'dsr');
  const path = join(folder, 'ledger.ndjson');
  const lock = join(folder, 'ledger.lock');
  const chain = openChain(path, { clock, signal });
  let key: Promise<Buffer> | undefined;
  /** The ids that `find` was asked for, and their requests in every scope. */
  let found = { ids: new Set<string>(), ...emptyFind() };
  /** What `append` compares with. */
  let last = emptyStatuses();

  function emptyFind() {
    return { file: '', readTo: 0, numbers: createRequestNumbers(), known: new Map<number, LedgerRequest>() };
  }

  function emptyStatuses() {
    return { file: '', readTo: 0, numbers: createRequestNumbers(), statuses: createStatusTable(isAdvance) };
  }

  function fold(known: Map<number, LedgerRequest>, number: number, event: LedgerEvent): void {
    const request = foldEvent(known.get(number), event, isAdvance);
    if (request) known.set(number, request);
  }

  /** Runs over lines until `take` answers false; other work, such as Ctrl-C, gets its turn between pieces. */
  async function eachLine(lines: Iterable<LedgerLine[]>, take: (line: LedgerLine) => unknown): Promise<void> {
    for (const piece of lines) {
      for (const line of piece) if (take(line) === false) return;
      await ownTurn(signal);
    }
  }

  async function reading<T>(work: (file: LedgerFile) => Promise<T>): Promise<T | undefined> {
    const file = openLedgerFile(path);
    try {
      return file && (await work(file));
    } finally {
      file?.close();
    }
  }

  async function find(ids: readonly string[], scope: string): Promise<ReadonlyMap<string, LedgerRequest>> {
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
      ids.flatMap((id): [string, LedgerRequest][] => {
        const request = found.known.get(found.numbers.find(id, scope) ?? -1);
        return request ? [[id, request]] : [];
      }),
    );
  }

  async function newest(limit: number, scope: string): Promise<{ requests: LedgerRequest[]; hasMore: boolean }> {
    const known = new Map<number, LedgerRequest>();
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

  async function* all(): AsyncGenerator<LedgerRequest[]> {
    const file = openLedgerFile(path);
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
    urgency: Urgency,
    count: () => number,
    scope: string,
  ): AsyncGenerator<{ requests: LedgerRequest[]; left: number }> {
    const file = openLedgerFile(path);
    if (!file) return;
    try {
      const index = createLineIndex();
      const order = createUrgencyOrder(urgency, isAdvance);
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
  async function requestsOf(file: LedgerFile, index: LineIndex, numbers: Iterable<number>): Promise<LedgerRequest[]> {
    const known = new Map<number, LedgerRequest>();
    for (const lines of file.chosen(index.spans(numbers, file.size))) {
      for (const { event, request } of lines) fold(known, request, event);
      await ownTurn(signal);
    }
    return [...known.values()];
  }

  /** Runs under the lock and ignores Ctrl-C: a state that the platform reported must be written. */
  function refreshStatuses(): void {
    const file = openLedgerFile(path);
    if (!file) return;
    try {
      if (file.identity !== last.file || file.size < last.readTo) last = { ...emptyStatuses(), file: file.identity };
      for (const piece of file.forward(last.readTo)) {
        for (const line of piece) {
          const { status } = line.event();
          const number = last.numbers.add(line.id, line.scope);
          if (number !== undefined && status !== undefined) last.statuses.take(number, status);
        }
      }
      last.readTo = file.size;
    } finally {
      file.close();
    }
  }

  /** Kind, id and scope first: readers find them without parsing the line. */
  async function write(events: readonly LedgerEvent[], { address, workspace_id }: LedgerScope): Promise<void> {
    const lines = events.map(({ address: _address, event, id, workspace_id: _workspace, ...rest }) =>
      JSON.stringify({ event, id, address, workspace_id, ...rest }),
    );
    await chain.append(lines);
  }

  const hash: ScopedLedger['hash'] = async (type, value) => {
    const secret = await (key ??= loadLedgerKey(folder, (work) => withLock(lock, clock, work, signal)));
    return createHmac('sha256', secret).update(`${type}\0${value}`).digest('base64url');
  };

  async function append(events: readonly StateEvent[], scope: LedgerScope): Promise<number> {
    const own = scopeKey(scope);
    return await withLock(lock, clock, async () => {
      refreshStatuses();
      const news = events.filter(({ id, status }) => {
        const number = last.numbers.add(id, own);
        return number !== undefined && last.statuses.take(number, status);
      });
      if (news.length === 0) return 0;
      try {
        await write(news, scope);
      } catch (error) {
        // A state that was not written is not known either.
        last.file = '';
        throw error;
      }
      return news.length;
    });
  }

  return {
    path,
    all,
    verify: chain.verify,
    in: (scope) => {
      const own = scopeKey(scope);
      return {
        hash,
        append: (events) => append(events, scope),
        record: (events) => withLock(lock, clock, () => write(events, scope)),
        find: (ids) => find(ids, own),
        newest: (limit) => newest(limit, own),
        byUrgency: (urgency, count) => byUrgency(urgency, count, own),
      };
    },
  };
}
