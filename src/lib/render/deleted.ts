// The view of a deletion.
import type { RecordView } from './view.ts';

export interface DeletedResource {
  id: string;
  deleted: true;
  target: object;
}

export const deletedView: RecordView<DeletedResource> = {
  kind: 'record',
  columns: [
    { key: 'id', id: true, value: (it) => it.id },
    { key: 'deleted', value: (it) => it.deleted },
  ],
};
