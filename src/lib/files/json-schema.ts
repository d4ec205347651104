// JSON Schemas for editors, generated from the contract.
// Named imports: a namespace import here would pull all of zod into the chunk that every command loads.
import { VERSION } from '../kernel/version.ts';
import { array, toJSONSchema, union, type ZodMiniType } from 'zod/mini';

/** The documents with a schema. */
export const SCHEMA_NAMES = [
  'roles',
  'roles-test',
  'group',
  'dsr',
  'dsr-bulk',
  'connection',
  'data-model',
  'pipeline',
  'seed',
  'config',
  'openapi',
] as const;

export type SchemaName = (typeof SCHEMA_NAMES)[number];

export type JsonSchema = Readonly<Record<string, unknown>>;

const TITLES: Record<Exclude<SchemaName, 'roles' | 'config' | 'openapi'>, string> = {
  'roles-test': 'Assertions of `cdpadm roles test`',
  group: 'A group definition',
  dsr: 'A data subject request',
  'dsr-bulk': 'Data subject requests, one or a list',
  connection: 'A warehouse connection',
  'data-model': 'A data model',
  pipeline: 'A pipeline',
  seed: 'The seeds of one user',
};

/** The schema of a document (draft 7, which most editors support); for `openapi`, the whole contract. */
export async function jsonSchemaOf(name: SchemaName): Promise<JsonSchema> {
  if (name === 'roles') return (await import('./roles-schema.ts')).rolesFileSchema;
  if (name === 'config') return (await import('./project-schema.ts')).projectFileSchema;
  if (name === 'openapi') return (await import('../contract/openapi.ts')).openApiDocument({ version: VERSION });
  const schema = toJSONSchema(await contractOf(name), { target: 'draft-7', io: 'input', unrepresentable: 'any' });
  return withHint({ ...schema, title: TITLES[name] });
}

async function contractOf(name: keyof typeof TITLES): Promise<ZodMiniType> {
  switch (name) {
    case 'roles-test':
      return (await import('../contract/roles-test.ts')).rolesTestFile();
    case 'group':
      return (await import('../contract/groups.ts')).GroupRequest;
    case 'dsr':
      return (await import('../contract/dsr.ts')).DsrRequest;
    case 'dsr-bulk': {
      const { DsrRequest } = await import('../contract/dsr.ts');
      return union([DsrRequest, array(DsrRequest)]);
    }
    case 'connection':
      return (await import('../contract/connections.ts')).ConnectionRequest;
    case 'data-model':
      return (await import('../contract/data-models.ts')).DataModelRequest;
    case 'pipeline':
      return (await import('../contract/pipelines.ts')).PipelineRequest;
    case 'seed':
      return (await import('../contract/seeding.ts')).SingleSeed;
  }
}

/** Allows `$schema` in an object that allows no unknown field, or in each of its forms. */
function withHint(schema: JsonSchema): JsonSchema {
  const { oneOf: forms, properties } = schema;
  if (Array.isArray(forms)) return { ...schema, oneOf: forms.map((form: JsonSchema) => withHint(form)) };
  if (typeof properties !== 'object' || properties === null) return schema;
  return { ...schema, properties: { $schema: { type: 'string' }, ...properties } };
}
