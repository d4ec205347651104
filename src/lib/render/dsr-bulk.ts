// A bulk run of requests before and after: how many requests of which kind, and what became of them.
import { DSR_LIMITS } from '../contract/limits.ts';
import type { Style } from './style.ts';
import type { RecordView } from './view.ts';

export interface DsrBulkResult {
  rows: number;
  /** Sent in this run. */
  submitted: number;
  /** On the platform before this run, under ids from the file. */
  existing: number;
  failed: number;
  /** Settled by an earlier run, or done according to a result file. */
  skipped: number;
  requests: number;
  retries: number;
  seconds: number;
  results: string;
  journal: string;
}

const KEYS = [
  'rows',
  'submitted',
  'existing',
  'failed',
  'skipped',
  'requests',
  'retries',
  'seconds',
  'results',
  'journal',
] as const;

export const dsrBulkView: RecordView<DsrBulkResult> = {
  kind: 'record',
  columns: KEYS.map((key) => ({ key, value: (result) => result[key] })),
  name: ({ results }) => results,
};

export interface DsrBulkFacts {
  rows: number;
  /** `gdpr erasure` -> rows. */
  kinds: ReadonlyMap<string, number>;
  skipWaiting: number;
  done: number;
}

export function renderDsrBulk({ done, kinds, rows, skipWaiting }: DsrBulkFacts, style: Style): string {
  const counts = [...kinds].map(([kind, count]) => `  ${style.bold(String(count))} ${kind}`);
  const erasures = [...kinds].filter(([kind]) => kind.endsWith('erasure')).reduce((sum, [, count]) => sum + count, 0);
  const waiting = erasures - skipWaiting;
  return [
    `${rows} ${rows === 1 ? 'row' : 'rows'}, all of them valid:`,
    ...counts,
    ...(waiting > 0
      ? [`  ${waiting} can be cancelled for ${DSR_LIMITS.waitingDays} days before data are deleted`]
      : []),
    ...(skipWaiting > 0
      ? [style.yellow(`  ${skipWaiting} skip the waiting period: data are deleted from the first day on`)]
      : []),
    ...(done > 0 ? [`  ${done} are done already and are passed over`] : []),
  ].join('\n');
}
