// JSON Schemas for editors, most of them generated from the contract.
import { VERSION } from '../kernel/version.ts';
import * as z from 'zod/mini';

export type JsonSchema = Readonly<Record<string, unknown>>;

const CONTRACTS = {
  'roles-test': [
    'Assertions of `cdpadm roles test`',
    async () => (await import('../contract/roles-test.ts')).rolesTestFile(),
  ],
  group: ['A group definition', async () => (await import('../contract/groups.ts')).GroupRequest],
  dsr: ['A data subject request', dsrRequest],
  'dsr-bulk': [
    'Data subject requests, one or a list',
    async () => z.union([await dsrRequest(), z.array(await dsrRequest())]),
  ],
  connection: ['A warehouse connection', async () => (await import('../contract/connections.ts')).ConnectionRequest],
  'data-model': ['A data model', async () => (await import('../contract/data-models.ts')).DataModelRequest],
  pipeline: ['A pipeline', async () => (await import('../contract/pipelines.ts')).PipelineRequest],
  seed: ['The seeds of one user', async () => (await import('../contract/seeding.ts')).SingleSeed],
} as const satisfies Record<string, readonly [title: string, load: () => Promise<z.ZodMiniType>]>;

export const SCHEMA_NAMES = [
  'roles',
  ...(Object.keys(CONTRACTS) as (keyof typeof CONTRACTS)[]),
  'config',
  'openapi',
] as const;

export type SchemaName = (typeof SCHEMA_NAMES)[number];

/** Returns the JSON Schema of a document (draft 7, which most editors support); for `openapi`, the whole contract. */
export async function jsonSchemaOf(name: SchemaName): Promise<JsonSchema> {
  if (name === 'roles') return (await import('./roles-schema.ts')).rolesFileSchema;
  if (name === 'config') return (await import('./project-schema.ts')).projectFileSchema;
  if (name === 'openapi') return (await import('../contract/openapi.ts')).openApiDocument(VERSION);
  const [title, load] = CONTRACTS[name];
  const schema = z.toJSONSchema(await load(), { target: 'draft-7', io: 'input', unrepresentable: 'any' });
  return withHint({ ...schema, title });
}

async function dsrRequest() {
  return (await import('../contract/dsr.ts')).DsrRequest;
}

/** Adds `$schema` to the properties of an object, or of each alternative in `oneOf` or `anyOf`. */
function withHint(schema: JsonSchema): JsonSchema {
  const { anyOf, oneOf, properties } = schema;
  if (typeof properties === 'object') return { ...schema, properties: { $schema: { type: 'string' }, ...properties } };
  if (Array.isArray(oneOf)) return { ...schema, oneOf: oneOf.map(withHint) };
  return Array.isArray(anyOf) ? { ...schema, anyOf: anyOf.map(withHint) } : schema;
}
