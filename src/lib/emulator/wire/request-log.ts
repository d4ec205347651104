// Logs every request. Writes to the database in batches, so that requests stay fast and the log survives a restart.
import type { Database } from '../base/db.ts';

/** `at` is epoch milliseconds on the platform's clock. `status` is null if a fault closed the connection. */
export interface LoggedRequest {
  at: number;
  method: string;
  /** The path and the query. */
  path: string;
  status: number | null;
}

/** Maximum number of requests. Older requests are removed, so that a long load test cannot fill the disk. */
const KEPT = 100_000;
const BATCH = 1000;

export function openRequestLog(db: Database) {
  // An earlier version used the table `requests` for the log.
  db.exec(`
    DROP TABLE IF EXISTS requests;
    CREATE TABLE IF NOT EXISTS request_log (
      id INTEGER PRIMARY KEY, at INTEGER NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, status INTEGER
    )`);
  let pending: LoggedRequest[] = [];

  /** Writes pending requests. If the disk is full, these requests remain in memory until the next attempt. */
  function flush(): void {
    if (pending.length === 0) return;
    try {
      db.transaction(() => {
        db.run(
          `INSERT INTO request_log (at, method, path, status)
           SELECT value ->> 'at', value ->> 'method', value ->> 'path', value ->> 'status' FROM json_each(?)`,
          JSON.stringify(pending),
        );
        db.run('DELETE FROM request_log WHERE id <= (SELECT max(id) FROM request_log) - ?', KEPT);
      });
      pending = [];
    } catch {
      // Ignore a full disk here: requests that write to the database report it.
    }
  }

  return {
    add: (request: LoggedRequest): void => {
      if (pending.push(request) >= BATCH) flush();
    },
    /** Returns the requests, oldest first. */
    list: (): LoggedRequest[] => {
      flush();
      return db.all<LoggedRequest>('SELECT at, method, path, status FROM request_log ORDER BY id');
    },
    flush,
    clear: (): void => {
      pending = [];
      db.exec('DELETE FROM request_log');
    },
  };
}
