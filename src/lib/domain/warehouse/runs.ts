// Pipeline runs: their order, status and counts, and the age of the data.
import { ENDED_RUN_STATUSES, RUN_STATUSES, type RunReply } from '../../contract/pipeline-runs.ts';
import { grouped, largest } from '../../kernel/words.ts';
import { parseIso } from '../../kernel/timestamps.ts';

/** A run with an end and a status that the specification does not define has also finished. */
export function isEnded({ ended_on, status }: Pick<RunReply, 'status' | 'ended_on'>): boolean {
  const known: readonly unknown[] = RUN_STATUSES;
  return (ENDED_RUN_STATUSES as readonly unknown[]).includes(status) || (!!ended_on && !known.includes(status));
}

/** Returns the id as text, because 64 bits do not fit into a double. */
export function runId({ id }: Pick<RunReply, 'id'>): string {
  return String(id);
}

/** Sorts runs, oldest first. A run without a time has not started, so it comes last. */
export function oldestFirst(runs: readonly RunReply[]): RunReply[] {
  const time = (run: RunReply): number => parseIso(startOf(run)) ?? Infinity;
  return [...runs].sort((a, b) => (time(a) === time(b) ? 0 : time(a) - time(b)));
}

/** Returns the start time or, before the start, the scheduled time, in ISO 8601 as the platform wrote it. */
export function startOf({ started_on, logical_date }: RunReply): string | undefined {
  return started_on ?? logical_date ?? undefined;
}

/** Returns the numbers of successful and failed records; 0 for a number that the platform does not report. */
export function recordsOf({ successful_records: successful, failed_records: failed }: RunReply): {
  successful: number;
  failed: number;
} {
  return { successful: countOf(successful), failed: countOf(failed) };
}

function countOf(count: RunReply['successful_records']): number {
  const number = Number(count ?? 0);
  return Number.isFinite(number) ? Math.max(0, number) : 0;
}

/** The known statuses: success first, then by severity. */
export const STATUSES = ['success', 'failed', 'stopped', 'retrying', 'running', 'queued'];

/** Returns the number of runs by status, in the order of `STATUSES`: `2,000 success, 1 failed`. */
export function statusCounts(runs: readonly RunReply[]): string {
  const counts = new Map(STATUSES.map((status) => [status, 0]));
  for (const { status } of runs) counts.set(status ?? 'unknown', (counts.get(status ?? 'unknown') ?? 0) + 1);
  return [...counts].flatMap(([status, count]) => (count > 0 ? `${grouped(count)} ${status}` : [])).join(', ');
}

/** Returns new manual runs: not in `before` and, because `before` may lack pages, not older than its newest run. */
export function newManualRuns(runs: readonly RunReply[], before: readonly RunReply[]): RunReply[] {
  const known = new Set(before.map(runId));
  const startedAt = (run: RunReply): number | undefined => parseIso(run.started_on ?? run.ended_on);
  const newest = largest(before.map((run) => startedAt(run) ?? 0));
  return runs.filter(
    (run) => run.type !== 'scheduled' && !known.has(runId(run)) && (startedAt(run) ?? Infinity) >= newest,
  );
}

/** Returns the milliseconds since the last success; undefined if no run succeeded or the time is unknown. */
export function ageOf(lastSuccess: RunReply | undefined, now: number): number | undefined {
  const ended = parseIso(lastSuccess?.ended_on ?? lastSuccess?.started_on);
  // The platform's clock may be ahead of this machine's.
  return ended === undefined ? undefined : Math.max(0, now - ended);
}

/** Returns the age of the newest data, measured from the end of the last range that was read. */
export function lagOf(lastSuccess: RunReply | undefined, now: number): number | undefined {
  const end = parseIso(lastSuccess?.range_end);
  return end === undefined ? undefined : Math.max(0, now - end);
}
