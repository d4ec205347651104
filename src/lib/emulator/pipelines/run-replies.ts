// Pipeline rules that depend on the stored state (decision: D66), and the responses that describe runs.
import { isoMillis, parseIso } from '../../kernel/timestamps.ts';
import type { Pipeline, Run } from '../stores/pipelines.ts';
import { listed, type WarehouseStores } from '../warehouse/resources.ts';
import { WAREHOUSE_FAILURES, type Failure } from '../../contract/failures.ts';
import { isCalendarDate } from '../../contract/shared.ts';
import { sentences } from '../wire/request-body.ts';
import type { FieldIssue } from '../../contract/explain.ts';
import type { PipelineRequest, SyncMode } from '../../contract/pipelines.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { Fixtures } from '../fixtures/document.ts';
import { type PlatformError, reject } from '../wire/platform-error.ts';

/** Returns the error for an invalid body. If there is only one issue, it may have its own message. */
export function judgePipeline(issues: FieldIssue[]): PlatformError {
  const alone = issues.length === 1 ? issues[0]?.failure : undefined;
  return reject(alone ?? WAREHOUSE_FAILURES.invalidRequest, sentences(issues));
}

/** Returns the problem with a pipeline's data plan; undefined if there is no plan or the plan is active. */
export function describePlanFailure(
  { data_plan_id: id, data_plan_version: version }: Pick<PipelineRequest, 'data_plan_id' | 'data_plan_version'>,
  workspace: number,
  plans: Fixtures['data_plans'],
): { failure: Failure; detail: string } | undefined {
  if (id === undefined) return undefined;
  const versions = plans.filter((plan) => plan.workspace_id === workspace && plan.id === id);
  const plan = versions.find((candidate) => String(candidate.version) === String(version));
  if (!plan) {
    const detail =
      versions.length === 0 ? `data plan \`${id}\`` : `data plan \`${id}\` has no version ${String(version)}`;
    return { failure: WAREHOUSE_FAILURES.planNotFound, detail };
  }
  if (plan.active) return undefined;
  return { failure: WAREHOUSE_FAILURES.planNotActive, detail: `data plan \`${id}\`, version ${String(version)}` };
}

/** True if the sync mode changes, which requires a new sync from the start. */
export function changesSyncMode(before: SyncMode, after: SyncMode): boolean {
  return canonicalJson(before) !== canonicalJson(after);
}

export function runReply(run: Run) {
  const { rangeStart, rangeEnd, succeeded, failed } = run.progress;
  return {
    id: run.id,
    pipeline_id: run.pipeline,
    type: run.type,
    status: run.status,
    errors: listed(messages(run)),
    logical_date: isoMillis(run.logical_at),
    started_on: timeOrNull(run.started_at),
    ended_on: timeOrNull(run.ended_at),
    range_start: timeOrNull(rangeStart),
    range_end: timeOrNull(rangeEnd),
    successful_records: succeeded,
    failed_records: failed,
  };
}

/** Returns why the run as a whole failed (once it has ended), and why records failed. */
function messages({ ended_at, progress: { failure, reasons } }: Run): string[] {
  const records = Object.entries(reasons).map(
    ([reason, count]) => `${count} ${count === 1 ? 'record' : 'records'} failed: ${reason}`,
  );
  return failure && ended_at !== null ? [failure.message, ...records] : records;
}

export function reportReply(
  workspace: number,
  pipeline: Pipeline,
  { connection: connections, data_model: models, runs }: WarehouseStores,
) {
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

function timeOrNull(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : isoMillis(at);
}

const DEFAULT_SIZE = 25;
const LARGEST_SIZE = 100;
const DAY_MS = 86_400_000;

/** `page` starts at 1. `from` and `to` are inclusive (epoch ms). A date alone means the whole UTC day. Throws 400. */
export function readRunQuery(query: URLSearchParams) {
  return {
    page: whole(query, 'currentPage', 1, Number.MAX_SAFE_INTEGER),
    size: whole(query, 'pageSize', DEFAULT_SIZE, LARGEST_SIZE),
    from: time(query, 'startDate', 0) ?? Number.MIN_SAFE_INTEGER,
    to: time(query, 'endDate', DAY_MS - 1) ?? Number.MAX_SAFE_INTEGER,
  };
}

function whole(query: URLSearchParams, name: string, absent: number, most: number): number {
  const text = query.get(name);
  if (text === null) return absent;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  const bound = most === Number.MAX_SAFE_INTEGER ? 'of at least 1' : `from 1 to ${most}`;
  throw reject(WAREHOUSE_FAILURES.invalidRequest, `${name} must be a whole number ${bound}`);
}

/** A date without a time means the start of the day plus `intoDay`. */
function time(query: URLSearchParams, name: string, intoDay: number): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const at = isCalendarDate(text) ? (parseIso(`${text}T00:00:00Z`) ?? 0) + intoDay : parseIso(text);
  if (at !== undefined) return at;
  throw reject(WAREHOUSE_FAILURES.invalidRequest, `${name} must be a date, or a time such as 2026-01-31T08:00:00Z`);
}
