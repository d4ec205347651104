// What a deletion prints.
import type { RecordView } from './view.ts';

export interface DeletedResource {
  id: string;
  deleted: true;
  /** Where it was. */
  target: object;
}

export const deletedView: RecordView<DeletedResource> = {
  kind: 'record',
  columns: [
    { key: 'id', id: true, value: (it) => it.id },
    { key: 'deleted', value: (it) => it.deleted },
  ],
};
