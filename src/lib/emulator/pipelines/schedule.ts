// When a pipeline runs and which data a run reads: pure functions of its schedule and sync mode (decision: D65).
import type { Frequency } from '../../contract/choices.ts';
import type { PipelineRequest, Schedule, SyncMode } from '../../contract/pipelines.ts';
import { parseDuration, parseIso } from '../../kernel/timestamps.ts';

type Timing = Pick<PipelineRequest, 'state' | 'schedule' | 'sync_mode'>;

/** All times here are epoch milliseconds. */
const FIXED_MS = { hourly: 3_600_000, daily: 86_400_000, weekly: 7 * 86_400_000 } as const;

/**
 * When the pipeline runs by itself for the first time at or after `from`; undefined when it never does. `ranOnce` says
 * whether a pipeline of type `once` has had its run.
 */
export function nextRun({ state, schedule, sync_mode }: Timing, from: number, ranOnce: boolean): number | undefined {
  if (state !== 'active') return undefined;
  const start = timeOf(schedule.start);
  const end = timeOf(schedule.end) ?? Infinity;
  let next: number | undefined;
  if (schedule.type === 'once') next = ranOnce ? undefined : Math.max(start ?? from, from);
  if (schedule.type === 'interval' && schedule.frequency && start !== undefined) {
    const { frequency } = schedule;
    // A first record that is as young as the schedule itself leaves nothing to read at its start.
    const first = timeOf(sync_mode.from) === start ? 1 : 0;
    next = boundary(start, frequency, Math.max(first, indexFrom(start, frequency, from)));
  }
  return next !== undefined && next <= end ? next : undefined;
}

/** The boundary of the schedule's interval that `at` lies in; `at` itself where there is none. */
export function logicalDate({ type, frequency, start: text }: Schedule, at: number): number {
  const start = timeOf(text);
  if (type !== 'interval' || !frequency || start === undefined || at < start) return at;
  const index = indexFrom(start, frequency, at);
  const next = boundary(start, frequency, index);
  return next === at ? next : boundary(start, frequency, index - 1);
}

/** The `index`th boundary, from 0 on. A month that is too short for the day ends on its last one. */
export function boundary(start: number, frequency: Frequency, index: number): number {
  if (frequency !== 'monthly') return start + index * FIXED_MS[frequency];
  const date = new Date(start);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + index);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.setUTCDate(Math.min(day, lastDay));
}

/** The index, from 0 on, of the first boundary at or after `at`. */
function indexFrom(start: number, frequency: Frequency, at: number): number {
  if (at <= start) return 0;
  if (frequency !== 'monthly') return Math.ceil((at - start) / FIXED_MS[frequency]);
  const [from, to] = [new Date(start), new Date(at)];
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  return boundary(start, frequency, months) >= at ? months : months + 1;
}

/** Which rows a run reads, by the time in their `iterator_field`. */
export interface DataRange {
  start: number | undefined;
  /** Whether a row of exactly `start` was read by the run before. */
  afterStart: boolean;
  /** Rows of exactly this time are read. */
  end: number;
  /** Whether the bounds are kept to; a full sync without bounds reads everything. */
  bounded: boolean;
}

/** The range of a run at `at`; `position` is where the last successful one ended, undefined before the first. */
export function dataRange(
  { sync_mode, schedule }: { sync_mode: SyncMode; schedule: Schedule },
  at: number,
  position: number | undefined,
): DataRange {
  const until = timeOf(sync_mode.until) ?? Infinity;
  const end = Math.min(at - (parseDuration(schedule.delay ?? '') ?? 0), until);
  const from = timeOf(sync_mode.from);
  if (sync_mode.type === 'full') {
    const bounded = sync_mode.iterator_field !== undefined && (from !== undefined || until !== Infinity);
    return { start: from, afterStart: false, end, bounded };
  }
  // What is only ever triggered has no interval that `start` could begin.
  const configured = from ?? (schedule.type === 'on_demand' ? timeOf(schedule.start) : undefined);
  return { start: position ?? configured, afterStart: position !== undefined, end, bounded: true };
}

/** Whether a row of this time belongs to the range. */
export function inRange({ start, afterStart, end }: DataRange, time: number): boolean {
  if (time > end) return false;
  return start === undefined || time > start || (time === start && !afterStart);
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseIso(text);
}
