// What is kept of pipelines: the definition, how it stands, how far it has synced, when it runs by itself next.
import type { PIPELINE_STATUSES, PipelineRequest } from '../../contract/pipelines.ts';
import { parseJson, stringifyJson } from '../../kernel/json.ts';
import type { Audit } from '../base/audit.ts';
import type { Database } from '../base/db.ts';

export const pipelinesMigration = `
  CREATE TABLE pipelines (
    seq INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, id TEXT NOT NULL,
    running INTEGER NOT NULL, next_run_at INTEGER, document TEXT NOT NULL,
    UNIQUE (workspace, id)
  );
  CREATE INDEX pipelines_due ON pipelines (running, next_run_at)`;

/** Which resource has to be put right before a faulted pipeline runs again. */
export type FaultCause = 'connection' | 'data_model' | 'pipeline';

export interface Pipeline {
  definition: PipelineRequest;
  audit: Audit;
  status: (typeof PIPELINE_STATUSES)[number];
  errors: string[];
  /** Absent unless the status is `faulted`. */
  cause?: FaultCause | undefined;
  /** Where the last successful run ended (epoch ms); absent before the first, and after a reset. */
  position?: number | undefined;
  /** Counts resets: a run that began before one does not move the position. */
  resets: number;
  /** Whether a scheduled run has succeeded: `once` is then done. */
  ranOnce: boolean;
  /** The logical date of the last run that it began by itself: no interval has two. */
  lastLogicalAt?: number | undefined;
  /** When it runs by itself next (epoch ms); absent when it does not. */
  nextRunAt?: number | undefined;
}

export type PipelinesStore = ReturnType<typeof createPipelinesStore>;

export function createPipelinesStore(db: Database) {
  const parse = ({ document }: { document: string }) => parseJson(document) as Pipeline;
  const columns = (pipeline: Pipeline) =>
    [pipeline.status === 'running' ? 1 : 0, pipeline.nextRunAt ?? null, stringifyJson(pipeline)] as const;
  return {
    list: (workspace: number): Pipeline[] =>
      db
        .all<{ document: string }>('SELECT document FROM pipelines WHERE workspace = ? ORDER BY seq', workspace)
        .map(parse),
    get: (workspace: number, id: string): Pipeline | undefined => {
      const row = db.get<{ document: string }>(
        'SELECT document FROM pipelines WHERE workspace = ? AND id = ?',
        workspace,
        id,
      );
      return row && parse(row);
    },
    add: (workspace: number, pipeline: Pipeline): void => {
      db.run(
        'INSERT INTO pipelines (running, next_run_at, document, workspace, id) VALUES (?, ?, ?, ?, ?)',
        ...[...columns(pipeline), workspace, pipeline.definition.id],
      );
    },
    replace: (workspace: number, pipeline: Pipeline): void => {
      db.run(
        'UPDATE pipelines SET running = ?, next_run_at = ?, document = ? WHERE workspace = ? AND id = ?',
        ...[...columns(pipeline), workspace, pipeline.definition.id],
      );
    },
    remove: (workspace: number, id: string): void => {
      db.run('DELETE FROM pipelines WHERE workspace = ? AND id = ?', workspace, id);
    },
    /** The pipeline that is not running and whose own run comes first. */
    firstDue: (): { workspace: number; id: string; next_run_at: number } | undefined =>
      db.get(
        `SELECT workspace, id, next_run_at FROM pipelines
         WHERE running = 0 AND next_run_at IS NOT NULL ORDER BY next_run_at, seq LIMIT 1`,
      ),
    clear: (): void => {
      db.exec('DELETE FROM pipelines');
    },
  };
}
