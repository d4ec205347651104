// The ledger: which data subject requests went out from here, when, by whom, under which profile, and how far they came.
import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../kernel/clock.ts';
import { readPrivateFile, writePrivateFile } from '../kernel/durable.ts';
import { openDurableLog } from '../kernel/durable-log.ts';
import { CliError, EXIT } from '../kernel/errors.ts';
import { withLock } from '../kernel/lock.ts';
import {
  foldEvent,
  type LedgerEvent,
  type LedgerRequest,
  type StateEvent,
  type StateOrder,
  type SubmittedEvent,
} from './ledger-events.ts';
import { type LedgerFile, type LedgerLine, openLedgerFile } from './ledger-lines.ts';
import { createLineIndex, type LineIndex } from './line-index.ts';
import { createStatusTable } from './status-table.ts';
import { createUrgencyOrder, type Urgency } from './urgency-order.ts';

export interface Ledger {
  readonly path: string;
  /** A keyed hash: the same for the same identity on this machine, of no use to anybody else. */
  hash(type: string, value: string): Promise<string>;
  /** Writes states that are news; on the disk when this resolves. Returns how many were. The first call reads the file. */
  append(events: readonly StateEvent[]): Promise<number>;
  /** Writes events without looking at what is there: repeats are sorted out when it is read. */
  record(events: readonly LedgerEvent[]): Promise<void>;
  /** What is known now of these, what other processes wrote meanwhile included. */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, LedgerRequest>>;
  /** The newest requests that belong, the newest first; reads from the file's end, and no further than it must. */
  newest(wanted: Wanted): Promise<{ requests: LedgerRequest[]; hasMore: boolean }>;
  /**
   * The open requests of the whole ledger in parts, each more urgent than the next, as many as `count` says each time;
   * `left` more follow. Of a million requests no more than a part is held.
   */
  byUrgency(urgency: Urgency, count: () => number): AsyncGenerator<{ requests: LedgerRequest[]; left: number }>;
  /** Everything, the oldest first, in parts: of a million requests no more than a part is held. */
  all(): AsyncGenerator<LedgerRequest[]>;
}

export interface Wanted {
  limit: number;
  belongs(event: SubmittedEvent): boolean;
  /** By its status; absent: every one. */
  isOpen?: (status: string | undefined) => boolean;
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
  let key: Promise<Buffer> | undefined;
  /** What `find` was asked for so far. */
  let found = { file: '', readTo: 0, ids: new Set<string>(), known: new Map<string, LedgerRequest>() };
  /** What `append` compares with. */
  let last = { file: '', readTo: 0, statuses: createStatusTable(isAdvance) };

  /** Runs over lines until `take` answers false; other work, such as Ctrl-C, gets its turn between pieces. */
  async function eachLine(lines: Iterable<LedgerLine[]>, take: (line: LedgerLine) => unknown): Promise<void> {
    for (const piece of lines) {
      for (const line of piece) if (take(line) === false) return;
      await ownTurn();
    }
  }

  async function ownTurn(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  }

  async function reading<T>(work: (file: LedgerFile) => Promise<T>): Promise<T | undefined> {
    const file = openLedgerFile(path);
    try {
      return file && (await work(file));
    } finally {
      file?.close();
    }
  }

  async function find(ids: readonly string[]): Promise<ReadonlyMap<string, LedgerRequest>> {
    if (ids.length === 0) return new Map();
    await reading(async (file) => {
      const isSame = file.identity === found.file && file.size >= found.readTo && ids.every((id) => found.ids.has(id));
      if (!isSame) found = { file: file.identity, readTo: 0, ids: new Set([...found.ids, ...ids]), known: new Map() };
      const { ids: wanted, known, readTo } = found;
      await eachLine(file.forward(readTo), (line) => {
        if (wanted.has(line.id)) foldEvent(known, line.event(), isAdvance);
      });
      found.readTo = file.size;
    });
    return found.known;
  }

