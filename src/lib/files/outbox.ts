// Outboxes of the callback listeners: each workspace with a listener has one private file of lines.
import { createHash } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../kernel/clock.ts';
import { writePrivateFile } from '../kernel/durable.ts';
import { appendDurably, followLines } from '../kernel/line-file.ts';
import { type Holder, type Lock, readHolder, tryLock, withLock } from '../kernel/lock.ts';
import { namesIn } from '../kernel/temporary-file.ts';

const WATCH_MS = 500;
const SMALL_BYTES = 512 * 1024;

export interface OutboxScope {
  /** `local` for the embedded platform, because its port changes. */
  address: string;
  /** Undefined for a listener that accepts callbacks for any workspace. */
  workspace_id: string | undefined;
}

export function openOutbox(stateFolder: string, { address, workspace_id }: OutboxScope, clock: Clock): Outbox {
  const name = createHash('sha256').update(JSON.stringify([address, workspace_id ?? null]));
  return openOutboxFile(join(folderOf(stateFolder), `${name.digest('hex').slice(0, 24)}.ndjson`), clock);
}

export function openOutboxes(stateFolder: string, clock: Clock): Outbox[] {
  const folder = folderOf(stateFolder);
  const names = namesIn(folder).filter((name) => name.endsWith('.ndjson'));
  return names.sort().map((name) => openOutboxFile(join(folder, name), clock));
}

function folderOf(stateFolder: string): string {
  return join(stateFolder, 'dsr', 'outbox');
}

export interface OutboxNews {
  lines: readonly string[];
  /** True if these are all the lines of the file, so they replace the lines that were read before. */
  isWhole: boolean;
}

export type Outbox = ReturnType<typeof openOutboxFile>;

export function openOutboxFile(path: string, clock: Clock) {
  const file = followLines(path);
  let replacedSize = 0;
  const locked = (work: () => void) => withLock(path.replace(/\.ndjson$/, '.lock'), clock, work);

  /** Needs no lock: an unfinished last line is read later, once it is complete. */
  function read(): OutboxNews {
    const lines: string[] = [];
    let isWhole = false as boolean;
    file.read(
      (more) => lines.push(...more),
      () => (isWhole = true),
    );
    return { lines, isWhole };
  }

  return {
    path,
    read,
    /** Makes this process the only one that delivers from this outbox. Returns the process that already does, if any. */
    claim: (): Lock | Holder => {
      const lock = path.replace(/\.ndjson$/, '.listener.lock');
      for (;;) {
        const held = tryLock(lock) ?? readHolder(lock);
        if (held) return held;
      }
    },
    /** Under the file's lock, reads new lines and appends the lines that `work` returns, with a single flush. */
    exchange: (work: (news: OutboxNews) => readonly string[]): Promise<void> =>
      locked(() => {
        const lines = work(read());
        if (lines.length === 0) return;
        try {
          appendDurably(path, textOf(lines));
        } catch (error) {
          file.forget();
          throw error;
        }
        // Skip our own lines: they are not news.
        read();
      }),
    /** Like `exchange`, but the lines that `work` returns replace the contents of the file. */
    replace: (work: (news: OutboxNews) => readonly string[]): Promise<void> =>
      locked(() => {
        const text = textOf(work(read()));
        writePrivateFile(path, text);
        file.forget();
        read();
        replacedSize = text.length;
      }),
    /** True if the file has grown so much since it was last replaced that it should be replaced again. */
    isLarge: (): boolean => file.readTo() > SMALL_BYTES && file.readTo() > 4 * replacedSize,
    /** Calls `changed` within about a second of a change to the file. Returns a function that stops watching. */
    watch: (changed: () => void): (() => void) => {
      const listener = (): void => changed();
      watchFile(path, { interval: WATCH_MS, persistent: false }, listener);
      return () => unwatchFile(path, listener);
    },
  };
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
