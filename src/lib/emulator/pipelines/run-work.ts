// The work of a run: reads the model's rows from the connection's warehouse and writes them to profiles.
import { uncheckedSql, WAREHOUSE_FAILURES } from '../../contract/failures.ts';
import { describePlanFailure } from './run-replies.ts';
import type { Platform } from '../platform/area.ts';
import { closedWarehouse, createWarehouseReader, QueryAborted, QueryError, type Row } from '../warehouse/reader.ts';
import { BadRow, createRowReader } from './run-rows.ts';
import { inRange } from './schedule.ts';
import { type Pipeline, type Run, RunFailure, type RunFault, type RunProgress } from '../stores/pipelines.ts';
import type { ProfileChange } from '../stores/profiles.ts';
import { findWarehouse, type WarehouseFile } from '../warehouse/access.ts';
import type { WarehouseStores } from '../warehouse/resources.ts';
import { parseIso } from '../../kernel/timestamps.ts';

/** Maximum number of different reasons reported per run. The rest are counted together, as other reasons. */
const MOST_REASONS = 5;

export type RunWork = ReturnType<typeof createRunWork>;

export function createRunWork(stores: WarehouseStores, platform: Platform) {
  const { runs, pipelines } = stores;
  const reader = createWarehouseReader();
  const isWanted = ({ id }: Run): boolean => runs.get(id)?.status === 'running';

  /** Reads all rows, and passes the run to `keep` after each batch. Throws RunFailure and the errors of the reader. */
  async function synchronize(run: Run, pipeline: Pipeline, keep: (run: Run) => void): Promise<void> {
    const { warehouse, sql } = openUp(run, pipeline, stores, platform);
    const write = createWriter(run, pipeline, platform);
    let { progress } = run;
    let seen = 0;
    await reader.read(warehouse, sql, (rows) => {
      if (!isWanted(run)) return false;
      platform.db.transaction(() => {
        progress = write(rows, seen, progress);
        keep({ ...run, progress });
      });
      seen += rows.length;
      return true;
    });
    if (progress.failed > 0 && progress.succeeded === 0) {
      throw new RunFailure('pipeline', 'No record could be synchronized');
    }
  }

  return {
    /** Starts or resumes a queued run. Undefined if it was stopped or deleted, or if the platform closes. */
    workOn: async (queued: Run): Promise<Run | undefined> => {
      const pipeline = pipelines.get(queued.workspace, queued.pipeline);
      if (!pipeline) return undefined;
      let run: Run = { ...queued, status: 'running', started_at: queued.started_at ?? queued.due_at };
      const keep = (next: Run): void => {
        run = next;
        runs.save(next);
      };
      keep(run);
      try {
        await synchronize(run, pipeline, keep);
      } catch (error) {
        if (error instanceof QueryAborted) return undefined;
        run = { ...run, progress: { ...run.progress, failure: asFault(error) } };
      }
      return isWanted(run) ? run : undefined;
    },
    close: reader.close,
  };
}

/** Finds the warehouse and the query. Throws RunFailure if a resource does not allow a sync. */
function openUp(
  { workspace }: Run,
  { definition }: Pipeline,
  { connection: connections, data_model: models }: WarehouseStores,
  { fixtures, warehouse: fallback }: Platform,
): { warehouse: WarehouseFile; sql: string } {
  const connection = connections.get(workspace, definition.connection_id);
  const model = models.get(workspace, definition.data_model_id);
  if (!connection || !model) throw new RunFailure('pipeline', WAREHOUSE_FAILURES.notFound.message);
  if (connection.broken) throw new RunFailure('connection', `Connection \`${definition.connection_id}\` is faulted`);
  if (model.broken) throw new RunFailure('data_model', `Data model \`${definition.data_model_id}\` is invalid`);
  if (connection.definition.state === 'inactive') {
    throw new RunFailure('connection', `Connection \`${definition.connection_id}\` is inactive`);
  }
  if (model.definition.state === 'inactive') {
    throw new RunFailure('data_model', `Data model \`${definition.data_model_id}\` is inactive`);
  }
  const plan = describePlanFailure(definition, workspace, fixtures.data_plans);
  if (plan) throw new RunFailure('pipeline', `${plan.failure.message}: ${plan.detail}`);
  const found = findWarehouse(connection.definition, fixtures.warehouses, fallback);
  if ('unreachable' in found) throw closedWarehouse(found.unreachable);
  return { warehouse: found, sql: model.definition.config.sql_query };
}

