// Logs every request in the database, so that the log survives a restart.
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

export function openRequestLog(db: Database) {
  // An earlier version logged in the table `requests`.
  db.exec(`
    DROP TABLE IF EXISTS requests;
    CREATE TABLE IF NOT EXISTS request_log (
      id INTEGER PRIMARY KEY, at INTEGER NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, status INTEGER
    )`);
  return {
    add: ({ at, method, path, status }: LoggedRequest): void => {
      try {
        const id = Number(db.insert('request_log', { at, method, path, status }));
        if (id % 1000 === 0) db.run('DELETE FROM request_log WHERE id <= ?', id - KEPT);
      } catch {
        // On a full disk, the platform still answers.
      }
    },
    /** Requests since `time` (epoch ms), oldest first. */
    since: (time: number): LoggedRequest[] =>
      db.all<LoggedRequest>('SELECT at, method, path, status FROM request_log WHERE at >= ? ORDER BY id', time),
    clear: (): void => {
      db.exec('DELETE FROM request_log');
    },
  };
}
