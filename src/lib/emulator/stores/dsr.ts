// Data subject requests, their next steps, and their results until they expire.
import type { RequestStatus } from '../../contract/choices.ts';
import type { DsrRequest, ForwardingEntry, ForwardingStatus } from '../../contract/dsr.ts';
import { type Database, openTable } from '../base/db.ts';

export const dsrMigration = `
  CREATE TABLE dsr_requests (
    seq INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, id TEXT NOT NULL, group_id TEXT, subject TEXT NOT NULL,
    status TEXT NOT NULL, expected_at INTEGER, completed_at INTEGER, forwarding TEXT NOT NULL, body TEXT NOT NULL,
    history TEXT NOT NULL DEFAULT '[]', UNIQUE (workspace, id)
  );
  CREATE INDEX dsr_requests_of_group ON dsr_requests (workspace, group_id);
  CREATE INDEX dsr_requests_open ON dsr_requests (workspace, subject) WHERE status IN ('pending', 'in_progress');
  CREATE TABLE dsr_steps (
    at INTEGER NOT NULL, request INTEGER NOT NULL, step TEXT NOT NULL, PRIMARY KEY (at, request, step)
  ) WITHOUT ROWID;
  CREATE TABLE dsr_results (request INTEGER PRIMARY KEY, document TEXT NOT NULL);`;

export const historyMigration = "ALTER TABLE dsr_requests ADD COLUMN history TEXT NOT NULL DEFAULT '[]'";

export interface Forwarding extends ForwardingEntry {
  domain: string;
  name: string;
  status: ForwardingStatus;
  status_message?: string;
}

export interface StoredRequest {
  seq: number;
  workspace: number;
  id: string;
  group_id: string | null;
  status: RequestStatus;
  /** Epoch milliseconds, like all times here; null after a cancellation. */
  expected_at: number | null;
  completed_at: number | null;
  /** Null if the platform does not forward the request. */
  forwarding: Forwarding[] | null;
  history: { status: RequestStatus; at: number }[];
  body: DsrRequest;
}

/** Steps of a request: `forward` it to partners, `pick_up` and `complete` it, and `expire` its results. */
export const STEPS = ['forward', 'pick_up', 'complete', 'expire'] as const;

export interface DueStep {
  at: number;
  request: number;
  step: (typeof STEPS)[number];
}

export type DsrStore = ReturnType<typeof createDsrStore>;

/** True if the request has a link to results: completed access and portability requests have one. */
export function hasResults({ status, body }: StoredRequest): boolean {
  return status === 'completed' && body.subject_request_type !== 'erasure';
}

export function createDsrStore(db: Database) {
  const requests = openTable<StoredRequest>(db, 'dsr_requests', ['forwarding', 'history', 'body']);
  const steps = openTable<DueStep>(db, 'dsr_steps');
  /** Results, keyed by the `seq` of their request. */
  const results = openTable<{ request: number; document: string }>(db, 'dsr_results');
  return {
    requests,
    steps,
    results,
    nextStep: (): DueStep | undefined => steps.find({}, 'ORDER BY at, request, step'),
    /** True if a pending or in-progress request has this fingerprint of type, identities and extensions. */
    hasOpen: (workspace: number, subject: string): boolean => {
      const open = `WHERE workspace = ? AND subject = ? AND status IN ('pending', 'in_progress') LIMIT 1`;
      return requests.select(open, workspace, subject).length > 0;
    },
    clear: (): void => {
      for (const table of [requests, steps, results]) table.remove();
    },
  };
}