  async function newest({ belongs, isOpen, limit }: Wanted): Promise<{ requests: LedgerRequest[]; hasMore: boolean }> {
    const known = new Map<string, LedgerRequest>();
    const ids = new Set<string>();
    let hasMore = false;
    await reading(async (file) => {
      const statuses = createStatusTable(isAdvance);
      let from = file.size;
      await eachLine(file.backward(), (line) => {
        const event = line.event();
        if (isOpen && event.status !== undefined) statuses.take(event.id, event.status);
        if (event.event !== 'submitted' || ids.has(event.id) || !belongs(event)) return true;
        if (isOpen && !isOpen(statuses.get(event.id))) return true;
        hasMore = ids.size === limit;
        if (hasMore) return false;
        ids.add(event.id);
        from = line.offset;
        return true;
      });
      await eachLine(file.forward(from), (line) => {
        if (ids.has(line.id)) foldEvent(known, line.event(), isAdvance);
      });
    });
    return { requests: [...ids].flatMap((id) => known.get(id) ?? []), hasMore };
  }

  async function* all(): AsyncGenerator<LedgerRequest[]> {
    const file = openLedgerFile(path);
    if (!file) return;
    try {
      const index = createLineIndex();
      await eachLine(file.forward(0), ({ id, offset }) => index.add(id, offset));
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
  ): AsyncGenerator<{ requests: LedgerRequest[]; left: number }> {
    const file = openLedgerFile(path);
    if (!file) return;
    try {
      const index = createLineIndex();
      const order = createUrgencyOrder(urgency, isAdvance);
      await eachLine(file.forward(0), (line) => order.take(index.add(line.id, line.offset), line.event()));
      for (let numbers = order.numbers(); numbers.length > 0;) {
        const part = numbers.subarray(0, Math.max(1, count()));
        numbers = numbers.subarray(part.length);
        yield { requests: await requestsOf(file, index, part), left: numbers.length };
      }
    } finally {
      file.close();
    }
  }

  /** All that is known of these, in the order of the file. */
  async function requestsOf(file: LedgerFile, index: LineIndex, numbers: Iterable<number>): Promise<LedgerRequest[]> {
    const known = new Map<string, LedgerRequest>();
    for (const events of file.chosen(index.spans(numbers, file.size))) {
      for (const event of events) foldEvent(known, event, isAdvance);
      await ownTurn();
    }
    return [...known.values()];
  }

  /** Under the lock: not given up on Ctrl-C, for what the platform has told must be written down. */
  function refreshStatuses(): void {
    const file = openLedgerFile(path);
    if (!file) return;
    try {
      if (file.identity !== last.file || file.size < last.readTo)
        last = { file: file.identity, readTo: 0, statuses: createStatusTable(isAdvance) };
      for (const piece of file.forward(last.readTo)) {
        for (const line of piece) {
          const { status } = line.event();
          if (status !== undefined) last.statuses.take(line.id, status);
        }
      }
      last.readTo = file.size;
    } finally {
      file.close();
    }
  }

  function write(events: readonly LedgerEvent[]): void {
    const log = openDurableLog(path);
    try {
      log.append(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    } finally {
      log.close();
    }
  }

  async function loadKey(): Promise<Buffer> {
    const file = join(folder, 'ledger.key');
    return await withLock(
      lock,
      clock,
      () => {
        const text = readPrivateFile(file);
        if (text !== undefined) {
          if (/^[0-9a-f]{64}\n$/.test(text)) return Buffer.from(text.trim(), 'hex');
          throw new CliError({
            code: 'ledger.key',
            message: `The key of the ledger, ${file}, is damaged.`,
            hint: 'Put it back from a backup; or remove it: identities of earlier requests can then no longer be recognised.',
            exit: EXIT.failed,
          });
        }
        const fresh = randomBytes(32);
        writePrivateFile(file, `${fresh.toString('hex')}\n`);
        return fresh;
      },
      signal,
    );
  }

  return {
    path,
    hash: async (type, value) => {
      const secret = await (key ??= loadKey());
      return createHmac('sha256', secret).update(`${type}\0${value}`).digest('base64url');
    },
    append: (events) =>
      withLock(lock, clock, () => {
        refreshStatuses();
        const news = events.filter(({ id, status }) => last.statuses.take(id, status));
        if (news.length === 0) return 0;
        try {
          write(news);
        } catch (error) {
          // What could not be written is not known either.
          last.file = '';
          throw error;
        }
        return news.length;
      }),
    record: (events) => withLock(lock, clock, () => write(events)),
    find,
    newest,
    byUrgency,
    all,
  };
}
