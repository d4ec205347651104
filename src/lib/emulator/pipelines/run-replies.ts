// Runs and reports as they are answered.
import { isoMillis } from '../../kernel/timestamps.ts';
import type { Pipeline } from '../stores/pipelines.ts';
import type { Run } from '../stores/runs.ts';
import type { WarehouseStores } from '../warehouse/stores.ts';

export function runReply(run: Run) {
  const { rangeStart, rangeEnd, succeeded, failed } = run.progress;
  return {
    id: run.id,
    pipeline_id: run.pipeline,
    type: run.type,
    status: run.status,
    errors: messages(run).map((message) => ({ message })),
    logical_date: isoMillis(run.logical_at),
    started_on: timeOrNull(run.started_at),
    ended_on: timeOrNull(run.ended_at),
    range_start: timeOrNull(rangeStart),
    range_end: timeOrNull(rangeEnd),
    successful_records: succeeded,
    failed_records: failed,
  };
}

/** What made the whole run fail, once it is over; then why records failed. */
function messages({ ended_at, progress: { failure, reasons } }: Run): string[] {
  const records = Object.entries(reasons).map(
    ([reason, count]) => `${count} ${count === 1 ? 'record' : 'records'} failed: ${reason}`,
  );
  return failure && ended_at !== null ? [failure.message, ...records] : records;
}

export function reportReply(workspace: number, pipeline: Pipeline, { connections, models, runs }: WarehouseStores) {
  const { id, connection_id, data_model_id, sync_mode } = pipeline.definition;
  const connection = connections.get(workspace, connection_id);
  const model = models.get(workspace, data_model_id);
  const latest = runs.latest(workspace, id);
  return {
    pipeline_id: id,
    status: pipeline.status,
    errors: listed(pipeline.errors),
    connection_status: connection?.broken === true ? 'faulted' : 'healthy',
    connection_errors: listed(connection?.errors),
    data_model_status: model?.broken === true ? 'invalid' : 'valid',
    data_model_errors: listed(model?.errors),
    latest_successful_pipeline_run_id: runs.latest(workspace, id, 'success')?.id ?? null,
    ...(sync_mode.type === 'incremental' && { current_iterator_position: timeOrNull(pipeline.position) }),
    latest_pipeline_run: latest ? runReply(latest) : null,
  };
}

function listed(errors: readonly string[] = []): { message: string }[] {
  return errors.map((message) => ({ message }));
}

function timeOrNull(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : isoMillis(at);
}
