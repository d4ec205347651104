// The queue of status callbacks, with their deliveries.
import { isoMillis } from '../../kernel/timestamps.ts';
import type { Database } from '../base/db.ts';
import type { Callback } from '../base/embedding.ts';

/** Ids are unique even after a reset: a delivery in progress cannot be mistaken for another one. */
export const callbacksMigration = `
  CREATE TABLE callbacks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, workspace INTEGER NOT NULL, request_id TEXT NOT NULL, status TEXT NOT NULL,
    url TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL, queued_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
    attempts TEXT NOT NULL
  );
  CREATE INDEX callbacks_due ON callbacks (state, due_at);
  CREATE INDEX callbacks_of ON callbacks (request_id);`;

export interface NewCallback {
  workspace: number;
  request_id: string;
  /** The request's status that it reports. */
  status: string;
  url: string;
  /** JSON, but links lack the platform's address. */
  body: string;
}

export interface StoredCallback extends NewCallback {
  id: number;
  state: Callback['state'];
  /** Epoch milliseconds. */
  queued_at: number;
  due_at: number;
  attempts: Callback['attempts'];
}

export type CallbackStore = ReturnType<typeof createCallbackStore>;

type Row = Omit<StoredCallback, 'attempts'> & { attempts: string };

const COLUMNS = 'id, workspace, request_id, status, url, body, state, queued_at, due_at, attempts';

export function createCallbackStore(db: Database) {
  return {
    queue: (callback: NewCallback, now: number, due: number): void => {
      db.insert('callbacks', { ...callback, state: 'queued', queued_at: now, due_at: due, attempts: '[]' });
    },
    /** Due time of the next queued callback. */
    nextDue: (): number | undefined =>
      db.get<{ due: number | null }>(`SELECT min(due_at) AS due FROM callbacks WHERE state = 'queued'`)?.due ??
      undefined,
    /** Marks callbacks that are due by `now` for sending. */
    release: (now: number): void => {
      db.run(`UPDATE callbacks SET state = 'sending' WHERE state = 'queued' AND due_at <= ?`, now);
    },
    /** Callbacks to send, oldest first, at most `most`. */
    outbox: (most: number): StoredCallback[] =>
      db
        .all<Row>(`SELECT ${COLUMNS} FROM callbacks WHERE state = 'sending' ORDER BY due_at, id LIMIT ?`, most)
        .map(callbackOf),
    /** True if an earlier callback of the same request and receiver waits for another attempt. */
    isBehind: ({ id, workspace, request_id, url }: StoredCallback): boolean =>
      db.get(
        `SELECT 1 FROM callbacks WHERE request_id = ? AND workspace = ? AND url = ? AND id < ? AND state = 'queued'`,
        ...[request_id, workspace, url, id],
      ) !== undefined,
    /** Stores the result of an attempt; `due` is the time of the next one. */
    record: (id: number, state: Callback['state'], due: number, attempts: Callback['attempts']): void => {
      db.run(
        'UPDATE callbacks SET state = ?, due_at = ?, attempts = ? WHERE id = ?',
        ...[state, due, JSON.stringify(attempts), id],
      );
    },
    /** Queues callbacks again that an earlier process was sending when it ended. */
    requeue: (): void => {
      db.run(`UPDATE callbacks SET state = 'queued' WHERE state = 'sending'`);
    },
    /** Marks callbacks for sending, in any state. */
    resend: (ids: readonly number[], now: number): void => {
      for (const id of ids) db.run(`UPDATE callbacks SET state = 'sending', due_at = ? WHERE id = ?`, now, id);
    },
    get: (id: number): StoredCallback | undefined => {
      const row = db.get<Row>(`SELECT ${COLUMNS} FROM callbacks WHERE id = ?`, id);
      return row && callbackOf(row);
    },
    /** Oldest first. */
    list: (): Callback[] =>
      db.all<Row>(`SELECT ${COLUMNS} FROM callbacks ORDER BY id`).map((row) => entryOf(callbackOf(row))),
    clear: (): void => {
      db.exec('DELETE FROM callbacks');
    },
  };
}

function callbackOf(row: Row): StoredCallback {
  return { ...row, attempts: JSON.parse(row.attempts) as Callback['attempts'] };
}

function entryOf(callback: StoredCallback): Callback {
  const { id, workspace, request_id, status, url, state, queued_at, due_at, attempts } = callback;
  return {
    id,
    workspace_id: workspace,
    subject_request_id: request_id,
    request_status: status,
    url,
    state,
    queued_on: isoMillis(queued_at),
    due_on: isoMillis(due_at),
    attempts,
  };
}
