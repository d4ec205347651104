// The ledger lists the data subject requests sent from or reported to this machine: workspace, time, author, statuses.
import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { withLock } from '../kernel/lock.ts';
import { type ChainOptions, openChain } from '../kernel/chain.ts';
import type { LedgerNews, StateNews, SubmittedNews } from '../domain/dsr/ledger.ts';
import { isAdvance } from '../domain/dsr/statuses.ts';
import { createReadings, eventOf, lineOf, ownText, scopeKey } from './ledger-readings.ts';
import { fail } from '../errors/fail.ts';
import { readPrivateFile, writePrivateFile } from '../kernel/durable.ts';
import { followLines } from '../kernel/line-file.ts';

/** Where a request was sent. The same id in another workspace, or at another address, is a different request. */
export interface LedgerScope {
  /** `local` for the embedded platform, because its port changes. */
  address: string;
  workspace_id: string;
}

interface LedgerOptions extends Omit<ChainOptions, 'upgrade'> {
  /** The user and the machine, which are recorded in every line. */
  actor: { by: string; host: string };
  /** Starts a wait for a reading, and returns the function that ends it. */
  waits?: (() => () => void) | undefined;
}

export type Ledger = ReturnType<typeof openLedger>;

/** Any number of processes can append lines. All workspaces share the file; `in` limits the ledger to one of them. */
export function openLedger(stateFolder: string, { actor, clock, signal, waits }: LedgerOptions) {
  const folder = join(stateFolder, 'dsr');
  const path = join(folder, 'ledger.ndjson');
  const lock = join(folder, 'ledger.lock');
  const keyFile = join(folder, 'ledger.key');
  const readings = createReadings(path, signal, waits);
  const chain = openChain(path, { actor, clock, signal, upgrade: addScopes });
  let key: Promise<Buffer> | undefined;
  const follower = followLines(path, 'latin1');
  /** Last status of each request, which `append` compares with a new status. */
  const statuses = new Map<string, string>();

  /** True if a status is new. Remembers the status. */
  function isNews(request: string, status: string): boolean {
    if (!isAdvance(statuses.get(request), status)) return false;
    statuses.set(request, status);
    return true;
  }

  /** Runs under the lock and ignores Ctrl-C, because a state that the platform reported must be written. */
  function takeStatuses(lines: readonly string[]): void {
    for (const line of lines) {
      const known = lineOf(line);
      const event = known?.scope === undefined ? undefined : eventOf(known);
      if (known && event && 'status' in event && event.status) isNews(ownText(known.key), event.status);
    }
  }

  /** Adds the workspace to lines from before the chain, if their id belongs to only one workspace (decision: D225). */
  async function addScopes(): Promise<(line: string) => string> {
    const owners = new Map<string, string>();
    await readings.eachLine(({ id, scope = '' }) => {
      owners.set(ownText(id), [undefined, scope].includes(owners.get(id)) ? scope : '');
    });
    return (line) => {
      const known = lineOf(line);
      const owner = known && known.scope === undefined ? owners.get(known.id) : undefined;
      if (!owner) return line;
      const scope = Buffer.from(owner, 'latin1').toString();
      return line.replace(/"id":"[^"]*"/, (id) => `${id},${scope}`);
    };
  }

  /** Kind, id and scope come first, so that readers can find them without parsing the line. */
  async function write(events: readonly LedgerNews[], { address, workspace_id }: LedgerScope): Promise<void> {
    await chain.append(
      events.map(({ event, id, ...rest }) => JSON.stringify({ event, id, address, workspace_id, ...rest, ...actor })),
    );
  }

  /** Creates the key once per machine. Throws failed (1) for a damaged key, or a missing one that the ledger needs. */
  function loadKey(): Buffer {
    const stored = readPrivateFile(keyFile);
    const text = stored ?? (hasHashes() ? '' : `${randomBytes(32).toString('hex')}\n`);
    if (!/^[0-9a-f]{64}\n$/.test(text))
      throw fail('ledger.key', {
        message: `The ledger's key, ${keyFile}, is ${stored === undefined ? 'missing' : 'damaged'}.`,
        hint: 'Restore it from a backup. Without it, the ledger cannot recognize the identities of earlier requests. If it is lost, set CDPADM_STATE_DIR to a new folder, and keep the old one for its deadlines and evidence.',
      });
    if (stored === undefined) writePrivateFile(keyFile, text);
    return Buffer.from(text.trim(), 'hex');
  }

  function hasHashes(): boolean {
    for (const part of chain.lines()) if (part.some((line) => line.includes('"identities":{"'))) return true;
    return false;
  }

  const hash = async (type: string, value: string): Promise<string> => {
    const secret = await (key ??=
      readPrivateFile(keyFile) === undefined ? withLock(lock, clock, loadKey) : Promise.resolve(loadKey()));
    return createHmac('sha256', secret).update(`${type}\0${value}`).digest('base64url');
  };

  /** Replaces the lines of requests that `prunable` returns with checkpoints. A dry run only counts the requests. */
  async function prune(before: string, isDryRun: boolean) {
    const work = async () => {
      const { isKept, ...found } = await readings.prunable(before);
      if (found.requests === 0 || isDryRun) return found;
      return { ...found, entries: await chain.prune(isKept, { before, requests: found.requests }) };
    };
    // A dry run changes nothing, not even a lock.
    return isDryRun ? await work() : await withLock(lock, clock, work, signal);
  }

  return {
    path,
    all: readings.all,
    prune,
    verify: chain.verify,
    in: (scope: LedgerScope) => {
      const own = scopeKey(scope);
      return {
        actor,
        /** Returns a keyed hash: equal for equal identities on this machine, and useless without its key. */
        hash,
        /** Durably writes new states and signed states, and returns the new states. The first call reads the file. */
        append: (events: readonly StateNews[]) =>
          withLock(lock, clock, async (): Promise<StateNews[]> => {
            follower.read(takeStatuses, () => statuses.clear());
            const news = events.filter(({ id, status }) => isNews(`${id} ${own}`, status));
            // A signature is kept even if the signed status is already known.
            const lines = events.filter((event) => news.includes(event) || event.signature !== undefined);
            try {
              await write(lines, scope);
            } catch (error) {
              follower.forget();
              throw error;
            }
            return news;
          }),
        /** Writes events without reading the file. Readers ignore duplicate events. */
        record: (events: readonly LedgerNews[], check?: () => Promise<void> | undefined) =>
          withLock(lock, clock, async () => {
            await check?.();
            await write(events, scope);
          }),
        /** Returns the current state of the requests with these ids, including lines that other processes wrote. */
        find: (ids: readonly string[]) => readings.find(ids, own),
        newest: (limit: number) => readings.newest(limit, own),
        submissions: <Kept extends object>(keep: (event: SubmittedNews) => Kept | undefined) =>
          readings.submissions(keep, own),
        byUrgency: (until: number, count: () => number) => readings.byUrgency(until, count, own),
      };
    },
  };
}
