// D. Data models: a SQL query whose columns a pipeline reads (specification, "Data model").
import {
  array,
  enum as oneOf,
  type infer as Infer,
  literal,
  looseObject,
  nullish,
  optional,
  strictObject,
  string,
} from 'zod/mini';
import { endpoints } from './endpoint.ts';
import { RESOURCE_STATES } from './choices.ts';
import { auditFields, word } from './shared.ts';
import { Filled, readOnlyFields, ResourceErrors, Slug, WORKSPACE_PATH } from './warehouse.ts';

/** The body of POST and PUT. */
export const DataModelRequest = strictObject({
  id: Slug,
  name: Filled,
  state: optional(oneOf(RESOURCE_STATES)),
  type: literal('sql'),
  config: strictObject({ sql_query: Filled }),
  ...readOnlyFields,
});
export type DataModelRequest = Infer<typeof DataModelRequest>;

export const DataModelReply = looseObject({
  id: string(),
  name: nullish(string()),
  state: word(RESOURCE_STATES),
  status: word(['valid', 'invalid']),
  errors: ResourceErrors,
  type: word(['sql']),
  config: nullish(looseObject({ sql_query: nullish(string()) })),
  ...auditFields,
});

const LIST_PATH = `${WORKSPACE_PATH}/data-models` as const;
const MODEL_PATH = `${WORKSPACE_PATH}/data-models/{modelId}` as const;

export const dataModelsEndpoints = endpoints('dataModels', 'base', 'bearer', {
  list: { method: 'GET', path: LIST_PATH, reply: array(DataModelReply) },
  get: { method: 'GET', path: MODEL_PATH, reply: DataModelReply, about: { modelId: 'id' } },
  create: { method: 'POST', path: LIST_PATH, body: DataModelRequest, reply: DataModelReply },
  update: { method: 'PUT', path: MODEL_PATH, body: DataModelRequest, reply: DataModelReply, about: { modelId: 'id' } },
  delete: { method: 'DELETE', path: MODEL_PATH, status: 204 },
});
