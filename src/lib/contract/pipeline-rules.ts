// Rules between the fields of a pipeline that its body alone decides (specification, "Pipeline").
import { parseIso } from '../kernel/timestamps.ts';
import type { FieldIssue } from './explain.ts';
import { WAREHOUSE_FAILURES } from './failures.ts';

/** The fields that the rules read. */
interface Written {
  pipeline_type: string;
  field_transformation_id?: string | undefined;
  data_plan_id?: string | undefined;
  data_plan_version?: string | number | undefined;
  sync_mode: {
    type: string;
    iterator_field?: string | undefined;
    iterator_data_type?: string | undefined;
    from?: string | undefined;
    until?: string | undefined;
  };
  schedule: {
    type: string;
    frequency?: string | undefined;
    delay?: string | undefined;
    start?: string | undefined;
    end?: string | undefined;
  };
}

/** All problems of a pipeline whose fields have the right types. */
export function pipelineIssues(pipeline: Written): FieldIssue[] {
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

function syncModeIssues({ type, iterator_field, iterator_data_type, from, until }: Written['sync_mode']): FieldIssue[] {
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

function scheduleIssues({ type, frequency, delay, start, end }: Written['schedule']): FieldIssue[] {
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

const DELAY = /^\d{1,9}[smhdwy]$/;
const SYNC_TIME = 'must be a valid time as YYYY-MM-DDThh:mm:ssZ';
const TIME = 'must be a time with its zone, such as 2026-01-31T08:00:00Z';

function isSyncTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && parseIso(text) !== undefined;
}

/** True when `later` is earlier than `earlier`. False when one is absent or not a time. */
function isBefore(later: string | undefined, earlier: string | undefined): boolean {
  const [end, start] = [parseIso(later ?? ''), parseIso(earlier ?? '')];
  return end !== undefined && start !== undefined && end < start;
}
