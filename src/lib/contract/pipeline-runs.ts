// Pipeline runs: the trigger call and the reported run (specification, "Pipeline").
import * as z from 'zod/mini';
import { Integer, Time, word } from './shared.ts';
import { ResourceErrors, Slug } from './warehouse.ts';

export const RUN_TYPES = ['scheduled', 'manual'] as const;
export const RUN_STATUSES = ['queued', 'running', 'success', 'failed', 'stopped', 'retrying'] as const;
export const ENDED_RUN_STATUSES = ['success', 'failed', 'stopped'] as const;

const text = z.nullish(z.string());

/** A number of records. The specification's table defines it as text, but the specification's examples show numbers. */
const Count = z.nullish(z.union([z.number(), z.string()]));

export const RunReply = z.looseObject({
  id: z.union([Integer, z.string()]),
  pipeline_id: text,
  type: word(RUN_TYPES),
  status: word(RUN_STATUSES),
  errors: ResourceErrors,
  /** Aligned with the schedule's interval and frequency. */
  logical_date: Time,
  started_on: Time,
  ended_on: Time,
  range_start: Time,
  range_end: Time,
  successful_records: Count,
  failed_records: Count,
});
export type RunReply = z.infer<typeof RunReply>;

export const RunPageReply = z.looseObject({
  items: z.array(RunReply),
  current_page: z.nullish(z.number()),
  page_size: z.nullish(z.number()),
  total_pages: z.nullish(z.number()),
  total_items: z.nullish(z.number()),
  has_previous_page: z.nullish(z.boolean()),
  has_next_page: z.nullish(z.boolean()),
});

export const TriggerRequest = z.strictObject({ pipeline_id: Slug });
export const TriggerReply = z.looseObject({
  pipeline_run_id: z.union([Integer, z.string()]),
  status: word(['attempt_requested']),
});
