// The stores for warehouse sync, and the rules that its three resources share.
import type { ConnectionRequest } from '../../contract/connections.ts';
import type { DataModelRequest } from '../../contract/data-models.ts';
import { READ_ONLY_FIELDS } from '../../contract/warehouse.ts';
import type { Database } from '../base/db.ts';
import { createDocumentStore, type Kept } from '../stores/documents.ts';
import { createPipelinesStore, createRunsStore } from '../stores/pipelines.ts';

/** Returns a request without the fields that only the platform sets. */
export function withoutReadOnly<Definition extends object>(sent: Definition): Definition {
  return Object.fromEntries(Object.entries(sent).filter(([field]) => !READ_ONLY_FIELDS.includes(field))) as Definition;
}

export function listed(errors: readonly string[] = []): { message: string }[] {
  return errors.map((message) => ({ message }));
}

export type WarehouseStores = ReturnType<typeof createWarehouseStores>;

export function createWarehouseStores(db: Database) {
  const resources = <Definition extends { id: string }>(table: string) =>
    createDocumentStore<Kept<Definition>>(db, table, ({ definition }) => definition.id);
  return {
    connection: resources<ConnectionRequest>('connections'),
    data_model: resources<DataModelRequest>('data_models'),
    pipelines: createPipelinesStore(db),
    runs: createRunsStore(db),
  };
}
