// Runs of a pipeline: which are over, which is the newest, and how old the data is.
import { ENDED_RUN_STATUSES, type RunReply } from '../../contract/pipeline-runs.ts';
import { parseIso } from '../../kernel/timestamps.ts';

export function isEnded({ status }: Pick<RunReply, 'status'>): boolean {
  return (ENDED_RUN_STATUSES as readonly unknown[]).includes(status);
}

/** An id as text: 64 bits do not fit a double. */
export function runId({ id }: Pick<RunReply, 'id'>): string {
  return String(id);
}

/** The oldest first; one without a time has not begun yet and comes last. */
export function oldestFirst(runs: readonly RunReply[]): RunReply[] {
  const time = (run: RunReply): number => parseIso(startOf(run) ?? '') ?? Infinity;
  return [...runs].sort((a, b) => (time(a) === time(b) ? 0 : time(a) - time(b)));
}

/** When a run began, or else was to begin: ISO 8601 as the platform wrote it. */
export function startOf({ started_on, logical_date }: RunReply): string | undefined {
  return started_on ?? logical_date ?? undefined;
}

/** Records that went in, and those that failed; 0 where the platform tells no number. */
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

/** How many runs have each status: `2 success, 1 failed`. The platform's words, as they came. */
export function statusCounts(runs: readonly RunReply[]): string {
  const counts = new Map<string, number>();
  for (const { status } of runs) counts.set(status ?? 'unknown', (counts.get(status ?? 'unknown') ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
}

/** Runs that were asked for by hand and that nobody had seen before. */
export function newManualRuns(runs: readonly RunReply[], known: ReadonlySet<string>): RunReply[] {
  return runs.filter((run) => run.type !== 'scheduled' && !known.has(runId(run)));
}

/** Milliseconds since the last success ended; undefined when there is none, or it has no time. */
export function ageOf(lastSuccess: RunReply | undefined, now: number): number | undefined {
  const ended = parseIso(lastSuccess?.ended_on ?? lastSuccess?.started_on ?? '');
  // A platform whose clock is ahead of ours has nothing that is older than nothing.
  return ended === undefined ? undefined : Math.max(0, now - ended);
}

/** How far the newest data lags behind, by the end of the range that was read last. */
export function lagOf(lastSuccess: RunReply | undefined, now: number): number | undefined {
  const end = parseIso(lastSuccess?.range_end ?? '');
  return end === undefined ? undefined : Math.max(0, now - end);
}
