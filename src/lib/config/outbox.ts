// The outboxes of the callback listeners: one private file of lines for each workspace that is listened for.
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readdirSync, readSync, unwatchFile, watchFile } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../kernel/clock.ts';
import { writePrivateFile } from '../kernel/durable.ts';
import { openDurableLog } from '../kernel/durable-log.ts';
import { isAbsent } from '../kernel/errors.ts';
import { cannotRead } from '../kernel/file-failure.ts';
import { type Holder, type Lock, readHolder, tryLock, withLock } from '../kernel/lock.ts';

/** Lines that were added to the file since it was read last. */
export interface OutboxNews {
  lines: readonly unknown[];
  /** These are all lines of the file: what is known of it before is void. */
  isWhole: boolean;
}

export interface Outbox {
  readonly path: string;
  /** Makes this process the one that delivers from here; who does, where another process is. */
  claim(): Lock | Holder;
  /** What is new. Needs no lock: a line that is being written is read the next time. */
  read(): OutboxNews;
  /** Under the lock of the file: reads what is new, and writes what `work` answers, on the disk with one flush. */
  exchange(work: (news: OutboxNews) => readonly unknown[]): Promise<void>;
  /** The same, but the lines that `work` answers replace the file. */
  replace(work: (news: OutboxNews) => readonly unknown[]): Promise<void>;
  /** Whether the file has grown so much since it was replaced that replacing it again is worth it. */
  isLarge(): boolean;
  /** Calls `changed` within about a second after the file changed. Gives back how to end that. */
  watch(changed: () => void): () => void;
}

const WATCH_MS = 500;
const SMALL_BYTES = 512 * 1024;
const LINE_FEED = 0x0a;

/** Without a workspace: of a listener that accepts callbacks of any. */
export interface OutboxScope {
  /** `local` for the embedded platform, whose port changes. */
  address: string;
  workspace_id: string | undefined;
}

export function outboxPath(stateFolder: string, { address, workspace_id }: OutboxScope): string {
  const name = createHash('sha256').update(JSON.stringify([address, workspace_id ?? null]));
  return join(stateFolder, 'dsr', 'outbox', `${name.digest('hex').slice(0, 24)}.ndjson`);
}

/** The paths of all outboxes below the state directory. */
export function outboxPaths(stateFolder: string): string[] {
  const folder = join(stateFolder, 'dsr', 'outbox');
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.ndjson'));
    return names.sort().map((name) => join(folder, name));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw cannotRead(folder, error);
  }
}

/** Nothing is read before the first exchange. */
export function openOutbox(path: string, clock: Clock): Outbox {
  const fileLock = path.replace(/\.ndjson$/, '.lock');
  const claimLock = path.replace(/\.ndjson$/, '.listener.lock');
  let file = '';
  let readTo = 0;
  let replacedSize = 0;
  /** Lines that are not JSON: they are kept as they are. */
  let damaged: string[] = [];

  /** Half a line at the end is what a killed process left: the next write closes it. */
  function readNews(): OutboxNews {
    const found = readFrom(path, (identity, size) => (identity === file && size >= readTo ? readTo : 0));
    const isWhole = found.from === 0;
    if (isWhole) damaged = [];
    file = found.identity;
    const end = found.bytes.lastIndexOf(LINE_FEED) + 1;
    readTo = found.from + end;
    const lines = found.bytes.toString('utf8', 0, end).split('\n');
    return { isWhole, lines: lines.flatMap(parsed) };
  }

  function parsed(line: string): unknown[] {
    if (line === '') return [];
    try {
      return [JSON.parse(line)];
    } catch {
      damaged.push(line);
      return [];
    }
  }

  function append(lines: readonly unknown[]): void {
    if (lines.length === 0) return;
    const log = openDurableLog(path);
    try {
      log.append(textOf(lines));
    } catch (error) {
      // Some of the lines may be in the file: it is read again from its start.
      file = '';
      throw error;
    } finally {
      log.close();
    }
    // Our own lines are no news. What is read of them is dropped.
    readNews();
  }

  const exclusively = (work: () => void): Promise<void> => withLock(fileLock, clock, work);

  return {
    path,
    claim: () => {
      for (;;) {
        const held = tryLock(claimLock) ?? readHolder(claimLock);
        if (held) return held;
      }
    },
    read: readNews,
    exchange: (work) => exclusively(() => append(work(readNews()))),
    replace: (work) =>
      exclusively(() => {
        const lines = work(readNews());
        const text = damaged.map((line) => `${line}\n`).join('') + textOf(lines);
        writePrivateFile(path, text);
        file = '';
        readNews();
        replacedSize = text.length;
      }),
    isLarge: () => readTo > SMALL_BYTES && readTo > 4 * replacedSize,
    watch: (changed) => {
      const listener = (): void => changed();
      watchFile(path, { interval: WATCH_MS, persistent: false }, listener);
      return () => unwatchFile(path, listener);
    },
  };
}

function textOf(lines: readonly unknown[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** The bytes from a place on that `start` chooses; nothing where there is no file yet. */
function readFrom(path: string, start: (identity: string, size: number) => number) {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    if (isAbsent(error)) return { identity: '', from: 0, bytes: Buffer.alloc(0) };
    throw cannotRead(path, error);
  }
  try {
    const { dev, ino, size } = fstatSync(descriptor);
    const identity = `${dev}:${ino}`;
    const from = start(identity, size);
    const bytes = Buffer.alloc(size - from);
    const count = readSync(descriptor, bytes, 0, bytes.length, from);
    return { identity, from, bytes: bytes.subarray(0, count) };
  } catch (error) {
    throw cannotRead(path, error);
  } finally {
    closeSync(descriptor);
  }
}
