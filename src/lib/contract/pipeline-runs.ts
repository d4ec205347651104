// D. Runs of a pipeline: the trigger call and the reported run (specification, "Pipeline").
import {
  array,
  boolean,
  type infer as Infer,
  looseObject,
  nullish,
  number,
  strictObject,
  string,
  union,
} from 'zod/mini';
import { Integer, Time, word } from './shared.ts';
import { ResourceErrors, Slug } from './warehouse.ts';

/** The statuses of a finished run. */
export const ENDED_RUN_STATUSES = ['success', 'failed', 'stopped'] as const;

const text = nullish(string());

/** A count of records. The table in the specification says text, but its examples show numbers. */
const Count = nullish(union([number(), string()]));

export const RunReply = looseObject({
  id: union([Integer, string()]),
  pipeline_id: text,
  type: word(['scheduled', 'manual']),
  status: word(['queued', 'running', 'success', 'failed', 'stopped', 'retrying']),
  errors: ResourceErrors,
  /** Aligned with the schedule's interval and frequency. */
  logical_date: Time,
  started_on: Time,
  ended_on: Time,
  /** The range of the data, aligned with the delay. */
  range_start: Time,
  range_end: Time,
  successful_records: Count,
  failed_records: Count,
});
export type RunReply = Infer<typeof RunReply>;

export const RunPageReply = looseObject({
  items: array(RunReply),
  current_page: nullish(number()),
  page_size: nullish(number()),
  total_pages: nullish(number()),
  total_items: nullish(number()),
  has_previous_page: nullish(boolean()),
  has_next_page: nullish(boolean()),
});

export const TriggerRequest = strictObject({ pipeline_id: Slug });
export const TriggerReply = looseObject({
  pipeline_run_id: union([Integer, string()]),
  status: word(['attempt_requested']),
});
