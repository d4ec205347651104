// D. Pipelines, which run a data model over a connection on a schedule, and their calls (specification, "Pipeline").
import { PIPELINE_STATES, PIPELINE_TYPES, SYNC_MODES, SCHEDULE_TYPES, FREQUENCIES } from './choices.ts';
import {
  array,
  enum as oneOf,
  globalRegistry,
  type infer as Infer,
  int,
  literal,
  looseObject,
  nullish,
  number,
  optional,
  pipe,
  strictObject,
  string,
  transform,
  union,
} from 'zod/mini';
import { endpoints } from './endpoint.ts';
import { RunPageReply, RunReply, TriggerReply, TriggerRequest } from './pipeline-runs.ts';
import { auditFields, Environment, ENVIRONMENTS, Integer, rule, word } from './shared.ts';
import { Filled, readOnlyFields, ResourceErrors, Slug, WORKSPACE_PATH } from './warehouse.ts';
import { parseIso } from '../kernel/timestamps.ts';
import type { FieldIssue } from './explain.ts';
import { WAREHOUSE_FAILURES } from './failures.ts';

export const PIPELINE_STATUSES = ['idle', 'running', 'faulted', 'stopped'] as const;

const DELAY = /^\d{1,9}[smhdwy]$/;
const SYNC_TIME_FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** JSON Schema for the fields that a `type` requires. */
function whereTypeIs(type: string, required: string[]) {
  return { if: { properties: { type: { const: type } } }, then: { required } };
}

/** The rows that a run reads. `syncModeIssues` checks the fields that `type` requires. */
export const SyncMode = strictObject({
  type: oneOf(SYNC_MODES),
  iterator_field: optional(Filled),
  /** Such as `timestamp` or `datetime_tz`. The list is open. */
  iterator_data_type: optional(Filled),
  /** The first record to sync, as `YYYY-MM-DDThh:mm:ssZ`. */
  from: optional(string().register(globalRegistry, { pattern: SYNC_TIME_FORM.source })),
  /** The last record to sync. */
  until: optional(string().register(globalRegistry, { pattern: SYNC_TIME_FORM.source })),
}).register(globalRegistry, whereTypeIs('incremental', ['iterator_field', 'iterator_data_type']));
export type SyncMode = Infer<typeof SyncMode>;

/** Accepts both spellings, and sends the underscore (decision: D63). */
const ScheduleType = pipe(
  oneOf([...SCHEDULE_TYPES, 'on-demand']),
  transform((type) => (type === 'on-demand' ? 'on_demand' : type)),
);

export const Schedule = strictObject({
  type: ScheduleType,
  frequency: optional(oneOf(FREQUENCIES)),
  /** A number and a unit: `s`, `m`, `h`, `d`, `w` or `y`. */
  delay: optional(string().register(globalRegistry, { pattern: DELAY.source })),
  start: optional(string().register(globalRegistry, { format: 'date-time' })),
  end: optional(string().register(globalRegistry, { format: 'date-time' })),
}).register(globalRegistry, whereTypeIs('interval', ['frequency', 'start']));
export type Schedule = Infer<typeof Schedule>;

const PipelineFields = strictObject({
  id: Slug,
  name: Filled,
  pipeline_type: oneOf(PIPELINE_TYPES),
  connection_id: Slug,
  /** Maps the warehouse's fields to those of an event; for `events` only. */
  field_transformation_id: optional(Filled),
  data_model_id: Slug,
  partner_feed_id: optional(Integer),
  partner_feed_key: optional(Filled),
  state: oneOf(PIPELINE_STATES),
  sync_mode: SyncMode,
  schedule: Schedule,
  environment: Environment,
  data_plan_id: optional(Filled),
  data_plan_version: optional(union([int(), Filled])),
  ...readOnlyFields,
});
type Written = Infer<typeof PipelineFields>;

/** The body of POST and PUT. */
export const PipelineRequest = PipelineFields.check(rule(pipelineIssues)).register(globalRegistry, {
  if: { properties: { pipeline_type: { const: 'events' } } },
  then: { required: ['field_transformation_id'] },
  else: { not: { required: ['field_transformation_id'] } },
  dependentRequired: { data_plan_id: ['data_plan_version'], data_plan_version: ['data_plan_id'] },
});
export type PipelineRequest = Infer<typeof PipelineRequest>;

const text = nullish(string());

export const PipelineReply = looseObject({
  id: string(),
  name: text,
  pipeline_type: word(PIPELINE_TYPES),
  connection_id: text,
  field_transformation_id: text,
  data_model_id: text,
  partner_feed_id: nullish(Integer),
  partner_feed_key: text,
  state: word(PIPELINE_STATES),
  status: word(PIPELINE_STATUSES),
  errors: ResourceErrors,
  sync_mode: nullish(
    looseObject({ type: word(SYNC_MODES), iterator_field: text, iterator_data_type: text, from: text, until: text }),
  ),
  schedule: nullish(
    looseObject({ type: word(SCHEDULE_TYPES), frequency: word(FREQUENCIES), delay: text, start: text, end: text }),
  ),
  environment: word(ENVIRONMENTS),
  data_plan_id: text,
  data_plan_version: nullish(union([string(), number()])),
  ...auditFields,
});
export type PipelineReply = Infer<typeof PipelineReply>;

export const PipelineReportReply = looseObject({
  pipeline_id: text,
  status: word(PIPELINE_STATUSES),
  errors: ResourceErrors,
  connection_status: word(['healthy', 'faulted']),
  connection_errors: ResourceErrors,
  data_model_status: word(['valid', 'invalid']),
  data_model_errors: ResourceErrors,
  latest_successful_pipeline_run_id: nullish(union([Integer, string()])),
  /** The last synced position; only for incremental pipelines. */
  current_iterator_position: text,
  latest_pipeline_run: nullish(RunReply),
});
export type PipelineReportReply = Infer<typeof PipelineReportReply>;

