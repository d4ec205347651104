// What is kept of pipeline runs. Times are epoch milliseconds.
import type { Database } from '../base/db.ts';
import type { FaultCause } from './pipelines.ts';

export const runsMigration = `
  CREATE TABLE pipeline_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, workspace INTEGER NOT NULL, pipeline TEXT NOT NULL,
    type TEXT NOT NULL, status TEXT NOT NULL, logical_at INTEGER NOT NULL, due_at INTEGER,
    started_at INTEGER, ended_at INTEGER, document TEXT NOT NULL
  );
  CREATE INDEX pipeline_runs_due ON pipeline_runs (due_at);
  CREATE INDEX pipeline_runs_of ON pipeline_runs (workspace, pipeline, logical_at)`;

export type RunStatus = 'queued' | 'running' | 'success' | 'failed' | 'stopped' | 'retrying';

export interface RunFault {
  /** Which resource has to be put right. */
  cause: FaultCause;
  message: string;
  /** Whether that resource is marked as well: faulted, or invalid. */
  marks: boolean;
}

/** What a run needs to go on after a restart, and what it has done so far. */
export interface RunProgress {
  /** The range of data that it reads: see `DataRange`. */
  rangeStart?: number | undefined;
  rangeEnd: number;
  afterStart: boolean;
  bounded: boolean;
  /** Rows of the query that are done: a run that is taken up again leaves them out. */
  rows: number;
  succeeded: number;
  failed: number;
  /** Why records failed: the words, and how many. */
  reasons: Record<string, number>;
  /** The pipeline's count of resets when the run began. */
  resets: number;
  /** Its work is done; the run ends when its time has come. */
  done: boolean;
  /** What made the run fail as a whole. */
  failure?: RunFault | undefined;
}

export interface Run {
  id: number | bigint;
  workspace: number;
  pipeline: string;
  type: 'scheduled' | 'manual';
  status: RunStatus;
  logical_at: number;
  /** When something is to be done about it next: its work, or its end. Null when it is over. */
  due_at: number | null;
  started_at: number | null;
  ended_at: number | null;
  progress: RunProgress;
}

export interface RunsPage {
  items: Run[];
  total: number;
}

export type RunsStore = ReturnType<typeof createRunsStore>;

type Stored = Omit<Run, 'progress'> & { document: string };

const OF_PIPELINE = 'FROM pipeline_runs WHERE workspace = ? AND pipeline = ?';
const LATEST_FIRST = 'ORDER BY logical_at DESC, id DESC';

export function createRunsStore(db: Database) {
  const parse = ({ document, ...run }: Stored): Run => ({ ...run, progress: JSON.parse(document) as RunProgress });
  const first = (sql: string, ...values: (string | number | bigint)[]): Run | undefined => {
    const row = db.get<Stored>(sql, ...values);
    return row && parse(row);
  };
  return {
    /** Adds a run and returns its id: the next one where none is given. */
    add: ({
      id,
      workspace,
      pipeline,
      type,
      status,
      logical_at,
      due_at,
      started_at,
      ended_at,
      progress,
    }: Omit<Run, 'id'> & { id?: number | bigint | undefined }): number | bigint => {
      const row = db.get<{ id: number | bigint }>(
        `INSERT INTO pipeline_runs
           (id, workspace, pipeline, type, status, logical_at, due_at, started_at, ended_at, document)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
        ...[id ?? null, workspace, pipeline, type, status, logical_at, due_at, started_at, ended_at],
        JSON.stringify(progress),
      );
      return row?.id ?? 0;
    },
    get: (id: number | bigint): Run | undefined => first('SELECT * FROM pipeline_runs WHERE id = ?', id),
    /** Writes a run back; false when it is no longer there. */
    save: ({ id, status, due_at, started_at, ended_at, progress }: Run): boolean =>
      db.run(
        'UPDATE pipeline_runs SET status = ?, due_at = ?, started_at = ?, ended_at = ?, document = ? WHERE id = ?',
        ...[status, due_at, started_at, ended_at, JSON.stringify(progress), id],
      ) === 1,
    /** The latest by logical date; of any status, or of one. */
    latest: (workspace: number, pipeline: string, status?: RunStatus): Run | undefined =>
      status === undefined
        ? first(`SELECT * ${OF_PIPELINE} ${LATEST_FIRST} LIMIT 1`, workspace, pipeline)
        : first(`SELECT * ${OF_PIPELINE} AND status = ? ${LATEST_FIRST} LIMIT 1`, workspace, pipeline, status),
    /** The run of a pipeline that is not over yet. */
    current: (workspace: number, pipeline: string): Run | undefined =>
      first(`SELECT * ${OF_PIPELINE} AND due_at IS NOT NULL LIMIT 1`, workspace, pipeline),
    /** Runs with a logical date within both bounds, the latest first. */
    page: (
      workspace: number,
      pipeline: string,
      { from, to, offset, limit }: { from: number; to: number; offset: number; limit: number },
    ): RunsPage => {
      const within = `${OF_PIPELINE} AND logical_at BETWEEN ? AND ?`;
      const count = db.get<{ total: number }>(`SELECT count(*) AS total ${within}`, workspace, pipeline, from, to);
      const items = db
        .all<Stored>(
          `SELECT * ${within} ${LATEST_FIRST} LIMIT ? OFFSET ?`,
          workspace,
          pipeline,
          from,
          to,
          limit,
          offset,
        )
        .map(parse);
      return { items, total: count?.total ?? 0 };
    },
    /** The run that something is to be done about first. */
    firstDue: (): Run | undefined =>
      first('SELECT * FROM pipeline_runs WHERE due_at IS NOT NULL ORDER BY due_at, id LIMIT 1'),
    removeOf: (workspace: number, pipeline: string): void => {
      db.run('DELETE FROM pipeline_runs WHERE workspace = ? AND pipeline = ?', workspace, pipeline);
    },
    clear: (): void => {
      // The same calls after a reset get the same ids.
      db.exec("DELETE FROM pipeline_runs; DELETE FROM sqlite_sequence WHERE name = 'pipeline_runs'");
    },
  };
}