function asFault(error: unknown): RunFault {
  if (error instanceof RunFailure) return error.fault;
  if (!(error instanceof QueryError)) throw error;
  const message = `${WAREHOUSE_FAILURES.invalidSql.message}: ${error.message}`;
  return { cause: 'data_model', message, marks: true, notes: uncheckedSql.notesOn(error.message) };
}

/** Writes a batch of rows and returns the progress. `first` is the index of its first row in the query's result. */
type Writer = (rows: Row[], first: number, before: RunProgress) => RunProgress;

function createWriter(run: Run, { definition }: Pipeline, { profiles, names }: Platform): Writer {
  const scope = { workspace: run.workspace, environment: definition.environment };
  const readRow = createRowReader(definition.pipeline_type, scope, names.fromWire);
  const isOurs = createRangeFilter(definition.sync_mode.iterator_field, run.progress);

  return (rows, first, before) => {
    const reasons = { ...before.reasons };
    const changes: ProfileChange[] = [];
    let failed = 0;
    // Skip rows that were written before a restart.
    for (const row of rows.slice(Math.max(0, before.rows - first))) {
      try {
        if (isOurs(row)) changes.push(readRow(row));
      } catch (error) {
        if (!(error instanceof BadRow)) throw error;
        failed++;
        const known = error.message in reasons || Object.keys(reasons).length < MOST_REASONS;
        const reason = known ? error.message : 'other reasons';
        reasons[reason] = (reasons[reason] ?? 0) + 1;
      }
    }
    profiles.apply(changes, run.started_at ?? 0, `pipeline ${run.pipeline}, run ${run.id}`);
    return {
      ...before,
      rows: Math.max(before.rows, first + rows.length),
      succeeded: before.succeeded + changes.length,
      failed: before.failed + failed,
      reasons,
    };
  };
}

/** Returns a test for rows in a run's range, which throws RunFailure (missing column) or BadRow (invalid time). */
function createRangeFilter(field: string | undefined, progress: RunProgress): (row: Row) => boolean {
  if (!progress.bounded || field === undefined) return () => true;
  let column: string | undefined;
  return (row) => {
    column ??= Object.keys(row).find((name) => name.toLowerCase() === field.toLowerCase());
    if (column === undefined) {
      throw new RunFailure('pipeline', `The data model has no column for the iterator_field \`${field}\``);
    }
    const value = row[column];
    if (value === null || value === undefined) return false;
    const time = iteratorTime(value);
    if (time === undefined) throw new BadRow(`column \`${column}\` does not contain a time`);
    return inRange(progress, time);
  };
}

/** Smaller numbers are seconds since 1970. Others are milliseconds (as milliseconds, this number is in March 1973). */
const SECONDS_BELOW = 1e11;

const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** Returns epoch ms. Text without a zone is UTC. Numbers and digits are seconds or milliseconds since 1970. */
export function iteratorTime(value: unknown): number | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return fromNumber(Number(value));
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^-?\d{1,16}(\.\d+)?$/.test(text)) return fromNumber(Number(text));
  const [, date, time = '00:00', seconds = ':00', zone = 'Z'] = DATE_TIME.exec(text) ?? [];
  if (date === undefined) return undefined;
  const offset = /^(Z|UTC)$/i.test(zone) ? 'Z' : zone.length === 3 ? `${zone}:00` : zone;
  return parseIso(`${date}T${time}${seconds}${offset}`);
}

function fromNumber(number: number): number | undefined {
  const ms = Math.round(Math.abs(number) < SECONDS_BELOW ? number * 1000 : number);
  return Math.abs(ms) <= 8.64e15 ? ms : undefined;
}
