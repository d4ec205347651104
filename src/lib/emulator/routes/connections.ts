// D. Connections: stored whole, returned with masks, rejected when they lead nowhere (decisions: D60, D62, D64).
import {
  ConnectionRequest,
  connectionsEndpoints,
  SECRET_CONFIG_FIELDS,
  SERVICE_PROVIDERS,
} from '../../contract/connections.ts';
import { WAREHOUSE_FAILURES } from '../../contract/failures.ts';
import { isMask, MASK } from '../../contract/masks.ts';
import { createPipelineLife } from '../pipelines/life.ts';
import { defineArea, type OpenArea, type Platform } from '../platform/area.ts';
import { resourcesMigration } from '../stores/documents.ts';
import { findWarehouse } from '../warehouse/access.ts';
import { createWarehouseStores, withoutReadOnly } from '../warehouse/resources.ts';
import { acceptJson, refuse } from '../wire/request-body.ts';
import { openKept } from './warehouse-resources.ts';

export const connectionsArea = defineArea({
  name: 'connections',
  endpoints: connectionsEndpoints,
  migrations: [resourcesMigration('connections')],
  open: openConnections,
});

type Config = Record<string, string | undefined>;

/** The default of `port` (decision: D62). */
const DEFAULT_PORT = '5432';

function openConnections(platform: Platform): OpenArea<typeof connectionsEndpoints> {
  const stores = createWarehouseStores(platform.db);
  const { handlers, load } = openKept<ConnectionRequest>(platform, stores, createPipelineLife(stores), {
    what: 'connection',
    idParameter: 'connectionId',
    store: stores.connections,
    cause: 'connection',
    statuses: ['healthy', 'faulted'],
    complete: completed,
    // Throws 505 when the connection leads to no warehouse.
    read: ({ body }, _workspace, before) => {
      const sent = acceptJson(ConnectionRequest, body, WAREHOUSE_FAILURES.invalidRequest);
      const definition = withSecrets(completed(withoutReadOnly(sent)), before?.definition);
      const found = findWarehouse(definition, platform.fixtures.warehouses, platform.warehouse);
      if ('unreachable' in found) throw refuse(WAREHOUSE_FAILURES.unreachable, found.unreachable);
      return definition;
    },
    shown: (definition) => {
      const config: Config = { ...definition.config };
      for (const field of SECRET_CONFIG_FIELDS) if (config[field] !== undefined) config[field] = MASK;
      return { ...definition, config } as ConnectionRequest;
    },
    filter: (query) => {
      const provider = query.get('serviceProvider');
      if (provider !== null && !(SERVICE_PROVIDERS as readonly string[]).includes(provider)) {
        const allowed = SERVICE_PROVIDERS.join(', ');
        throw refuse(WAREHOUSE_FAILURES.invalidRequest, `serviceProvider must be one of ${allowed}`);
      }
      return ({ service_provider }) => provider === null || service_provider === provider;
    },
  });
  return { handlers, load: ({ connections }) => load(connections) };
}

/** Adds the platform's defaults. */
function completed(definition: ConnectionRequest): ConnectionRequest {
  const state = definition.state ?? 'new';
  if (definition.service_provider !== 'PROVIDER_C') return { ...definition, state };
  return { ...definition, state, config: { ...definition.config, port: definition.config.port ?? DEFAULT_PORT } };
}

/** A mask in place of a secret keeps the stored secret. Throws 400 when none is stored. */
function withSecrets(definition: ConnectionRequest, before: ConnectionRequest | undefined): ConnectionRequest {
  const config: Config = { ...definition.config };
  const stored: Config = before?.service_provider === definition.service_provider ? { ...before.config } : {};
  for (const field of SECRET_CONFIG_FIELDS) {
    if (!isMask(config[field])) continue;
    if (stored[field] === undefined) {
      throw refuse(WAREHOUSE_FAILURES.invalidRequest, `config.${field} is a mask, and no secret is stored`);
    }
    config[field] = stored[field];
  }
  return { ...definition, config } as ConnectionRequest;
}
