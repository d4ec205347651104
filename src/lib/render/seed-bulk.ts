// The result of a bulk run of seeds.
import { fields, type RecordView } from './view.ts';

export const seedBulkView: RecordView<Record<'rows' | 'accepted' | 'rejected' | 'batches', number>> = {
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
