// D. Data models: queries that must be a single SELECT; what they ask for is found out by a run (decision: D68).
import { DataModelRequest, dataModelsEndpoints } from '../../contract/data-models.ts';
import { WAREHOUSE_FAILURES } from '../../contract/failures.ts';
import { acceptJson, refuse } from '../wire/request-body.ts';
import { defineArea, type OpenArea, type Platform, type PlatformRequest } from '../platform/area.ts';
import { type Audit, created, modified } from '../base/audit.ts';
import type { Database } from '../base/db.ts';
import { createPipelineLife } from '../pipelines/life.ts';
import { answer } from '../wire/platform-error.ts';
import { type Kept, resourcesMigration } from '../stores/resources.ts';
import { createWarehouseStores, keptFixture, refuseOtherId, usersOf, withoutReadOnly } from '../warehouse/resources.ts';
import { describeForm, resolveAmong, rewriteTables } from '../warehouse/sql.ts';

export const dataModelsArea = defineArea({
  name: 'dataModels',
  endpoints: dataModelsEndpoints,
  migrations: [resourcesMigration('data_models')],
  open: openDataModels,
});

type Call = PlatformRequest<{ workspaceId: string }>;

function openDataModels(platform: Platform): OpenArea<typeof dataModelsEndpoints> {
  const { db, clock, directory } = platform;
  const stores = createWarehouseStores(db);
  const { models } = stores;
  const life = createPipelineLife(stores);

  const workspaceOf = ({ params, caller }: Call): number => directory.workspaceInPath(params.workspaceId, caller.id).id;

  function find(workspace: number, id: string): Kept<DataModelRequest> {
    const kept = models.get(workspace, id);
    if (!kept) throw refuse(WAREHOUSE_FAILURES.notFound, `data model ${id}`);
    return kept;
  }

  function read(body: Buffer): DataModelRequest {
    const sent = acceptJson(DataModelRequest, body, WAREHOUSE_FAILURES.invalidRequest);
    const complaint = describeForm(sent.config.sql_query);
    if (complaint !== undefined) throw refuse(WAREHOUSE_FAILURES.invalidSql, complaint);
    return { ...withoutReadOnly(sent), state: sent.state ?? 'new' };
  }

  const keep = (definition: DataModelRequest, audit: Audit): Kept<DataModelRequest> => {
    return { definition, audit, broken: false, errors: notesOn(definition.config.sql_query, db) };
  };

  return {
    handlers: {
      list: (request) => answer(200, models.list(workspaceOf(request)).map(replyOf)),
      get: (request) => answer(200, replyOf(find(workspaceOf(request), request.params.modelId))),
      create: (request) => {
        const workspace = workspaceOf(request);
        const definition = read(request.body);
        if (models.get(workspace, definition.id)) {
          throw refuse(WAREHOUSE_FAILURES.invalidRequest, `id \`${definition.id}\` is taken`);
        }
        const kept = keep(definition, created(clock.now(), request.caller.id));
        models.add(workspace, kept);
        return answer(200, replyOf(kept));
      },
      update: (request) => {
        const workspace = workspaceOf(request);
        const before = find(workspace, request.params.modelId);
        const definition = read(request.body);
        refuseOtherId(definition.id, before.definition.id);
        const now = clock.now();
        const kept = keep(definition, modified(before.audit, now, request.caller.id));
        db.transaction(() => {
          models.replace(workspace, kept);
          life.release(workspace, 'data_model', definition.id, now);
        });
        platform.wake();
        return answer(200, replyOf(kept));
      },
      delete: (request) => {
        const workspace = workspaceOf(request);
        const { id } = find(workspace, request.params.modelId).definition;
        const users = usersOf(stores.pipelines.list(workspace), 'data_model_id', id);
        if (users.length > 0) throw refuse(WAREHOUSE_FAILURES.inUse, `by pipeline ${users.join(', ')}`);
        models.remove(workspace, id);
        return { status: 204 };
      },
    },
    load: (loaded) => {
      models.clear();
      for (const fixture of loaded.data_models) {
        const kept = keptFixture(fixture, 'invalid', clock.now());
        const definition = { ...kept.definition, state: kept.definition.state ?? 'new' };
        models.add(fixture.workspace_id, { ...kept, definition });
      }
    },
  };
}

/** Of what SQLite says, these are about the text alone; others are about tables and columns, which a run knows. */
const ABOUT_SYNTAX = /syntax error|incomplete input|unrecognized token|parser stack overflow/;

/** What SQLite cannot parse, another warehouse may run: it is accepted, and fails here at its run (decision: D68). */
function notesOn(sql: string, db: Database): string[] {
  const complaint = db.complaint(rewriteTables(sql, resolveAmong([])));
  if (complaint === undefined || !ABOUT_SYNTAX.test(complaint)) return [];
  return [`Not checked: the warehouse's dialect may allow it. SQLite, which runs queries here, does not: ${complaint}`];
}

function replyOf({ definition, audit, broken, errors }: Kept<DataModelRequest>) {
  const status = broken ? 'invalid' : 'valid';
  return { ...definition, status, errors: errors.map((message) => ({ message })), ...audit };
}
