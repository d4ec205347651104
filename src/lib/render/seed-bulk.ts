// The result of a bulk run of seeds.
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
