// Connections: warehouse addresses and credentials for the four providers (specification, "Connection").
import * as z from 'zod/mini';
import { endpoints } from './endpoint.ts';
import { RESOURCE_STATES } from './choices.ts';
import { auditFields, word } from './shared.ts';
import { Filled, readOnlyFields, resourceRows, ResourceErrors, Slug, WORKSPACE_PATH } from './warehouse.ts';

/** Neutral names, which `names.ts` maps to deployment-specific ones. */
export const SERVICE_PROVIDERS = ['PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_D'] as const;
export type ServiceProvider = (typeof SERVICE_PROVIDERS)[number];

/** `config` fields that the platform returns only as a mask. */
export const SECRET_CONFIG_FIELDS: readonly string[] = ['password', 'service_account_key'];

/** Fields of `config`, by provider. The specification does not define which of them are required (decision: D62). */
export const CONNECTION_CONFIGS = {
  /** Cloud warehouse with storage integration. */
  PROVIDER_A: z.strictObject({
    account_identifier: Filled,
    /** A region id, or `<region>.<cloud>`. */
    region: Filled,
    warehouse: Filled,
    database: Filled,
    user: Filled,
    role: Filled,
    password: Filled,
    storage_integration: Filled,
    cloud_iam_user_arn: z.optional(Filled),
    cloud_external_id: z.optional(Filled),
    /** Fully qualified: `schema.stage`. */
    external_stage: z.optional(Filled),
  }),
  /** Cloud analytics warehouse with a service account. */
  PROVIDER_B: z.strictObject({
    region: Filled,
    project_id: Filled,
    dataset_id: Filled,
    service_account_id: Filled,
    service_account_key: Filled,
  }),
  /** Cluster warehouse with a cloud role. */
  PROVIDER_C: z.strictObject({
    database: Filled,
    user: Filled,
    password: Filled,
    cloud_iam_role_arn: Filled,
    host: Filled,
    port: z.optional(Filled),
  }),
  /** Lakehouse with a shared schema. */
  PROVIDER_D: z.strictObject({
    provider: Filled,
    schema: Filled,
  }),
} as const;

export function needsSecret(provider: unknown, field: string): boolean {
  const known = SERVICE_PROVIDERS.find((one) => one === provider);
  return known !== undefined && SECRET_CONFIG_FIELDS.includes(field) && field in CONNECTION_CONFIGS[known].shape;
}

const common = { id: Slug, name: Filled, state: z.optional(z.enum(RESOURCE_STATES)), ...readOnlyFields };

export const ConnectionRequest = z.discriminatedUnion('service_provider', [
  z.strictObject({ ...common, service_provider: z.literal('PROVIDER_A'), config: CONNECTION_CONFIGS.PROVIDER_A }),
  z.strictObject({ ...common, service_provider: z.literal('PROVIDER_B'), config: CONNECTION_CONFIGS.PROVIDER_B }),
  z.strictObject({ ...common, service_provider: z.literal('PROVIDER_C'), config: CONNECTION_CONFIGS.PROVIDER_C }),
  z.strictObject({ ...common, service_provider: z.literal('PROVIDER_D'), config: CONNECTION_CONFIGS.PROVIDER_D }),
]);
export type ConnectionRequest = z.infer<typeof ConnectionRequest>;

export const ConnectionReply = z.looseObject({
  id: z.string(),
  name: z.nullish(z.string()),
  state: word(RESOURCE_STATES),
  status: word(['healthy', 'faulted']),
  errors: ResourceErrors,
  service_provider: word(SERVICE_PROVIDERS),
  config: z.nullish(z.record(z.string(), z.unknown())),
  ...auditFields,
});

const calls = resourceRows(`${WORKSPACE_PATH}/connections`, 'connectionId', ConnectionRequest, ConnectionReply, [
  'value:service_provider',
  'keys:config',
]);

export const connectionsEndpoints = endpoints('connections', 'base', 'bearer', {
  ...calls,
  list: {
    ...calls.list,
    query: ['serviceProvider'],
    names: { ...calls.list.names, query: ['serviceProvider'] },
  },
  create: { ...calls.create, fails: [505] },
  update: { ...calls.update, fails: [505] },
  delete: { ...calls.delete, fails: [400] },
});
