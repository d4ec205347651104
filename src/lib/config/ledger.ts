// The ledger: which data subject requests went out from here, when, by whom, under which profile, and how far they came.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../kernel/clock.ts';
import { openDurableLog, readPrivateFile, writePrivateFile } from '../kernel/durable.ts';
import { CliError, EXIT, systemErrorCode } from '../kernel/errors.ts';
import { cannotRead } from '../kernel/file-failure.ts';
import { withLock } from '../kernel/lock.ts';
import { foldEvent, type LedgerEvent, type LedgerRequest, type StateOrder } from './ledger-events.ts';

export interface Ledger {
  readonly path: string;
  /** A keyed hash: the same for the same identity on this machine, of no use to anybody else. */
  hash(type: string, value: string): Promise<string>;
  /** Writes what is new among the events; it is on the disk when this resolves. Returns how many were. */
  append(events: readonly LedgerEvent[]): Promise<number>;
  /** Writes events without looking at what is there: for very many, whose repeats are sorted out when it is read. */
  record(events: readonly LedgerEvent[]): Promise<void>;
  /** Everything that is known now, what other processes wrote meanwhile included; the oldest first. */
  requests(): LedgerRequest[];
  find(id: string): LedgerRequest | undefined;
}

const CHUNK_BYTES = 1024 * 1024;
/** Rewriting pays when most lines only repeat what later ones say. */
const COMPACT_FROM_LINES = 2000;

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
  const known = new Map<string, LedgerRequest>();
  let read = { file: '', offset: 0, lines: 0 };
  let key: Promise<Buffer> | undefined;

  /** Reads what was appended since the last time; all of it when the file was rewritten. */
  function refresh(): void {
    let descriptor: number;
    try {
      descriptor = openSync(path, 'r');
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return;
      throw cannotRead(path, error);
    }
    try {
      const { dev, ino, size } = fstatSync(descriptor);
      const file = `${dev}:${ino}`;
      if (file !== read.file || size < read.offset) {
        known.clear();
        read = { file, offset: 0, lines: 0 };
      }
      readLines(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  function readLines(descriptor: number): void {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    let rest = Buffer.alloc(0);
    for (let at = read.offset; ;) {
      const length = readSync(descriptor, buffer, 0, CHUNK_BYTES, at);
      if (length === 0) return;
      at += length;
      const text = Buffer.concat([rest, buffer.subarray(0, length)]);
      const end = text.lastIndexOf(0x0a) + 1;
      for (const line of text.subarray(0, end).toString('utf8').split('\n')) if (line !== '') takeLine(line);
      // A line without its end is still being written: it is read next time.
      rest = Buffer.from(text.subarray(end));
      read.offset = at - rest.length;
    }
  }

  function takeLine(line: string): void {
    read.lines++;
    let event: LedgerEvent;
    try {
      event = JSON.parse(line) as LedgerEvent;
    } catch {
      // Half a line of a process that was killed, or of a full disk.
      return;
    }
    foldEvent(known, event, isAdvance);
  }

  function compactIfWorthwhile(): void {
    if (read.lines < COMPACT_FROM_LINES || read.lines < known.size * 3) return;
    // As bytes: a text of a million requests would be longer than a text can be.
    const lines = [...known.values()].map((request) =>
      Buffer.from(`${JSON.stringify({ event: 'request', ...request })}\n`, 'utf8'),
    );
    writePrivateFile(path, Buffer.concat(lines));
    refresh();
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
      // Not given up on Ctrl-C: what the platform has accepted must be written down.
      withLock(lock, clock, () => {
        refresh();
        const news = events.filter((event) => foldEvent(known, event, isAdvance));
        if (news.length === 0) return 0;
        try {
          write(news);
        } catch (error) {
          // What could not be written is not known either.
          read = { file: '', offset: 0, lines: 0 };
          throw error;
        }
        compactIfWorthwhile();
        return news.length;
      }),
    record: (events) => withLock(lock, clock, () => write(events)),
    requests: () => {
      refresh();
      return [...known.values()];
    },
    find: (id) => {
      refresh();
      return known.get(id);
    },
  };
}
