// The queue of status callbacks and their deliveries.
import { isoMillis } from '../../kernel/timestamps.ts';
import { type Database, openTable } from '../base/db.ts';
import type { Callback } from '../base/embedding.ts';

/** Ids stay unique even after a reset, so that a delivery in progress is not mistaken for another one. */
export const callbacksMigration = `
  CREATE TABLE callbacks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, workspace INTEGER NOT NULL, request_id TEXT NOT NULL, status TEXT NOT NULL,
    url TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL, queued_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
    attempts TEXT NOT NULL
  );
  CREATE INDEX callbacks_due ON callbacks (state, due_at);
  CREATE INDEX callbacks_of ON callbacks (request_id);`;

export const CALLBACK_STATES = ['queued', 'sending', 'delivered', 'failed'] as const satisfies Callback['state'][];

export interface StoredCallback {
  id: number;
  workspace: number;
  request_id: string;
  status: string;
  url: string;
  /** JSON. Its links lack the platform's address. */
  body: string;
  state: Callback['state'];
  /** Epoch milliseconds. */
  queued_at: number;
  due_at: number;
  attempts: Callback['attempts'];
}

export type CallbackStore = ReturnType<typeof createCallbackStore>;

export function createCallbackStore(db: Database) {
  const table = openTable<StoredCallback>(db, 'callbacks', ['attempts']);
  return {
    ...table,
    nextDue: (): number | undefined => table.find({ state: 'queued' }, 'ORDER BY due_at')?.due_at,
    /** Marks the queued callbacks that are due by `now` as `sending`. */
    release: (now: number): void => {
      db.run(`UPDATE callbacks SET state = 'sending' WHERE state = 'queued' AND due_at <= ?`, now);
    },
    /** True if an earlier callback of the same request to the same receiver is still queued. */
    isBehind: ({ id, workspace, request_id, url }: StoredCallback): boolean =>
      table.list({ request_id, workspace, url, state: 'queued' }).some((other) => other.id < id),
    entries: (): Callback[] => table.list({}, 'ORDER BY id').map(entryOf),
  };
}

function entryOf({ workspace, request_id, status, queued_at, due_at, ...entry }: StoredCallback): Callback {
  const { id, url, state, attempts } = entry;
  const about = { workspace_id: workspace, subject_request_id: request_id, request_status: status, url, state };
  return { id, ...about, queued_on: isoMillis(queued_at), due_on: isoMillis(due_at), attempts };
}
