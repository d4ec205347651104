// The stores of D together: what a run needs to look at.
import type { ConnectionRequest } from '../../contract/connections.ts';
import type { DataModelRequest } from '../../contract/data-models.ts';
import type { Database } from '../base/db.ts';
import { createPipelinesStore, type PipelinesStore } from '../stores/pipelines.ts';
import { createResourceStore, type ResourceStore } from '../stores/resources.ts';
import { createRunsStore, type RunsStore } from '../stores/runs.ts';

export interface WarehouseStores {
  connections: ResourceStore<ConnectionRequest>;
  models: ResourceStore<DataModelRequest>;
  pipelines: PipelinesStore;
  runs: RunsStore;
}

export function createWarehouseStores(db: Database): WarehouseStores {
  return {
    connections: createResourceStore(db, 'connections'),
    models: createResourceStore(db, 'data_models'),
    pipelines: createPipelinesStore(db),
    runs: createRunsStore(db),
  };
}
