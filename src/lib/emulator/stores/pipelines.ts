// Pipelines (definition, status, sync position and next scheduled run) and their runs. Times are in epoch milliseconds.
import type { RUN_STATUSES, RUN_TYPES } from '../../contract/pipeline-runs.ts';
import type { PIPELINE_STATUSES, PipelineRequest } from '../../contract/pipelines.ts';
import { type Database, openTable } from '../base/db.ts';
import { type Audit, createDocumentStore } from './documents.ts';

export const pipelinesMigration = `
  CREATE TABLE pipelines (
    seq INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, id TEXT NOT NULL,
    running INTEGER NOT NULL, next_run_at INTEGER, document TEXT NOT NULL,
    UNIQUE (workspace, id)
  );
  CREATE INDEX pipelines_due ON pipelines (running, next_run_at)`;

/** The resource that caused a pipeline's fault. */
export type FaultCause = 'connection' | 'data_model' | 'pipeline';

export interface Pipeline {
  definition: PipelineRequest;
  audit: Audit;
  status: (typeof PIPELINE_STATUSES)[number];
  errors: string[];
  /** Absent unless the status is `faulted`. */
  cause?: FaultCause | undefined;
  /** Latest end of a successful incremental run's range (epoch ms); absent before the first one and after a reset. */
  position?: number | undefined;
  /** Number of resets. A run that started before a reset leaves the position unchanged. */
  resets: number;
  /** True if a scheduled run has succeeded, which completes a schedule of type `once`. */
  ranOnce: boolean;
  /** Logical date of the last scheduled run; stored so that each interval has only one run. */
  lastLogicalAt?: number | undefined;
  /** The next scheduled run (epoch ms), if there is one. */
  nextRunAt?: number | undefined;
}

export function createPipelinesStore(db: Database) {
  const columnsOf = ({ status, nextRunAt }: Pipeline) => ({
    running: status === 'running' ? 1 : 0,
    next_run_at: nextRunAt ?? null,
  });
  const waiting = openTable<{ workspace: number; id: string; next_run_at: number }>(db, 'pipelines');
  return {
    ...createDocumentStore<Pipeline>(db, 'pipelines', ({ definition }) => definition.id, columnsOf),
    /** Returns the pipeline with the earliest scheduled run, among those that are not running. */
    firstDue: () =>
      waiting.select('WHERE running = 0 AND next_run_at IS NOT NULL ORDER BY next_run_at, seq LIMIT 1')[0],
  };
}

export const runsMigration = `
  CREATE TABLE pipeline_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, workspace INTEGER NOT NULL, pipeline TEXT NOT NULL,
    type TEXT NOT NULL, status TEXT NOT NULL, logical_at INTEGER NOT NULL, due_at INTEGER,
    started_at INTEGER, ended_at INTEGER, progress TEXT NOT NULL
  );
  CREATE INDEX pipeline_runs_due ON pipeline_runs (due_at);
  CREATE INDEX pipeline_runs_of ON pipeline_runs (workspace, pipeline, logical_at)`;

export const progressMigration = 'ALTER TABLE pipeline_runs RENAME COLUMN document TO progress';

type RunStatus = (typeof RUN_STATUSES)[number];

export interface RunFault {
  cause: FaultCause;
  message: string;
  /** True if this resource becomes faulted or invalid. */
  marks: boolean;
  notes?: string[];
}

/** Thrown to fail a run; names the resource to fix. */
export class RunFailure extends Error {
  readonly fault: RunFault;
  constructor(cause: FaultCause, message: string, marks = false) {
    super(message);
    this.fault = { cause, message, marks };
  }
}

/** State of a run, complete enough to resume it after a restart. */
export interface RunProgress {
  rangeStart?: number | undefined;
  /** Inclusive. */
  rangeEnd: number;
  /** True if the previous run read the rows at exactly `rangeStart`, so this run skips them. */
  afterStart: boolean;
  /** False for a full sync without bounds, which reads all rows. */
  bounded: boolean;
  /** Number of query rows that were processed; a resumed run skips them. */
  rows: number;
  succeeded: number;
  failed: number;
  reasons: Record<string, number>;
  /** The pipeline's number of resets when the run started. */
  resets: number;
  /** True once all rows are written; the run then ends at `due_at`. */
  done: boolean;
  failure?: RunFault | undefined;
}

export const NO_PROGRESS = { afterStart: false, rows: 0, succeeded: 0, failed: 0, reasons: {}, resets: 0, done: false };

export interface Run {
  id: number | bigint;
  workspace: number;
  pipeline: string;
  type: (typeof RUN_TYPES)[number];
  status: RunStatus;
  logical_at: number;
  /** When the run's next step (its work or its end) is due; null once the run has ended. */
  due_at: number | null;
  started_at: number | null;
  ended_at: number | null;
  progress: RunProgress;
}

export type NewRun = Omit<Run, 'id'> & { id?: number | bigint | undefined };

const LATEST_FIRST = 'ORDER BY logical_at DESC, id DESC';

export function createRunsStore(db: Database) {
  const runs = openTable<Run>(db, 'pipeline_runs', ['progress']);
  return {
    add: (run: NewRun): number | bigint => runs.insert(run),
    get: (id: number | bigint): Run | undefined => runs.find({ id }),
    save: ({ id, status, due_at, started_at, ended_at, progress }: Run): void =>
      runs.update({ id }, { status, due_at, started_at, ended_at, progress }),
    /** Returns the run with the latest logical date. If `status` is given, considers only runs with that status. */
    latest: (workspace: number, pipeline: string, status?: RunStatus): Run | undefined =>
      runs.find({ workspace, pipeline, status }, LATEST_FIRST),
    current: (workspace: number, pipeline: string): Run | undefined =>
      runs.find({ workspace, pipeline }, 'AND due_at IS NOT NULL'),
    /** Returns a page of the runs with a logical date within both bounds, latest first, and the number of such runs. */
    page: (
      workspace: number,
      pipeline: string,
      { from, to, offset, limit }: { from: number; to: number; offset: number; limit: number },
    ): { items: Run[]; total: number } => {
      const within = 'WHERE workspace = ? AND pipeline = ? AND logical_at BETWEEN ? AND ?';
      const values = [workspace, pipeline, from, to];
      const counted = db.get<{ total: number }>(`SELECT count(*) AS total FROM pipeline_runs ${within}`, ...values);
      const items = runs.select(`${within} ${LATEST_FIRST} LIMIT ? OFFSET ?`, ...values, limit, offset);
      return { items, total: counted?.total ?? 0 };
    },
    firstDue: (): Run | undefined => runs.select('WHERE due_at IS NOT NULL ORDER BY due_at, id LIMIT 1')[0],
    removeOf: (workspace: number, pipeline: string): void => runs.remove({ workspace, pipeline }),
    clear: (): void => {
      runs.remove();
      // After a reset, ids start at 1 again.
      db.exec("DELETE FROM sqlite_sequence WHERE name = 'pipeline_runs'");
    },
  };
}
