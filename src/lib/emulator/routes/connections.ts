// D. Connections: stored whole, answered with masks, refused when they lead nowhere (decisions: D60, D62, D64).
import {
  ConnectionRequest,
  connectionsEndpoints,
  SECRET_CONFIG_FIELDS,
  SERVICE_PROVIDERS,
} from '../../contract/connections.ts';
import { WAREHOUSE_FAILURES } from '../../contract/failures.ts';
import { isMask, MASK } from '../../contract/masks.ts';
import { acceptJson, refuse } from '../wire/request-body.ts';
import { defineArea, type OpenArea, type Platform, type PlatformRequest } from '../platform/area.ts';
import { created, modified } from '../base/audit.ts';
import { createPipelineLife } from '../pipelines/life.ts';
import { answer } from '../wire/platform-error.ts';
import { type Kept, resourcesMigration } from '../stores/resources.ts';
import { findWarehouse } from '../warehouse/access.ts';
import { createWarehouseStores, keptFixture, refuseOtherId, usersOf, withoutReadOnly } from '../warehouse/resources.ts';

export const connectionsArea = defineArea({
  name: 'connections',
  endpoints: connectionsEndpoints,
  migrations: [resourcesMigration('connections')],
  open: openConnections,
});

type Config = Record<string, string | undefined>;
type Call = PlatformRequest<{ workspaceId: string }>;

/** What `port` is when nobody says (decision: D62). */
const DEFAULT_PORT = '5432';

function openConnections(platform: Platform): OpenArea<typeof connectionsEndpoints> {
  const { db, clock, directory, fixtures, warehouse } = platform;
  const stores = createWarehouseStores(db);
  const { connections } = stores;
  const life = createPipelineLife(stores);

  const workspaceOf = ({ params, caller }: Call): number => directory.workspaceInPath(params.workspaceId, caller.id).id;

  function find(workspace: number, id: string): Kept<ConnectionRequest> {
    const kept = connections.get(workspace, id);
    if (!kept) throw refuse(WAREHOUSE_FAILURES.notFound, `connection ${id}`);
    return kept;
  }

  /** The definition as it is kept. Throws 400 for what it is, and 505 when nothing is where it leads. */
  function read(body: Buffer, before: ConnectionRequest | undefined): ConnectionRequest {
    const sent = acceptJson(ConnectionRequest, body, WAREHOUSE_FAILURES.invalidRequest);
    const definition = withSecrets(completed(withoutReadOnly(sent)), before);
    const found = findWarehouse(definition, fixtures.warehouses, warehouse);
    if ('unreachable' in found) throw refuse(WAREHOUSE_FAILURES.unreachable, found.unreachable);
    return definition;
  }

  return {
    handlers: {
      list: (request) => {
        const workspace = workspaceOf(request);
        const provider = request.query.get('serviceProvider');
        if (provider !== null && !(SERVICE_PROVIDERS as readonly string[]).includes(provider)) {
          const allowed = SERVICE_PROVIDERS.join(', ');
          throw refuse(WAREHOUSE_FAILURES.invalidRequest, `serviceProvider must be one of ${allowed}`);
        }
        const all = connections.list(workspace);
        const wanted = all.filter(({ definition }) => provider === null || definition.service_provider === provider);
        return answer(200, wanted.map(replyOf));
      },
      get: (request) => answer(200, replyOf(find(workspaceOf(request), request.params.connectionId))),
      create: (request) => {
        const workspace = workspaceOf(request);
        const definition = read(request.body, undefined);
        if (connections.get(workspace, definition.id)) {
          throw refuse(WAREHOUSE_FAILURES.invalidRequest, `id \`${definition.id}\` is taken`);
        }
        const audit = created(clock.now(), request.caller.id);
        const kept = { definition, audit, broken: false, errors: [] };
        connections.add(workspace, kept);
        return answer(200, replyOf(kept));
      },
      update: (request) => {
        const workspace = workspaceOf(request);
        const before = find(workspace, request.params.connectionId);
        const definition = read(request.body, before.definition);
        refuseOtherId(definition.id, before.definition.id);
        const now = clock.now();
        const audit = modified(before.audit, now, request.caller.id);
        const kept = { definition, audit, broken: false, errors: [] };
        db.transaction(() => {
          connections.replace(workspace, kept);
          life.release(workspace, 'connection', definition.id, now);
        });
        platform.wake();
        return answer(200, replyOf(kept));
      },
      delete: (request) => {
        const workspace = workspaceOf(request);
        const { id } = find(workspace, request.params.connectionId).definition;
        const users = usersOf(stores.pipelines.list(workspace), 'connection_id', id);
        if (users.length > 0) throw refuse(WAREHOUSE_FAILURES.inUse, `by pipeline ${users.join(', ')}`);
        connections.remove(workspace, id);
        return { status: 204 };
      },
    },
    load: (loaded) => {
      connections.clear();
      for (const fixture of loaded.connections) {
        const kept = keptFixture(fixture, 'faulted', clock.now());
        connections.add(fixture.workspace_id, { ...kept, definition: completed(kept.definition) });
      }
    },
  };
}

/** With what the platform fills in by itself. */
function completed(definition: ConnectionRequest): ConnectionRequest {
  const state = definition.state ?? 'new';
  if (definition.service_provider !== 'PROVIDER_C') return { ...definition, state };
  return { ...definition, state, config: { ...definition.config, port: definition.config.port ?? DEFAULT_PORT } };
}

/** A mask in a secret's place keeps the secret that is stored. Throws 400 where none is. */
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

function replyOf({ definition, audit, broken, errors }: Kept<ConnectionRequest>) {
  const config: Config = { ...definition.config };
  for (const field of SECRET_CONFIG_FIELDS) if (config[field] !== undefined) config[field] = MASK;
  const status = broken ? 'faulted' : 'healthy';
  return { ...definition, config, status, errors: errors.map((message) => ({ message })), ...audit };
}
