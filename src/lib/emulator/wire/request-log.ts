// Logs every request: all of them in the database, and the newest ones with their contents in memory.
import type { IncomingHttpHeaders } from 'node:http';
import { tryJson } from '../../kernel/json.ts';
import { createRedactor } from '../../kernel/redact.ts';
import { isoMillis } from '../../kernel/timestamps.ts';
import type { Database } from '../base/db.ts';
import type { LoggedRequest, RecordedRequest } from '../base/embedding.ts';
import { type Answer, firstOf, headersOf } from './platform-error.ts';

/** A request and its response. The response is undefined if a fault closed the connection. */
export interface SeenRequest {
  /** Epoch milliseconds on the platform's clock. */
  at: number;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  answer: Answer | undefined;
}

/** Maximum number of requests. Older requests are removed, so that a long load test cannot fill the disk. */
const KEPT = 100_000;
/** Requests are written in batches, so that they stay fast. */
const BATCH = 1000;

/** Limits for the requests in memory, of which `emulator log --bodies` and tests see the contents. */
const MOST_RECORDED = 1000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Number of characters after which a recorded body is truncated. */
const MOST_SHOWN = 64 * 1024;

export function openRequestLog(db: Database) {
  // An earlier version used the table `requests` for the log.
  db.exec(`
    DROP TABLE IF EXISTS requests;
    CREATE TABLE IF NOT EXISTS request_log (
      id INTEGER PRIMARY KEY, at INTEGER NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, status INTEGER
    )`);
  const { headers: redactHeaders, text, value } = createRedactor();
  let pending: { at: number; method: string; path: string; status: number | null }[] = [];
  let recorded: (SeenRequest & { id: number })[] = [];
  let bytes = 0;
  let last = 0;

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

  function shownBody(body = ''): { body?: unknown; truncated?: true } {
    if (body === '') return {};
    if (body.length > MOST_SHOWN) return { body: text(body.slice(0, MOST_SHOWN)), truncated: true };
    const parsed = tryJson(body);
    return { body: parsed === undefined ? text(body) : value(parsed) };
  }

  return {
    add: (request: SeenRequest): void => {
      const { at, method, path, answer } = request;
      if (pending.push({ at, method, path, status: answer?.status ?? null }) >= BATCH) flush();
      recorded.push({ ...request, id: ++last });
      bytes += sizeOf(request);
      while (recorded.length > MOST_RECORDED || bytes > MOST_BYTES) {
        const oldest = recorded.shift();
        if (!oldest) break;
        bytes -= sizeOf(oldest);
      }
    },
    list: (): LoggedRequest[] => {
      flush();
      const rows = db.all<(typeof pending)[0]>('SELECT at, method, path, status FROM request_log ORDER BY id');
      return rows.map(({ at, ...request }) => ({ ...request, at: isoMillis(at) }));
    },
    /** Returns the recorded requests with an id above `after`, oldest first, without secrets. */
    recorded: (after = 0): RecordedRequest[] =>
      recorded
        .filter(({ id }) => id > after)
        .map(({ id, at, method, path, headers, body, answer }) => ({
          id,
          at: isoMillis(at),
          method,
          path: text(path),
          status: answer?.status ?? null,
          headers: redactHeaders(
            Object.fromEntries(Object.entries(headers).map(([name, item]) => [name, firstOf(item) ?? ''])),
          ),
          ...shownBody(body.toString('utf8')),
          ...(answer && { response: { headers: redactHeaders(headersOf(answer)), ...shownBody(answer.text) } }),
        })),
    flush,
    clear: (): void => {
      pending = [];
      recorded = [];
      bytes = 0;
      db.exec('DELETE FROM request_log');
    },
  };
}

function sizeOf({ body, answer }: SeenRequest): number {
  return body.length + (answer?.text?.length ?? 0);
}
