// Runs of a pipeline: which are over, which is the newest, and how old the data is.
import { ENDED_RUN_STATUSES, type RunReply } from '../../contract/pipelines.ts';
import { parseIso } from '../../kernel/timestamps.ts';

export function isEnded({ status }: Pick<RunReply, 'status'>): boolean {
  return (ENDED_RUN_STATUSES as readonly unknown[]).includes(status);
}

/** An id as text: 64 bits do not fit a double. */
export function runId({ id }: Pick<RunReply, 'id'>): string {
  return String(id);
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
