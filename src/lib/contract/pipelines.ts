// Pipelines, which run a data model over a connection on a schedule, and their calls (specification, "Pipeline").
import { PIPELINE_STATES, PIPELINE_TYPES, SYNC_MODES, SCHEDULE_TYPES, FREQUENCIES } from './choices.ts';
import * as z from 'zod/mini';
import { endpoints } from './endpoint.ts';
import { RunPageReply, RunReply, TriggerReply, TriggerRequest } from './pipeline-runs.ts';
import { auditFields, Environment, ENVIRONMENTS, fieldsRule, Integer, rule, word } from './shared.ts';
import { Filled, readOnlyFields, resourceRows, ResourceErrors, Slug, WORKSPACE_PATH } from './warehouse.ts';
import { parseIso } from '../kernel/timestamps.ts';
import type { FieldIssue } from './explain.ts';
import { WAREHOUSE_FAILURES } from './failures.ts';

export const PIPELINE_STATUSES = ['idle', 'running', 'faulted', 'stopped'] as const;

const DELAY = /^\d{1,9}[smhdwy]$/;
const SYNC_TIME_FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function whereTypeIs(type: string, required: string[]) {
  return { if: { properties: { type: { const: type } } }, then: { required } };
}

const SyncFields = z.strictObject({
  type: z.enum(SYNC_MODES),
  iterator_field: z.optional(Filled),
  /** Such as `timestamp` or `datetime_tz`. Any other value is also allowed. */
  iterator_data_type: z.optional(Filled),
  /** Time of the first record to sync, as `YYYY-MM-DDThh:mm:ssZ`. */
  from: z.optional(z.string().register(z.globalRegistry, { pattern: SYNC_TIME_FORM.source })),
  until: z.optional(z.string().register(z.globalRegistry, { pattern: SYNC_TIME_FORM.source })),
});
/** Selects the rows that a run reads. */
export const SyncMode = SyncFields.check(rule(syncModeIssues)).register(
  z.globalRegistry,
  whereTypeIs('incremental', ['iterator_field', 'iterator_data_type']),
);
export type SyncMode = z.infer<typeof SyncFields>;

/** Accepts `on_demand` and `on-demand`, and sends `on_demand` (decision: D63). */
const ScheduleType = z.pipe(
  z.enum([...SCHEDULE_TYPES, 'on-demand']),
  z.transform((type) => (type === 'on-demand' ? 'on_demand' : type)),
);

const ScheduleFields = z.strictObject({
  type: ScheduleType,
  frequency: z.optional(z.enum(FREQUENCIES)),
  /** A number and a unit: `s`, `m`, `h`, `d`, `w` or `y`. */
  delay: z.optional(z.string().register(z.globalRegistry, { pattern: DELAY.source })),
  start: z.optional(z.string().register(z.globalRegistry, { format: 'date-time' })),
  end: z.optional(z.string().register(z.globalRegistry, { format: 'date-time' })),
});
export const Schedule = ScheduleFields.check(rule(scheduleIssues)).register(
  z.globalRegistry,
  whereTypeIs('interval', ['frequency', 'start']),
);
export type Schedule = z.infer<typeof ScheduleFields>;

const PipelineFields = z.strictObject({
  id: Slug,
  name: Filled,
  pipeline_type: z.enum(PIPELINE_TYPES),
  connection_id: Slug,
  /** Transformation of warehouse fields to event fields; for `events` only. */
  field_transformation_id: z.optional(Filled),
  data_model_id: Slug,
  partner_feed_id: z.optional(Integer),
  partner_feed_key: z.optional(Filled),
  state: z.enum(PIPELINE_STATES),
  sync_mode: SyncMode,
  schedule: Schedule,
  environment: Environment,
  data_plan_id: z.optional(Filled),
  data_plan_version: z.optional(z.union([z.int(), Filled])),
  ...readOnlyFields,
});
type Written = { [Field in keyof z.infer<typeof PipelineFields>]: unknown };

export const PipelineRequest = PipelineFields.check(fieldsRule(transformationIssues), fieldsRule(planIssues)).register(
  z.globalRegistry,
  {
    if: { properties: { pipeline_type: { const: 'events' } } },
    then: { required: ['field_transformation_id'] },
    else: { not: { required: ['field_transformation_id'] } },
    dependentRequired: { data_plan_id: ['data_plan_version'], data_plan_version: ['data_plan_id'] },
  },
);
export type PipelineRequest = z.infer<typeof PipelineRequest>;

const text = z.nullish(z.string());

export const PipelineReply = z.looseObject({
  id: z.string(),
  name: text,
  pipeline_type: word(PIPELINE_TYPES),
  connection_id: text,
  field_transformation_id: text,
  data_model_id: text,
  partner_feed_id: z.nullish(Integer),
  partner_feed_key: text,
  state: word(PIPELINE_STATES),
  status: word(PIPELINE_STATUSES),
  errors: ResourceErrors,
  sync_mode: z.nullish(
    z.looseObject({ type: word(SYNC_MODES), iterator_field: text, iterator_data_type: text, from: text, until: text }),
  ),
  schedule: z.nullish(
    z.looseObject({ type: word(SCHEDULE_TYPES), frequency: word(FREQUENCIES), delay: text, start: text, end: text }),
  ),
  environment: word(ENVIRONMENTS),
  data_plan_id: text,
  data_plan_version: z.nullish(z.union([z.string(), z.number()])),
  ...auditFields,
});
export type PipelineReply = z.infer<typeof PipelineReply>;

