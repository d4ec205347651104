// The progress and result of a bulk run of seeds.
import { createBulkFacts } from './progress.ts';
import { fields, type RecordView } from './view.ts';

type SeedBulkResult = Record<
  'rows' | 'accepted' | 'rejected' | 'batches' | 'requests' | 'retries' | 'seconds',
  number
> &
  Record<'journal' | 'rejects', string | null>;

export const seedBulkView: RecordView<SeedBulkResult> = {
  kind: 'record',
  columns: [
    ...fields('rows'),
    { key: 'accepted', value: (result) => result.accepted, paint: (text, _row, style) => style.green(text) },
    {
      key: 'rejected',
      value: (result) => result.rejected,
      paint: (text, { rejected }, style) => (rejected > 0 ? style.red(text) : text),
    },
    ...fields('batches', 'requests', 'retries', 'seconds', 'journal', 'rejects'),
  ],
};

export interface SeedBulkState {
  counts: { accepted: number; rejected: number; requests: number; retries: number; ms: number };
  bytes: number;
  totalBytes: number | undefined;
}

/** The argument contains the counts of earlier runs. */
export function createSeedProgress({ accepted, rejected, ms }: SeedBulkState['counts']) {
  const facts = createBulkFacts({ completed: accepted + rejected, ms });
  return ({ counts, bytes, totalBytes }: SeedBulkState) => {
    const { accepted, rejected, requests, retries, ms } = counts;
    const done = accepted + rejected;
    const share = totalBytes === undefined || bytes === 0 ? undefined : Math.min(1, bytes / totalBytes);
    const { data, ...texts } = facts({ completed: done, ms, rejected, requests, retries, share });
    return { done, ...(share !== undefined && { share }), ...texts, data: { rows: done, accepted, ...data } };
  };
}
