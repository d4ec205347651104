// D. Data models: queries of a single SELECT; a run reads their columns (decision: D68).
import { DataModelRequest, dataModelsEndpoints } from '../../contract/data-models.ts';
import { WAREHOUSE_FAILURES } from '../../contract/failures.ts';
import type { Database } from '../base/db.ts';
import { createPipelineLife } from '../pipelines/life.ts';
import { defineArea, type OpenArea, type Platform } from '../platform/area.ts';
import { resourcesMigration } from '../stores/documents.ts';
import { createWarehouseStores, withoutReadOnly } from '../warehouse/resources.ts';
import { describeForm, resolveAmong, rewriteTables } from '../warehouse/sql.ts';
import { acceptJson, refuse } from '../wire/request-body.ts';
import { openKept } from './warehouse-resources.ts';

export const dataModelsArea = defineArea({
  name: 'dataModels',
  endpoints: dataModelsEndpoints,
  migrations: [resourcesMigration('data_models')],
  open: openDataModels,
});

function openDataModels(platform: Platform): OpenArea<typeof dataModelsEndpoints> {
  const stores = createWarehouseStores(platform.db);
  const { handlers, load } = openKept<DataModelRequest>(platform, stores, createPipelineLife(stores), {
    what: 'data model',
    idParameter: 'modelId',
    store: stores.models,
    cause: 'data_model',
    statuses: ['valid', 'invalid'],
    complete: completed,
    read: ({ body }) => {
      const sent = acceptJson(DataModelRequest, body, WAREHOUSE_FAILURES.invalidRequest);
      const complaint = describeForm(sent.config.sql_query);
      if (complaint !== undefined) throw refuse(WAREHOUSE_FAILURES.invalidSql, complaint);
      return completed(withoutReadOnly(sent));
    },
    notesOn: ({ config }) => notesOn(config.sql_query, platform.db),
  });
  return { handlers, load: ({ data_models }) => load(data_models) };
}

/** Adds the platform's default. */
const completed = (definition: DataModelRequest): DataModelRequest => ({
  ...definition,
  state: definition.state ?? 'new',
});

/** SQLite's complaints about the text itself. Its other complaints are about tables and columns, which a run checks. */
const ABOUT_SYNTAX = /syntax error|incomplete input|unrecognized token|parser stack overflow/;

/** Another warehouse may run what SQLite cannot parse, so the platform accepts it; a run here fails (decision: D68). */
function notesOn(sql: string, db: Database): string[] {
  const complaint = db.complaint(rewriteTables(sql, resolveAmong([])));
  if (complaint === undefined || !ABOUT_SYNTAX.test(complaint)) return [];
  return [`Not checked: the warehouse's dialect may allow it. SQLite, which runs queries here, does not: ${complaint}`];
}
