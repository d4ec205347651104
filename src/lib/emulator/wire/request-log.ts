// Logs every request. Writes to the database in batches, which keeps requests fast and survives a restart.
import { isoMillis } from '../../kernel/timestamps.ts';
import type { Database } from '../base/db.ts';

/** `at` is epoch milliseconds by the platform's clock; `status` is null when a fault closed the connection. */
export interface LoggedRequest {
  at: number;
  method: string;
  /** With its query. */
  path: string;
  status: number | null;
}

export type RequestLog = ReturnType<typeof openRequestLog>;

/** Drops older requests, so that a long load test cannot fill the disk. */
const KEPT = 100_000;
const BATCH = 1000;

type Entry = [at: number, method: string, path: string, status: number | null];
interface Batch {
  count: number;
  entries: string;
}

export function openRequestLog(db: Database) {
  db.exec(
    'CREATE TABLE IF NOT EXISTS requests (id INTEGER PRIMARY KEY, count INTEGER NOT NULL, entries TEXT NOT NULL)',
  );
  let pending: Entry[] = [];
  let stored = db.get<{ total: number }>('SELECT coalesce(sum(count), 0) AS total FROM requests')?.total ?? 0;

  /** Writes pending entries. */
  function flush(): void {
    if (pending.length === 0) return;
    try {
      db.run('INSERT INTO requests (count, entries) VALUES (?, ?)', pending.length, JSON.stringify(pending));
    } catch {
      // On a full disk, entries stay in memory until the next attempt.
      return;
    }
    stored += pending.length;
    pending = [];
    while (stored > KEPT) dropOldest();
  }

  function dropOldest(): void {
    const oldest = db.get<Batch & { id: number }>('SELECT id, count FROM requests ORDER BY id LIMIT 1');
    if (!oldest) return;
    db.run('DELETE FROM requests WHERE id = ?', oldest.id);
    stored -= oldest.count;
  }

  const entriesOf = (batch: Batch): Entry[] => JSON.parse(batch.entries) as Entry[];

  return {
    add: ({ at, method, path, status }: LoggedRequest): void => {
      if (pending.push([at, method, path, status]) >= BATCH) flush();
    },
    /** The whole log, oldest first, `at` as ISO 8601. */
    list: (): { at: string; method: string; path: string; status: number | null }[] => {
      flush();
      return db
        .all<Batch>('SELECT entries FROM requests ORDER BY id')
        .flatMap(entriesOf)
        .map(([at, method, path, status]) => ({ at: isoMillis(at), method, path, status }));
    },
    /** Requests since `time` (epoch ms). */
    since: (time: number): LoggedRequest[] => {
      flush();
      const found: Entry[] = [];
      for (let before = Number.MAX_SAFE_INTEGER; ;) {
        const batch = db.get<Batch & { id: number }>(
          'SELECT id, entries FROM requests WHERE id < ? ORDER BY id DESC LIMIT 1',
          before,
        );
        if (!batch) break;
        const recent = entriesOf(batch).filter(([at]) => at >= time);
        found.unshift(...recent);
        if (recent.length === 0) break;
        before = batch.id;
      }
      return found.map(([at, method, path, status]) => ({ at, method, path, status }));
    },
    flush,
    clear: (): void => {
      pending = [];
      stored = 0;
      db.exec('DELETE FROM requests');
    },
  };
}
