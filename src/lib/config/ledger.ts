// The ledger: the data subject requests sent from this machine, by workspace: when, by whom, and each status since.
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { type Clock, ownTurn } from '../kernel/clock.ts';
import type { ChainReport } from '../kernel/hash-chain.ts';
import { withLock } from '../kernel/lock.ts';
import { openChain } from './chain.ts';
import { loadLedgerKey } from './ledger-key.ts';
import { openLedgerFile, scopeKey, type StoredEvent } from './ledger-lines.ts';
import { findPrunable, type PruneRules } from './ledger-prune.ts';
import { createReadings, type LedgerRules } from './ledger-readings.ts';
import { createRequestNumbers } from './request-numbers.ts';
import { createStatusTable } from './status-table.ts';
import type { Urgency } from './urgency-order.ts';

/** An event before the ledger says whose it is. */
type News<Event> = Event extends unknown ? Omit<Event, 'address' | 'workspace_id' | 'by' | 'host'> : never;

/** The whole file. Only an export reads across scopes. */
export interface Ledger<Event extends StoredEvent, Request> {
  readonly path: string;
  /** The requests of one workspace at one address. All of them share one file. */
  in(scope: LedgerScope): ScopedLedger<Event, Request>;
  /** Everything, oldest first, in parts: memory holds one part, even of a million requests. */
  all(): AsyncGenerator<Request[]>;
  /** Checks the chain of its lines; `head` is a hash that it must contain. */
  verify(head?: string): Promise<ChainReport>;
  /** Removes the requests that the rules call old, and leaves checkpoints. In a dry run it only counts them. */
  prune(rules: PruneRules<Event>, isDryRun: boolean): Promise<{ requests: number; entries: number }>;
}

interface Actor {
  by: string;
  host: string;
}

interface LedgerScope {
  address: string;
  workspace_id: string;
}

/** What is sent to one workspace at one address, and nothing else. */
export interface ScopedLedger<Event extends StoredEvent, Request> {
  /** Who writes, and on which machine: stated in every line. */
  readonly actor: Actor;
  /** A keyed hash: the same for the same identity on this machine, useless elsewhere. */
  hash(type: string, value: string): Promise<string>;
  /** Writes the states that are news, durably, and returns them. The first call reads the file. */
  append<State extends News<Event> & { status: string }>(events: readonly State[]): Promise<State[]>;
  /** Writes events without reading the file; a reader drops repeats. */
  record(events: readonly News<Event>[]): Promise<void>;
  /** The current entries of these ids, including what other processes wrote meanwhile. */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, Request>>;
  /** The newest requests, newest first; reads backward from the end of the file, no further than necessary. */
  newest(limit: number): Promise<{ requests: Request[]; hasMore: boolean }>;
  /**
   * The open requests in parts, each more urgent than the next; `count` sizes each part, and `left` more follow.
   * Memory holds one part.
   */
  byUrgency(urgency: Urgency<Event>, count: () => number): AsyncGenerator<{ requests: Request[]; left: number }>;
}

export interface LedgerOptions<Event extends StoredEvent, Request> {
  rules: LedgerRules<Event, Request>;
  actor: Actor;
  clock: Clock;
  signal?: AbortSignal;
}

/**
 * Opens the ledger below the state directory: a private file of chained lines that any number of processes append to,
 * under a lock.
 */
export function openLedger<Event extends StoredEvent, Request>(
  stateFolder: string,
  { actor, clock, rules, signal }: LedgerOptions<Event, Request>,
): Ledger<Event, Request> {
  const folder = join(stateFolder, 'dsr');
  const path = join(folder, 'ledger.ndjson');
  const lock = join(folder, 'ledger.lock');
  const chain = openChain(path, { clock, signal });
  const readings = createReadings(path, rules, signal);
  let key: Promise<Buffer> | undefined;
  /** What `append` compares with. */
  let last = emptyStatuses();

  function emptyStatuses() {
    return { file: '', readTo: 0, numbers: createRequestNumbers(), statuses: createStatusTable(rules.isAdvance) };
  }

  /** Runs under the lock and ignores Ctrl-C: a state that the platform reported must be written. */
  function refreshStatuses(): void {
    const file = openLedgerFile<Event>(path);
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
  async function write(events: readonly News<Event>[], { address, workspace_id }: LedgerScope): Promise<void> {
    await chain.append(
      events.map(({ event, id, ...rest }) => JSON.stringify({ event, id, address, workspace_id, ...rest, ...actor })),
    );
  }

  const hash = async (type: string, value: string): Promise<string> => {
    const secret = await (key ??= loadLedgerKey(folder, (work) => withLock(lock, clock, work, signal)));
    return createHmac('sha256', secret).update(`${type}\0${value}`).digest('base64url');
  };

  async function append<State extends News<Event> & { status: string }>(
    events: readonly State[],
    scope: LedgerScope,
  ): Promise<State[]> {
    const own = scopeKey(scope);
    return await withLock(lock, clock, async () => {
      refreshStatuses();
      const news = events.filter(({ id, status }) => {
        const number = last.numbers.add(id, own);
        return number !== undefined && last.statuses.take(number, status);
      });
      if (news.length === 0) return news;
      try {
        await write(news, scope);
      } catch (error) {
        // A state that was not written is not known either.
        last.file = '';
        throw error;
      }
      return news;
    });
  }

  async function prune(
    pruneRules: PruneRules<Event>,
    isDryRun: boolean,
  ): Promise<{ requests: number; entries: number }> {
    const work = async (): Promise<{ requests: number; entries: number }> => {
      const found = await readings.reading((file) => findPrunable(file, pruneRules, () => ownTurn(signal)));
      const { entries = 0, requests = 0 } = found ?? {};
      if (found === undefined || requests === 0 || isDryRun) return { requests, entries };
      const { before } = pruneRules;
      return { requests, entries: await chain.prune(found.isKept, { ...actor, before, requests }) };
    };
    // A dry run changes nothing, not even a lock.
    return isDryRun ? await work() : await withLock(lock, clock, work, signal);
  }

  return {
    path,
    all: readings.all,
    prune,
    verify: chain.verify,
    in: (scope) => {
      const own = scopeKey(scope);
      return {
        actor,
        hash,
        append: (events) => append(events, scope),
        record: (events) => withLock(lock, clock, () => write(events, scope)),
        find: (ids) => readings.find(ids, own),
        newest: (limit) => readings.newest(limit, own),
        byUrgency: (urgency, count) => readings.byUrgency(urgency, count, own),
      };
    },
  };
}
