// D. Connections and data models, and the calls that they share with pipelines (decisions: D60, D62, D64, D68).
import { uncheckedSql, WAREHOUSE_FAILURES } from '../../contract/failures.ts';
import type { ResourceFixture } from '../fixtures/document.ts';
import { createPipelineLife } from '../pipelines/life.ts';
import { defineArea, type Platform, type PlatformRequest } from '../platform/area.ts';
import {
  type Audit,
  created,
  type DocumentStore,
  type Kept,
  modified,
  resourcesMigration,
} from '../stores/documents.ts';
import { createWarehouseStores, listed, withoutReadOnly } from '../warehouse/resources.ts';
import { answer, reject } from '../wire/platform-error.ts';
import { acceptJson } from '../wire/request-body.ts';
import {
  ConnectionRequest,
  connectionsEndpoints,
  SECRET_CONFIG_FIELDS,
  SERVICE_PROVIDERS,
} from '../../contract/connections.ts';
import { isMask, MASK } from '../../contract/masks.ts';
import { findWarehouse } from '../warehouse/access.ts';
import { DataModelRequest, dataModelsEndpoints } from '../../contract/data-models.ts';
import { describeForm, resolveAmong, rewriteTables } from '../warehouse/sql.ts';

interface Resource {
  definition: { id: string };
  audit: Audit;
  errors: string[];
}

interface ResourceRules<Stored extends Resource> {
  /** The name in messages, such as `connection`. */
  what: string;
  idParameter: 'connectionId' | 'modelId' | 'pipelineId';
  store: Pick<DocumentStore<Stored>, 'list' | 'get' | 'add' | 'replace'>;
  /** Returns the definition in a body. `before` is the resource that an update replaces. Throws an error response. */
  read(request: Call, workspace: number, before?: Stored): Stored['definition'];
  /** Returns the resource to store, except its `audit`. For an update, called inside a transaction. */
  make(workspace: number, definition: Stored['definition'], now: number, before?: Stored): Omit<Stored, 'audit'>;
  remove(workspace: number, id: string): void;
  shown?(definition: Stored['definition']): Stored['definition'];
  statusOf(stored: Stored): string;
  /** Returns a predicate that selects the definitions to list. */
  filter?(query: URLSearchParams): (definition: Stored['definition']) => boolean;
}

type Call = PlatformRequest<Record<string, string>>;

export function openResources<Stored extends Resource>(platform: Platform, rules: ResourceRules<Stored>) {
  const { clock, db, directory, emailOf } = platform;
  const { store, what } = rules;

  const workspaceOf = ({ params, caller }: Call): number =>
    directory.workspaceInPath(params['workspaceId'] ?? '', caller.id).id;

  function find(workspace: number, id: string): Stored {
    const stored = store.get(workspace, id);
    if (!stored) throw reject(WAREHOUSE_FAILURES.notFound, `${what} ${id}`);
    return stored;
  }

  /** Returns the workspace and the resource in the path. Throws 403 or 404. */
  function findFor(request: Call): { workspace: number; stored: Stored } {
    const workspace = workspaceOf(request);
    return { workspace, stored: find(workspace, request.params[rules.idParameter] ?? '') };
  }

  function replyOf(stored: Stored) {
    const { definition, audit, errors } = stored;
    const shown = rules.shown?.(definition) ?? definition;
    return answer(200, { ...shown, status: rules.statusOf(stored), errors: listed(errors), ...audit });
  }

  return {
    workspaceOf,
    find,
    findFor,
    handlers: {
      list: (request: Call) => {
        const workspace = workspaceOf(request);
        const isListed = rules.filter?.(request.query) ?? (() => true);
        const replies = store
          .list(workspace)
          .filter(({ definition }) => isListed(definition))
          .map(replyOf);
        return { status: 200, text: `[${replies.map(({ text }) => text).join(',')}]` };
      },
      get: (request: Call) => replyOf(findFor(request).stored),
      create: (request: Call) => {
        const workspace = workspaceOf(request);
        const definition = rules.read(request, workspace);
        if (store.get(workspace, definition.id)) {
          throw reject(WAREHOUSE_FAILURES.invalidRequest, `id \`${definition.id}\` is taken`);
        }
        const now = clock.now();
        const made = rules.make(workspace, definition, now);
        const stored = { ...made, audit: created(now, emailOf(request.caller.id)) } as Stored;
        store.add(workspace, stored);
        platform.wake();
        return replyOf(stored);
      },
      update: (request: Call) => {
        const { workspace, stored: before } = findFor(request);
        const definition = rules.read(request, workspace, before);
        const { id } = before.definition;
        if (definition.id !== id) {
          const detail = `id is \`${definition.id}\` but the path has \`${id}\``;
          throw reject(WAREHOUSE_FAILURES.invalidRequest, detail);
        }
        const now = clock.now();
        const stored = db.transaction(() => {
          const made = rules.make(workspace, definition, now, before);
          const after = { ...made, audit: modified(before.audit, now, emailOf(request.caller.id)) } as Stored;
          store.replace(workspace, after);
          return after;
        });
        platform.wake();
        return replyOf(stored);
      },
      delete: (request: Call) => {
        const { workspace, stored } = findFor(request);
        rules.remove(workspace, stored.definition.id);
        return { status: 204 };
      },
    },
  };
}

/** Kinds of resources that pipelines refer to by `<cause>_id`, with their names. */
const KINDS = {
  connection: { what: 'connection', idParameter: 'connectionId', statuses: ['healthy', 'faulted'] },
  data_model: { what: 'data model', idParameter: 'modelId', statuses: ['valid', 'invalid'] },
} as const;

