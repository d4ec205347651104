// Outboxes of the callback listeners: each workspace with a listener has one private file of lines.
import { createHash } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../kernel/clock.ts';
import { writePrivateFile } from '../kernel/durable.ts';
import { appendDurably, openLineFile } from '../kernel/line-file.ts';
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
  return new Outbox(join(folderOf(stateFolder), `${name.digest('hex').slice(0, 24)}.ndjson`), clock);
}

export function openOutboxes(stateFolder: string, clock: Clock): Outbox[] {
  const folder = folderOf(stateFolder);
  const names = namesIn(folder).filter((name) => name.endsWith('.ndjson'));
  return names.sort().map((name) => new Outbox(join(folder, name), clock));
}

function folderOf(stateFolder: string): string {
  return join(stateFolder, 'dsr', 'outbox');
}

export interface OutboxNews {
  lines: readonly string[];
  /** True if these are all the lines of the file, so they replace the lines that were read before. */
  isWhole: boolean;
}

export class Outbox {
  readonly path: string;
  readonly #clock: Clock;
  #file = '';
  #readTo = 0;
  #replacedSize = 0;

  constructor(path: string, clock: Clock) {
    this.path = path;
    this.#clock = clock;
  }

  /** Makes this process the only one that delivers from this outbox. Returns the process that already does, if any. */
  claim(): Lock | Holder {
    const lock = this.path.replace(/\.ndjson$/, '.listener.lock');
    for (;;) {
      const held = tryLock(lock) ?? readHolder(lock);
      if (held) return held;
    }
  }

  /** Needs no lock: an unfinished last line is read later, once it is complete. */
  read(): OutboxNews {
    const file = openLineFile(this.path);
    try {
      const identity = file?.identity ?? '';
      const isWhole = file === undefined || identity !== this.#file || file.size < this.#readTo;
      if (isWhole) this.#readTo = 0;
      this.#file = identity;
      const news: string[] = [];
      const pieces = file?.lines(this.#readTo);
      for (let piece = pieces?.next(); piece; piece = pieces?.next()) {
        if (piece.done) {
          this.#readTo = piece.value.restAt;
          break;
        }
        news.push(...piece.value);
      }
      return { lines: news, isWhole };
    } finally {
      file?.close();
    }
  }

  /** Under the file's lock, reads new lines and appends the lines that `work` returns, with a single flush. */
  exchange(work: (news: OutboxNews) => readonly string[]): Promise<void> {
    return this.#locked(() => {
      const lines = work(this.read());
      if (lines.length === 0) return;
      try {
        appendDurably(this.path, textOf(lines));
      } catch (error) {
        // The file may contain some of the lines, so read it again from the start.
        this.#file = '';
        throw error;
      }
      // Skip our own lines: they are not news.
      this.read();
    });
  }

  /** Like `exchange`, but the lines that `work` returns replace the contents of the file. */
  replace(work: (news: OutboxNews) => readonly string[]): Promise<void> {
    return this.#locked(() => {
      const text = textOf(work(this.read()));
      writePrivateFile(this.path, text);
      this.#file = '';
      this.read();
      this.#replacedSize = text.length;
    });
  }

  /** True if the file has grown so much since it was last replaced that it should be replaced again. */
  isLarge(): boolean {
    return this.#readTo > SMALL_BYTES && this.#readTo > 4 * this.#replacedSize;
  }

  /** Calls `changed` within about a second of a change to the file. Returns a function that stops watching. */
  watch(changed: () => void): () => void {
    const listener = (): void => changed();
    watchFile(this.path, { interval: WATCH_MS, persistent: false }, listener);
    return () => unwatchFile(this.path, listener);
  }

  #locked(work: () => void): Promise<void> {
    return withLock(this.path.replace(/\.ndjson$/, '.lock'), this.#clock, work);
  }
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
