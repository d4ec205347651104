// Data models: SQL queries whose columns pipelines read (specification, "Data model").
import * as z from 'zod/mini';
import { endpoints } from './endpoint.ts';
import { RESOURCE_STATES } from './choices.ts';
import { auditFields, word } from './shared.ts';
import { Filled, readOnlyFields, resourceRows, ResourceErrors, Slug, WORKSPACE_PATH } from './warehouse.ts';

export const DataModelRequest = z.strictObject({
  id: Slug,
  name: Filled,
  state: z.optional(z.enum(RESOURCE_STATES)),
  type: z.literal('sql'),
  config: z.strictObject({ sql_query: Filled }),
  ...readOnlyFields,
});
export type DataModelRequest = z.infer<typeof DataModelRequest>;

export const DataModelReply = z.looseObject({
  id: z.string(),
  name: z.nullish(z.string()),
  state: word(RESOURCE_STATES),
  status: word(['valid', 'invalid']),
  errors: ResourceErrors,
  type: word(['sql']),
  config: z.nullish(z.looseObject({ sql_query: z.nullish(z.string()) })),
  ...auditFields,
});

const calls = resourceRows(`${WORKSPACE_PATH}/data-models`, 'modelId', DataModelRequest, DataModelReply);

export const dataModelsEndpoints = endpoints('dataModels', 'base', 'bearer', {
  ...calls,
  delete: { ...calls.delete, fails: [400] },
});
