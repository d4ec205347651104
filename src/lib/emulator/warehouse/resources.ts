// What the three resources of D do alike.
import { WAREHOUSE_FAILURES } from '../../contract/failures.ts';
import { READ_ONLY_FIELDS } from '../../contract/warehouse.ts';
import { refuse } from '../wire/request-body.ts';
import { created } from '../base/audit.ts';
import type { ResourceFixture } from '../fixtures/warehouse.ts';
import { createPipelinesStore, type Pipeline, type PipelinesStore } from '../stores/pipelines.ts';
import { createResourceStore, type Kept, type ResourceStore } from '../stores/resources.ts';
import type { ConnectionRequest } from '../../contract/connections.ts';
import type { DataModelRequest } from '../../contract/data-models.ts';
import type { Database } from '../base/db.ts';
import { createRunsStore, type RunsStore } from '../stores/runs.ts';

/** A request without the fields that only the platform sets. */
export function withoutReadOnly<Definition extends object>(sent: Definition): Definition {
  const ignored: readonly string[] = READ_ONLY_FIELDS;
  return Object.fromEntries(Object.entries(sent).filter(([field]) => !ignored.includes(field))) as Definition;
}

/** Throws 400 when the id of a body is not that of its path. */
export function refuseOtherId(sent: string, inPath: string): void {
  if (sent === inPath) return;
  throw refuse(WAREHOUSE_FAILURES.invalidRequest, `id is \`${sent}\` and the path says \`${inPath}\``);
}

/** The ids of the pipelines that refer to a resource. */
export function usersOf(
  pipelines: readonly Pipeline[],
  field: 'connection_id' | 'data_model_id',
  id: string,
): string[] {
  return pipelines.filter(({ definition }) => definition[field] === id).map(({ definition }) => definition.id);
}

/** A resource as a fixture has it; `broken` is the status that means so. */
export function keptFixture<Definition extends { id: string }>(
  { definition, status, errors }: ResourceFixture<Definition>,
  broken: string,
  now: number,
): Kept<Definition> {
  return {
    definition: withoutReadOnly(definition),
    audit: created(now, 'fixtures'),
    broken: status === broken,
    errors,
  };
}

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
