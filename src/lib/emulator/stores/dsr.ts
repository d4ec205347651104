// Data subject requests, their next steps, and their results until they expire.
import type { RequestStatus } from '../../contract/choices.ts';
import type { DsrRequest, ForwardingEntry, ForwardingStatus } from '../../contract/dsr.ts';
import { parseJson, stringifyJson } from '../../kernel/json.ts';
import type { Database } from '../base/db.ts';

export const dsrMigration = `
  CREATE TABLE dsr_requests (
    seq INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, id TEXT NOT NULL, group_id TEXT, subject TEXT NOT NULL,
    status TEXT NOT NULL, expected_at INTEGER, completed_at INTEGER, forwarding TEXT NOT NULL, body TEXT NOT NULL,
    UNIQUE (workspace, id)
  );
  CREATE INDEX dsr_requests_of_group ON dsr_requests (workspace, group_id);
  CREATE INDEX dsr_requests_open ON dsr_requests (workspace, subject) WHERE status IN ('pending', 'in_progress');
  CREATE TABLE dsr_steps (
    at INTEGER NOT NULL, request INTEGER NOT NULL, step TEXT NOT NULL, PRIMARY KEY (at, request, step)
  ) WITHOUT ROWID;
  CREATE TABLE dsr_results (request INTEGER PRIMARY KEY, document TEXT NOT NULL);`;

export interface Forwarding extends ForwardingEntry {
  /** The partner's domain. */
  domain: string;
  name: string;
  status: ForwardingStatus;
  status_message?: string;
}

export interface StoredRequest {
  seq: number;
  workspace: number;
  /** The subject request id. */
  id: string;
  group_id: string | null;
  status: RequestStatus;
  /** Epoch milliseconds, as all times here; null after cancellation. */
  expected_at: number | null;
  completed_at: number | null;
  /** Null when the platform forwards nothing. */
  forwarding: Forwarding[] | null;
  body: DsrRequest;
}

/** `forward` to partners, `pick_up` and `complete` the request, `expire` the results. */
export type Step = 'forward' | 'pick_up' | 'complete' | 'expire';

export interface DueStep {
  at: number;
  request: number;
  step: Step;
}

export type DsrStore = ReturnType<typeof createDsrStore>;

/** True if it has a link to results, as completed access and portability requests do. */
export function hasResults({ status, body }: StoredRequest): boolean {
  return status === 'completed' && body.subject_request_type !== 'erasure';
}

type Row = Omit<StoredRequest, 'forwarding' | 'body'> & { forwarding: string; body: string };

const COLUMNS = 'seq, workspace, id, group_id, status, expected_at, completed_at, forwarding, body';

export function createDsrStore(db: Database) {
  const one = (where: string, ...values: (number | string)[]): StoredRequest | undefined => {
    const row = db.get<Row>(`SELECT ${COLUMNS} FROM dsr_requests WHERE ${where}`, ...values);
    return row && requestOf(row);
  };

  return {
    /** Stores a new request; `subject` identifies its identities, extensions and type. */
    add: (request: Omit<StoredRequest, 'seq'>, subject: string): StoredRequest => {
      const [forwarding, body] = [stringifyJson(request.forwarding), stringifyJson(request.body)];
      return { seq: Number(db.insert('dsr_requests', { ...request, subject, forwarding, body })), ...request };
    },
    get: (workspace: number, id: string): StoredRequest | undefined => one('workspace = ? AND id = ?', workspace, id),
    bySeq: (seq: number): StoredRequest | undefined => one('seq = ?', seq),
    /** In order of arrival. */
    group: (workspace: number, groupId: string): StoredRequest[] =>
      db
        .all<Row>(
          `SELECT ${COLUMNS} FROM dsr_requests WHERE workspace = ? AND group_id = ? ORDER BY seq`,
          ...[workspace, groupId],
        )
        .map(requestOf),
    countGroup: (workspace: number, groupId: string): number =>
      db.get<{ count: number }>(
        'SELECT count(*) AS count FROM dsr_requests WHERE workspace = ? AND group_id = ?',
        ...[workspace, groupId],
      )?.count ?? 0,
    /** True if a pending or in-progress request has the same subject. */
    hasOpen: (workspace: number, subject: string): boolean =>
      db.get(
        `SELECT 1 FROM dsr_requests WHERE workspace = ? AND subject = ? AND status IN ('pending', 'in_progress')`,
        ...[workspace, subject],
      ) !== undefined,
    /** Stores status, times and forwarding. */
    update: ({ seq, status, expected_at, completed_at, forwarding }: StoredRequest): void => {
      db.run(
        'UPDATE dsr_requests SET status = ?, expected_at = ?, completed_at = ?, forwarding = ? WHERE seq = ?',
        ...[status, expected_at, completed_at, stringifyJson(forwarding), seq],
      );
    },
    plan: (step: DueStep): void => {
      db.insert('dsr_steps', { ...step });
    },
    /** The next step; undefined without one. */
    nextStep: (): DueStep | undefined =>
      db.get<DueStep>('SELECT at, request, step FROM dsr_steps ORDER BY at, request, step LIMIT 1'),
    done: ({ at, request, step }: DueStep): void => {
      db.run('DELETE FROM dsr_steps WHERE at = ? AND request = ? AND step = ?', at, request, step);
    },
    /** Deletes the next steps of a request. */
    unplan: (seq: number): void => {
      db.run('DELETE FROM dsr_steps WHERE request = ?', seq);
    },
    keepResults: (seq: number, document: string): void => {
      db.insert('dsr_results', { request: seq, document });
    },
    results: (seq: number): string | undefined =>
      db.get<{ document: string }>('SELECT document FROM dsr_results WHERE request = ?', seq)?.document,
    dropResults: (seq: number): void => {
      db.run('DELETE FROM dsr_results WHERE request = ?', seq);
    },
    clear: (): void => {
      db.exec('DELETE FROM dsr_requests; DELETE FROM dsr_steps; DELETE FROM dsr_results');
    },
  };
}

function requestOf({ forwarding, body, ...row }: Row): StoredRequest {
  return {
    ...row,
    forwarding: parseJson(forwarding) as Forwarding[] | null,
    body: parseJson(body) as DsrRequest,
  };
}
