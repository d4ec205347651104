// How a bulk run of seeds looks: while it goes on, and when it is over.
import { formatDuration } from '../kernel/timestamps.ts';
import type { RecordView } from './view.ts';

export interface SeedBulkResult {
  /** Accepted and rejected together. */
  rows: number;
  accepted: number;
  rejected: number;
  batches: number;
  requests: number;
  retries: number;
  seconds: number;
  /** Paths; null where there is none. */
  journal: string | null;
  rejects: string | null;
  /** Where the seeds went. */
  target: object;
}

export const seedBulkView: RecordView<SeedBulkResult> = {
  kind: 'record',
  columns: [
    { key: 'rows', value: (result) => result.rows },
    { key: 'accepted', value: (result) => result.accepted, paint: (text, _row, style) => style.green(text) },
    {
      key: 'rejected',
      value: (result) => result.rejected,
      paint: (text, { rejected }, style) => (rejected > 0 ? style.red(text) : text),
    },
    { key: 'batches', value: (result) => result.batches },
    { key: 'requests', value: (result) => result.requests },
    { key: 'retries', value: (result) => result.retries },
    { key: 'seconds', value: (result) => result.seconds },
    { key: 'journal', value: (result) => result.journal },
    { key: 'rejects', value: (result) => result.rejects },
  ],
};

/** What is known in the middle of a run. */
export interface SeedBulkState {
  counts: { accepted: number; rejected: number; requests: number; retries: number; ms: number };
  bytes: number;
  totalBytes: number | undefined;
}

/** The state as a progress line and as the data of a progress event. */
export function seedBulkProgress({ counts, bytes, totalBytes }: SeedBulkState) {
  const { accepted, rejected, requests, retries, ms } = counts;
  const rows = accepted + rejected;
  const perSecond = ms > 0 ? Math.round((rows / ms) * 1000) : 0;
  const share = totalBytes === undefined || bytes === 0 ? undefined : Math.min(1, bytes / totalBytes);
  const secondsLeft = share === undefined ? undefined : Math.round(((ms / share) * (1 - share)) / 1000);
  const parts = [
    `${perSecond.toLocaleString('en')} rows/s`,
    ...(secondsLeft === undefined ? [] : [`${formatDuration(secondsLeft * 1000)} left`]),
    `${rejected} rejected`,
    ...(retries > 0 ? [`${retries} retries`] : []),
  ];
  return {
    done: rows,
    ...(share !== undefined && { share }),
    text: parts.join(', '),
    data: {
      rows,
      accepted,
      rejected,
      requests,
      retries,
      rows_per_second: perSecond,
      seconds_left: secondsLeft ?? null,
    },
  };
}
