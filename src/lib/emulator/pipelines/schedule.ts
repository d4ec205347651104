// Schedules pipelines and computes a run's data range, from the schedule and the sync mode alone (decision: D65).
import type { Frequency } from '../../contract/choices.ts';
import type { PipelineRequest, Schedule, SyncMode } from '../../contract/pipelines.ts';
import { parseDuration, parseIso } from '../../kernel/timestamps.ts';
import type { RunProgress } from '../stores/pipelines.ts';

/** Durations in milliseconds. All times in this file are epoch milliseconds. */
const FIXED_MS = { hourly: 3_600_000, daily: 86_400_000, weekly: 7 * 86_400_000 } as const;

/** Returns the time of the next run at or after `from`, if any. `ranOnce` is true after a scheduled run. */
export function nextRun(
  { state, schedule, sync_mode }: Pick<PipelineRequest, 'state' | 'schedule' | 'sync_mode'>,
  from: number,
  ranOnce: boolean,
): number | undefined {
  if (state !== 'active') return undefined;
  const start = parseIso(schedule.start);
  const end = parseIso(schedule.end) ?? Infinity;
  let next: number | undefined;
  if (schedule.type === 'once') next = ranOnce ? undefined : Math.max(start ?? from, from);
  if (schedule.type === 'interval' && schedule.frequency && start !== undefined) {
    const { frequency } = schedule;
    // If `sync_mode.from` equals the schedule's start, a run at that time would have nothing to read.
    const first = parseIso(sync_mode.from) === start ? 1 : 0;
    next = boundary(start, frequency, Math.max(first, indexFrom(start, frequency, from)));
  }
  return next !== undefined && next <= end ? next : undefined;
}

/** Returns the start of the schedule interval that contains `at`, or `at` itself if no interval does. */
export function logicalDate({ type, frequency, start: text }: Schedule, at: number): number {
  const start = parseIso(text);
  if (type !== 'interval' || !frequency || start === undefined || at < start) return at;
  const index = indexFrom(start, frequency, at);
  const next = boundary(start, frequency, index);
  return next === at ? next : boundary(start, frequency, index - 1);
}

/** Returns the interval boundary with this 0-based index. In a month without the start's day, it is on the last day. */
export function boundary(start: number, frequency: Frequency, index: number): number {
  if (frequency !== 'monthly') return start + index * FIXED_MS[frequency];
  const date = new Date(start);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + index);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.setUTCDate(Math.min(day, lastDay));
}

/** Returns the 0-based index of the first boundary at or after `at`. */
function indexFrom(start: number, frequency: Frequency, at: number): number {
  if (at <= start) return 0;
  if (frequency !== 'monthly') return Math.ceil((at - start) / FIXED_MS[frequency]);
  const [from, to] = [new Date(start), new Date(at)];
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  return boundary(start, frequency, months) >= at ? months : months + 1;
}

/** Rows that a run reads, selected by the time in their `iterator_field`. */
type DataRange = Pick<RunProgress, 'rangeStart' | 'afterStart' | 'rangeEnd' | 'bounded'>;

/** Returns the data range of a run for the time `at`. `position` is the end of the last successful range, if any. */
export function dataRange(
  { sync_mode, schedule }: { sync_mode: SyncMode; schedule: Schedule },
  at: number,
  position: number | undefined,
): DataRange {
  const until = parseIso(sync_mode.until) ?? Infinity;
  const rangeEnd = Math.min(at - (parseDuration(schedule.delay ?? '') ?? 0), until);
  const from = parseIso(sync_mode.from);
  if (sync_mode.type === 'full') {
    const bounded = sync_mode.iterator_field !== undefined && (from !== undefined || until !== Infinity);
    return { rangeStart: from, afterStart: false, rangeEnd, bounded };
  }
  // On-demand pipelines have no intervals, so `start` limits their data instead.
  const configured = from ?? (schedule.type === 'on_demand' ? parseIso(schedule.start) : undefined);
  return { rangeStart: position ?? configured, afterStart: position !== undefined, rangeEnd, bounded: true };
}

export function inRange({ rangeStart, afterStart, rangeEnd }: DataRange, time: number): boolean {
  if (time > rangeEnd) return false;
  return rangeStart === undefined || time > rangeStart || (time === rangeStart && !afterStart);
}
