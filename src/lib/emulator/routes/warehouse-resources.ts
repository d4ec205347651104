// The create, read, update and delete calls that connections, data models and pipelines share.
import { WAREHOUSE_FAILURES } from '../../contract/failures.ts';
import { type Audit, created, modified } from '../base/audit.ts';
import type { ResourceFixture } from '../fixtures/warehouse.ts';
import type { PipelineLife } from '../pipelines/life.ts';
import type { Platform, PlatformRequest } from '../platform/area.ts';
import type { DocumentStore, Kept } from '../stores/documents.ts';
import { listed, type WarehouseStores, withoutReadOnly } from '../warehouse/resources.ts';
import { answer } from '../wire/platform-error.ts';
import { refuse } from '../wire/request-body.ts';

interface Resource {
  definition: { id: string };
  audit: Audit;
  errors: string[];
}

interface ResourceRules<Stored extends Resource> {
  /** For messages: `connection`. */
  what: string;
  idParameter: 'connectionId' | 'modelId' | 'pipelineId';
  store: Pick<DocumentStore<Stored>, 'list' | 'get' | 'add' | 'replace'>;
  /** The definition in a body; `before` is what an update replaces. Throws an error response. */
  read(request: Call, workspace: number, before?: Stored): Stored['definition'];
  /** The resource to store; it gets `audit`. Called inside a transaction for an update. */
  make(workspace: number, definition: Stored['definition'], now: number, before?: Stored): Omit<Stored, 'audit'>;
  remove(workspace: number, id: string): void;
  /** The definition as the platform returns it. */
  shown?(definition: Stored['definition']): Stored['definition'];
  statusOf(stored: Stored): string;
  /** True if a list includes the definition. */
  filter?(query: URLSearchParams): (definition: Stored['definition']) => boolean;
}

type Call = PlatformRequest<Record<string, string>>;

export function openResources<Stored extends Resource>(platform: Platform, rules: ResourceRules<Stored>) {
  const { clock, db, directory } = platform;
  const { store, what } = rules;

  const workspaceOf = ({ params, caller }: Call): number =>
    directory.workspaceInPath(params['workspaceId'] ?? '', caller.id).id;

  function find(workspace: number, id: string): Stored {
    const stored = store.get(workspace, id);
    if (!stored) throw refuse(WAREHOUSE_FAILURES.notFound, `${what} ${id}`);
    return stored;
  }

  /** The workspace and the resource in the path. Throws 404. */
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
          throw refuse(WAREHOUSE_FAILURES.invalidRequest, `id \`${definition.id}\` is taken`);
        }
        const now = clock.now();
        const made = rules.make(workspace, definition, now);
        const stored = { ...made, audit: created(now, request.caller.id) } as Stored;
        store.add(workspace, stored);
        platform.wake();
        return replyOf(stored);
      },
      update: (request: Call) => {
        const { workspace, stored: before } = findFor(request);
        const definition = rules.read(request, workspace, before);
        const { id } = before.definition;
        if (definition.id !== id) {
          const detail = `id is \`${definition.id}\` and the path says \`${id}\``;
          throw refuse(WAREHOUSE_FAILURES.invalidRequest, detail);
        }
        const now = clock.now();
        const stored = db.transaction(() => {
          const made = rules.make(workspace, definition, now, before);
          const after = { ...made, audit: modified(before.audit, now, request.caller.id) } as Stored;
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

interface KeptRules<Definition extends { id: string }> extends Pick<
  ResourceRules<Kept<Definition>>,
  'what' | 'idParameter' | 'read' | 'shown' | 'filter'
> {
  store: DocumentStore<Kept<Definition>>;
  cause: 'connection' | 'data_model';
  /** The status of a resource that is fine, and of one that is not. */
  statuses: readonly [fine: string, broken: string];
  complete(definition: Definition): Definition;
  /** Notes on a definition that the platform accepts. */
  notesOn?(definition: Definition): string[];
}

/** An area of connections or data models, which pipelines refer to by `<cause>_id`. */
export function openKept<Definition extends { id: string }>(
  platform: Platform,
  { pipelines }: WarehouseStores,
  life: PipelineLife,
  rules: KeptRules<Definition>,
) {
  const { cause, store, statuses, complete, notesOn = () => [] } = rules;
  const { handlers } = openResources<Kept<Definition>>(platform, {
    ...rules,
    make: (workspace, definition, now, before) => {
      if (before) life.release(workspace, cause, definition.id, now);
      return { definition, broken: false, errors: notesOn(definition) };
    },
    remove: (workspace, id) => {
      const users = pipelines.list(workspace).filter(({ definition }) => definition[`${cause}_id`] === id);
      if (users.length === 0) return store.remove(workspace, id);
      throw refuse(WAREHOUSE_FAILURES.inUse, `by pipeline ${users.map(({ definition }) => definition.id).join(', ')}`);
    },
    statusOf: ({ broken }) => statuses[broken ? 1 : 0],
  });

  function load(fixtures: readonly ResourceFixture<Definition>[]): void {
    store.clear();
    for (const { workspace_id, definition, status, errors } of fixtures) {
      store.add(workspace_id, {
        definition: complete(withoutReadOnly(definition)),
        audit: created(platform.clock.now(), 'fixtures'),
        broken: status === statuses[1],
        errors,
      });
    }
  }
  return { handlers, load };
}