export const PipelineReportReply = z.looseObject({
  pipeline_id: text,
  status: word(PIPELINE_STATUSES),
  errors: ResourceErrors,
  connection_status: word(['healthy', 'faulted']),
  connection_errors: ResourceErrors,
  data_model_status: word(['valid', 'invalid']),
  data_model_errors: ResourceErrors,
  latest_successful_pipeline_run_id: z.nullish(z.union([Integer, z.string()])),
  /** Last synced position; only for incremental pipelines. */
  current_iterator_position: text,
  latest_pipeline_run: z.nullish(RunReply),
});
export type PipelineReportReply = z.infer<typeof PipelineReportReply>;

export const ResetRequest = z.strictObject({ pipeline_id: Slug, reset_type: z.literal('full') });

const LIST_PATH = `${WORKSPACE_PATH}/inputs/data-pipelines` as const;
const PIPELINE_PATH = `${LIST_PATH}/{pipelineId}` as const;
const calls = resourceRows(LIST_PATH, 'pipelineId', PipelineRequest, PipelineReply);

export const pipelinesEndpoints = endpoints('pipelines', 'base', 'bearer', {
  ...calls,
  update: { ...calls.update, query: ['preventResets'] },
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
    about: { pipelineId: 'items[].pipeline_id' },
    query: ['currentPage', 'pageSize', 'startDate', 'endDate'],
  },
  run: {
    method: 'GET',
    path: `${PIPELINE_PATH}/runs/{pipelineRunId}`,
    reply: RunReply,
    about: { pipelineId: 'pipeline_id', pipelineRunId: 'id' },
  },
});

function transformationIssues({ pipeline_type, field_transformation_id }: Written): FieldIssue[] {
  const path = ['field_transformation_id'];
  if (pipeline_type === 'events' && field_transformation_id === undefined) {
    return [{ path, message: 'is required for an events pipeline' }];
  }
  if (pipeline_type === 'user_attributes' && field_transformation_id !== undefined) {
    const failure = WAREHOUSE_FAILURES.transformationOfUsers;
    return [{ path, message: 'is not allowed in a user attributes pipeline', failure }];
  }
  return [];
}

function planIssues({ data_plan_id, data_plan_version }: Written): FieldIssue[] {
  if (data_plan_id !== undefined && data_plan_version === undefined) {
    const failure = WAREHOUSE_FAILURES.planWithoutVersion;
    return [{ path: ['data_plan_version'], message: 'is required with a data plan', failure }];
  }
  if (data_plan_id === undefined && data_plan_version !== undefined) {
    return [{ path: ['data_plan_id'], message: 'is required with a data plan version' }];
  }
  return [];
}

function syncModeIssues({ type, iterator_field, iterator_data_type, from, until }: SyncMode): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const at = (field: string, message: string) => issues.push({ path: [field], message });
  if (type === 'incremental') {
    if (iterator_field === undefined) at('iterator_field', 'is required for an incremental sync');
    if (iterator_data_type === undefined) at('iterator_data_type', 'is required for an incremental sync');
  }
  if (from !== undefined && !isSyncTime(from)) at('from', SYNC_TIME);
  if (until !== undefined && !isSyncTime(until)) at('until', SYNC_TIME);
  if (isBefore(until, from)) at('until', 'is before `from`');
  return issues;
}

function scheduleIssues({ type, frequency, delay, start, end }: Schedule): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const at = (field: string, message: string) => issues.push({ path: [field], message });
  if (type === 'interval') {
    if (frequency === undefined) at('frequency', 'is required for an interval schedule');
    if (start === undefined) at('start', 'is required for an interval schedule');
  }
  if (delay !== undefined && !DELAY.test(delay)) {
    at('delay', 'must be a number and a unit without a space: `s`, `m`, `h`, `d`, `w` or `y`');
  }
  if (start !== undefined && parseIso(start) === undefined) at('start', TIME);
  if (end !== undefined && parseIso(end) === undefined) at('end', TIME);
  if (isBefore(end, start)) at('end', 'is before `start`');
  return issues;
}

const SYNC_TIME = 'must be a valid time in the format YYYY-MM-DDThh:mm:ssZ';
const TIME = 'must be a time with a time zone, such as 2026-01-31T08:00:00Z';

function isSyncTime(text: string): boolean {
  return SYNC_TIME_FORM.test(text) && parseIso(text) !== undefined;
}

/** True if both times are valid and `later` is before `earlier`. */
function isBefore(later: string | undefined, earlier: string | undefined): boolean {
  const [end, start] = [parseIso(later), parseIso(earlier)];
  return end !== undefined && start !== undefined && end < start;
}
