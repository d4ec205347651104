// Pipelines: definition, status, sync position and next scheduled run.
import type { PIPELINE_STATUSES, PipelineRequest } from '../../contract/pipelines.ts';
import type { Audit } from '../base/audit.ts';
import type { Database } from '../base/db.ts';
import { createDocumentStore } from './documents.ts';

export const pipelinesMigration = `
  CREATE TABLE pipelines (
    seq INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, id TEXT NOT NULL,
    running INTEGER NOT NULL, next_run_at INTEGER, document TEXT NOT NULL,
    UNIQUE (workspace, id)
  );
  CREATE INDEX pipelines_due ON pipelines (running, next_run_at)`;

/** The resource to fix before a faulted pipeline runs again. */
export type FaultCause = 'connection' | 'data_model' | 'pipeline';

export interface Pipeline {
  definition: PipelineRequest;
  audit: Audit;
  status: (typeof PIPELINE_STATUSES)[number];
  errors: string[];
  /** Absent unless the status is `faulted`. */
  cause?: FaultCause | undefined;
  /** End of the range that the last successful run read (epoch ms); absent before the first run and after a reset. */
  position?: number | undefined;
  /** Number of resets: a run that started before a reset does not change the position. */
  resets: number;
  /** A scheduled run has succeeded, so a schedule of type `once` is done. */
  ranOnce: boolean;
  /** Logical date of the last scheduled run: an interval has one run. */
  lastLogicalAt?: number | undefined;
  /** The next scheduled run (epoch ms), if there is one. */
  nextRunAt?: number | undefined;
}

export function createPipelinesStore(db: Database) {
  const documents = createDocumentStore<Pipeline>(db, 'pipelines', ({ definition }) => definition.id);
  const columnsOf = ({ status, nextRunAt }: Pipeline) => ({
    running: status === 'running' ? 1 : 0,
    next_run_at: nextRunAt ?? null,
  });
  return {
    ...documents,
    add: (workspace: number, pipeline: Pipeline): void => documents.add(workspace, pipeline, columnsOf(pipeline)),
    replace: (workspace: number, pipeline: Pipeline): void =>
      documents.replace(workspace, pipeline, columnsOf(pipeline)),
    /** The next scheduled run of a pipeline that is not running. */
    firstDue: (): { workspace: number; id: string; next_run_at: number } | undefined =>
      db.get(
        `SELECT workspace, id, next_run_at FROM pipelines
         WHERE running = 0 AND next_run_at IS NOT NULL ORDER BY next_run_at, seq LIMIT 1`,
      ),
  };
}
