// JSON Schemas for editors, generated from the contract.
// Named imports: a namespace import here would pull all of zod into the chunk that every command loads.
import { LIMITED_AREAS } from '../contract/limits.ts';
import { VERSION } from '../kernel/version.ts';
import { array, toJSONSchema, union, type ZodMiniType } from 'zod/mini';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The documents of the contract, each with its title. */
const CONTRACTS = {
  'roles-test': [
    'Assertions of `cdpadm roles test`',
    async () => (await import('../contract/roles-test.ts')).rolesTestFile(),
  ],
  group: ['A group definition', async () => (await import('../contract/groups.ts')).GroupRequest],
  dsr: ['A data subject request', dsrRequest],
  'dsr-bulk': [
    'Data subject requests, one or a list',
    async () => union([await dsrRequest(), array(await dsrRequest())]),
  ],
  connection: ['A warehouse connection', async () => (await import('../contract/connections.ts')).ConnectionRequest],
  'data-model': ['A data model', async () => (await import('../contract/data-models.ts')).DataModelRequest],
  pipeline: ['A pipeline', async () => (await import('../contract/pipelines.ts')).PipelineRequest],
  seed: ['The seeds of one user', async () => (await import('../contract/seeding.ts')).SingleSeed],
} as const satisfies Record<string, readonly [title: string, load: () => Promise<ZodMiniType>]>;

/** The documents with a schema. */
export const SCHEMA_NAMES = [
  'roles',
  ...(Object.keys(CONTRACTS) as (keyof typeof CONTRACTS)[]),
  'config',
  'openapi',
] as const;

export type SchemaName = (typeof SCHEMA_NAMES)[number];

/** The schema of a document (draft 7, which most editors support); for `openapi`, the whole contract. */
export async function jsonSchemaOf(name: SchemaName): Promise<JsonSchema> {
  if (name === 'roles') return (await import('./roles-schema.ts')).rolesFileSchema;
  if (name === 'config') return projectFileSchema;
  if (name === 'openapi') return (await import('../contract/openapi.ts')).openApiDocument({ version: VERSION });
  const [title, load] = CONTRACTS[name];
  const schema = toJSONSchema(await load(), { target: 'draft-7', io: 'input', unrepresentable: 'any' });
  return withHint({ ...schema, title });
}

async function dsrRequest() {
  return (await import('../contract/dsr.ts')).DsrRequest;
}

/** Allows `$schema` in an object that does not allow unknown fields, or in each of its forms. */
function withHint(schema: JsonSchema): JsonSchema {
  const { oneOf: forms, properties } = schema;
  if (Array.isArray(forms)) return { ...schema, oneOf: forms.map((form: JsonSchema) => withHint(form)) };
  if (typeof properties !== 'object' || properties === null) return schema;
  return { ...schema, properties: { $schema: { type: 'string' }, ...properties } };
}

// The schema of `.cdpadm.yaml`, the shared settings of a repository. It allows no secrets and no trust settings.
const address = { type: 'string', format: 'uri', pattern: '^https?://' };
const rate = {
  type: 'string',
  pattern: '^[0-9]+(\\.[0-9]+)?(/[smh])?$',
  description: 'Requests per second, or as 600/m',
};
const id = { type: ['string', 'integer'], pattern: '^[0-9]+$' };

export const projectFileSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Settings of a project (.cdpadm.yaml)',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    profile: { type: 'string', description: 'The profile to use in this folder and below' },
    base_url: { ...address, description: 'The platform API' },
    auth_url: { ...address, description: 'The token service' },
    dsr_base_url: { ...address, description: 'Data subject requests; ends in /v3' },
    seeding_url: { ...address, description: 'Seeding and event intake' },
    identity_url: { ...address, description: 'Identity intake' },
    org_id: id,
    account_id: id,
    workspace_id: id,
    vendor_domain: { type: 'string', description: 'The domain in the key opendsr.{vendor_domain}' },
    environment: { enum: ['development', 'production'] },
    output: {
      enum: ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'markdown', 'name', 'html'],
      description: 'Default for -o',
    },
    protected: { const: true, description: 'Every write asks for the name of the profile' },
    access: { const: 'read', description: 'Every write is blocked' },
    limits: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(LIMITED_AREAS.map((area) => [area, rate])),
    },
  },
} as const;