type KeptRules<Definition extends { id: string }> = Pick<
  ResourceRules<Kept<Definition>>,
  'read' | 'shown' | 'filter'
> & {
  complete(definition: Definition): Definition;
  notesOn?(definition: Definition): string[];
};

function openKept<Definition extends { id: string }>(
  platform: Platform,
  cause: keyof typeof KINDS,
  rules: KeptRules<Definition>,
) {
  const stores = createWarehouseStores(platform.db);
  const life = createPipelineLife(stores);
  const store = stores[cause] as unknown as DocumentStore<Kept<Definition>>;
  const { complete, notesOn = () => [] } = rules;
  const { statuses } = KINDS[cause];
  const { handlers } = openResources<Kept<Definition>>(platform, {
    ...KINDS[cause],
    ...rules,
    store,
    make: (workspace, definition, now, before) => {
      if (before) life.release(workspace, cause, definition.id, now);
      return { definition, broken: false, errors: notesOn(definition) };
    },
    remove: (workspace, id) => {
      const users = stores.pipelines.list(workspace).filter(({ definition }) => definition[`${cause}_id`] === id);
      if (users.length === 0) return store.remove(workspace, id);
      throw reject(WAREHOUSE_FAILURES.inUse, `by pipeline ${users.map(({ definition }) => definition.id).join(', ')}`);
    },
    statusOf: ({ broken }) => statuses[broken ? 1 : 0],
  });

  function load(fixtures: readonly ResourceFixture<Definition>[]): void {
    store.clear();
    for (const { workspace_id, definition, status, errors } of fixtures) {
      store.add(workspace_id, {
        definition: complete(withoutReadOnly(definition)),
        audit: created(platform.clock.now(), platform.emailOf('fixtures')),
        broken: status === statuses[1],
        errors: errors.length > 0 ? errors : notesOn(definition),
      });
    }
  }
  return { handlers, load };
}

/** Connections are stored in full, returned with masked secrets, and rejected if they do not lead to a warehouse. */
export const connectionsArea = defineArea({
  name: 'connections',
  endpoints: connectionsEndpoints,
  migrations: [resourcesMigration('connections')],
  open: (platform) => {
    const { handlers, load } = openKept<ConnectionRequest>(platform, 'connection', {
      complete: completed,
      // Throws 505 if the connection does not lead to a warehouse.
      read: ({ body }, _workspace, before) => {
        const sent = acceptJson(ConnectionRequest, body, WAREHOUSE_FAILURES.invalidRequest);
        const definition = withSecrets(completed(withoutReadOnly(sent)), before?.definition);
        const found = findWarehouse(definition, platform.fixtures.warehouses, platform.warehouse);
        if ('unreachable' in found) throw reject(WAREHOUSE_FAILURES.unreachable, found.unreachable);
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
          throw reject(WAREHOUSE_FAILURES.invalidRequest, `serviceProvider must be one of ${allowed}`);
        }
        return ({ service_provider }) => provider === null || service_provider === provider;
      },
    });
    return { handlers, load: ({ connections }) => load(connections) };
  },
});

type Config = Record<string, string | undefined>;

/** Default for `port` (decision: D62). */
const DEFAULT_PORT = '5432';

function completed(definition: ConnectionRequest): ConnectionRequest {
  const state = definition.state ?? 'new';
  if (definition.service_provider !== 'PROVIDER_C') return { ...definition, state };
  return { ...definition, state, config: { ...definition.config, port: definition.config.port ?? DEFAULT_PORT } };
}

/** Replaces each mask with the stored secret. Throws 400 if there is no stored secret. */
function withSecrets(definition: ConnectionRequest, before: ConnectionRequest | undefined): ConnectionRequest {
  const config: Config = { ...definition.config };
  const stored: Config = before?.service_provider === definition.service_provider ? { ...before.config } : {};
  for (const field of SECRET_CONFIG_FIELDS) {
    if (!isMask(config[field])) continue;
    if (stored[field] === undefined) {
      throw reject(WAREHOUSE_FAILURES.invalidRequest, `config.${field} is a mask, and no secret is stored`);
    }
    config[field] = stored[field];
  }
  return { ...definition, config } as ConnectionRequest;
}

/** Data models: queries with a single SELECT. Runs read the columns of the result. */
export const dataModelsArea = defineArea({
  name: 'dataModels',
  endpoints: dataModelsEndpoints,
  migrations: [resourcesMigration('data_models')],
  open: (platform) => {
    const complete = (sent: DataModelRequest): DataModelRequest => ({ ...sent, state: sent.state ?? 'new' });
    const { handlers, load } = openKept<DataModelRequest>(platform, 'data_model', {
      complete,
      read: ({ body }) => {
        const sent = acceptJson(DataModelRequest, body, WAREHOUSE_FAILURES.invalidRequest);
        const complaint = describeForm(sent.config.sql_query);
        if (complaint !== undefined) throw reject(WAREHOUSE_FAILURES.invalidSql, complaint);
        return complete(withoutReadOnly(sent));
      },
      // A note, not an error: a real warehouse may accept queries that SQLite cannot parse (decision: D68).
      notesOn: ({ config }) =>
        uncheckedSql.notesOn(platform.db.complaint(rewriteTables(config.sql_query, resolveAmong([])))),
    });
    return { handlers, load: ({ data_models }) => load(data_models) };
  },
});