export const ResetRequest = strictObject({ pipeline_id: Slug, reset_type: literal('full') });

const LIST_PATH = `${WORKSPACE_PATH}/inputs/data-pipelines` as const;
const PIPELINE_PATH = `${WORKSPACE_PATH}/inputs/data-pipelines/{pipelineId}` as const;

export const pipelinesEndpoints = endpoints('pipelines', 'base', 'bearer', {
  list: { method: 'GET', path: LIST_PATH, reply: array(PipelineReply) },
  get: { method: 'GET', path: PIPELINE_PATH, reply: PipelineReply, about: { pipelineId: 'id' } },
  create: { method: 'POST', path: LIST_PATH, body: PipelineRequest, reply: PipelineReply },
  update: {
    method: 'PUT',
    path: PIPELINE_PATH,
    body: PipelineRequest,
    reply: PipelineReply,
    query: ['preventResets'],
    about: { pipelineId: 'id' },
  },
  delete: { method: 'DELETE', path: PIPELINE_PATH, status: 204 },
  trigger: { method: 'POST', path: `${LIST_PATH}/trigger`, body: TriggerRequest, reply: TriggerReply, safety: 'once' },
  reset: { method: 'POST', path: `${LIST_PATH}/reset`, status: 204, body: ResetRequest, safety: 'once' },
  report: {
    method: 'GET',
    path: `${PIPELINE_PATH}/report`,
    reply: PipelineReportReply,
    about: { pipelineId: 'pipeline_id' },
  },
  runs: {
    method: 'GET',
    path: `${PIPELINE_PATH}/runs`,
    reply: RunPageReply,
    query: ['currentPage', 'pageSize', 'startDate', 'endDate'],
  },
  run: {
    method: 'GET',
    path: `${PIPELINE_PATH}/runs/{pipelineRunId}`,
    reply: RunReply,
    about: { pipelineId: 'pipeline_id', pipelineRunId: 'id' },
  },
});

/** Finds problems between fields that have the right types (specification, "Pipeline"). */
function pipelineIssues(pipeline: Written): FieldIssue[] {
  return [
    ...transformationIssues(pipeline),
    ...planIssues(pipeline),
    ...syncModeIssues(pipeline.sync_mode),
    ...scheduleIssues(pipeline.schedule),
  ];
}

function transformationIssues({ pipeline_type, field_transformation_id }: Written): FieldIssue[] {
  const path = ['field_transformation_id'];
  if (pipeline_type === 'events' && field_transformation_id === undefined) {
    return [{ path, message: 'is missing: an events pipeline needs it' }];
  }
  if (pipeline_type !== 'events' && field_transformation_id !== undefined) {
    const failure = WAREHOUSE_FAILURES.transformationOfUsers;
    return [{ path, message: 'is not allowed in a user attributes pipeline', failure }];
  }
  return [];
}

function planIssues({ data_plan_id, data_plan_version }: Written): FieldIssue[] {
  if (data_plan_id !== undefined && data_plan_version === undefined) {
    const failure = WAREHOUSE_FAILURES.planWithoutVersion;
    return [{ path: ['data_plan_version'], message: 'is missing: a data plan needs its version', failure }];
  }
  if (data_plan_id === undefined && data_plan_version !== undefined) {
    return [{ path: ['data_plan_id'], message: 'is missing: there is a version but no data plan' }];
  }
  return [];
}

function syncModeIssues({ type, iterator_field, iterator_data_type, from, until }: SyncMode): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const at = (field: string, message: string) => issues.push({ path: ['sync_mode', field], message });
  if (type === 'incremental') {
    if (iterator_field === undefined) at('iterator_field', 'is missing: an incremental sync needs it');
    if (iterator_data_type === undefined) at('iterator_data_type', 'is missing: an incremental sync needs it');
  }
  if (from !== undefined && !isSyncTime(from)) at('from', SYNC_TIME);
  if (until !== undefined && !isSyncTime(until)) at('until', SYNC_TIME);
  if (isBefore(until, from)) at('until', 'is before `from`');
  return issues;
}

function scheduleIssues({ type, frequency, delay, start, end }: Schedule): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const at = (field: string, message: string) => issues.push({ path: ['schedule', field], message });
  if (type === 'interval') {
    if (frequency === undefined) at('frequency', 'is missing: an interval needs it');
    if (start === undefined) at('start', 'is missing: an interval needs it');
  }
  if (delay !== undefined && !DELAY.test(delay)) {
    at('delay', 'must be a number and a unit without a space: `s`, `m`, `h`, `d`, `w` or `y`');
  }
  if (start !== undefined && parseIso(start) === undefined) at('start', TIME);
  if (end !== undefined && parseIso(end) === undefined) at('end', TIME);
  if (isBefore(end, start)) at('end', 'is before `start`');
  return issues;
}

const SYNC_TIME = 'must be a valid time as YYYY-MM-DDThh:mm:ssZ';
const TIME = 'must be a time with its zone, such as 2026-01-31T08:00:00Z';

function isSyncTime(text: string): boolean {
  return SYNC_TIME_FORM.test(text) && parseIso(text) !== undefined;
}

/** True if `later` is before `earlier`. False if one is absent or not a time. */
function isBefore(later: string | undefined, earlier: string | undefined): boolean {
  const [end, start] = [parseIso(later ?? ''), parseIso(earlier ?? '')];
  return end !== undefined && start !== undefined && end < start;
}
