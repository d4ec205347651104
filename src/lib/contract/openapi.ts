// Generates an OpenAPI 3.1 document from the schemas that client and embedded platform use.
import { array, int, object, optional, string, toJSONSchema, type ZodMiniType } from 'zod/mini';
import type { Auth, Endpoint, Service } from './endpoint.ts';
import { allEndpoints } from './index.ts';

type Json = Record<string, unknown>;

/** An OpenAPI document: `openapi`, `info`, `tags`, `paths`, `components`. */
export type OpenApiDocument = Readonly<Json>;

export interface OpenApiOptions {
  /** The program's version. */
  version: string;
  /** The addresses of the services; default placeholders. */
  addresses?: Readonly<Record<Service, string>>;
}

/** The part of an endpoint's id before the dot, and its title in the specification. */
const TAGS: Record<string, string> = {
  oauth: 'Access tokens',
  roles: 'A. Custom roles',
  groups: 'B. Group identities',
  dsr: 'C. Data subject requests',
  connections: 'D. Warehouse sync: connections',
  dataModels: 'D. Warehouse sync: data models',
  pipelines: 'D. Warehouse sync: pipelines',
  seeding: 'E. Calculated-attribute seeding',
  intake: 'F. Intake',
};

const PLACEHOLDERS: Record<Service, string> = {
  base: 'https://api.platform.example',
  auth: 'https://auth.platform.example',
  dsr: 'https://dsr.platform.example/v3',
  seeding: 'https://seeding.platform.example',
  identity: 'https://identity.platform.example',
};

const SCHEMES: Record<Exclude<Auth, 'none'>, Json> = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token of the token call.' },
  'dsr-basic': { type: 'http', scheme: 'basic', description: 'Key and secret of the workspace.' },
  'seeding-basic': { type: 'http', scheme: 'basic', description: 'Key and secret of the workspace.' },
};

/** Parameters that are not strings. */
const PARAMETER_TYPES: Record<string, Json> = {
  orgId: { type: 'integer' },
  accountId: { type: 'integer' },
  workspaceId: { type: 'integer' },
  workspace_id: { type: 'integer' },
  currentPage: { type: 'integer', minimum: 1 },
  pageSize: { type: 'integer', minimum: 1 },
  preventResets: { type: 'boolean' },
};

/** Error responses by service (specification, "Errors"); all others have the first shape (decision: D5). */
const ERRORS = {
  Refusal: object({ statusCode: int(), errors: array(object({ message: string() })) }),
  DsrRefusal: object({
    code: int(),
    message: string(),
    errors: array(object({ domain: string(), reason: string(), message: string() })),
  }),
  // The specification shows a code only for 400.
  IntakeRefusal: object({ errors: array(object({ code: optional(string()), message: string() })) }),
};

const ERROR_OF: Record<Service, keyof typeof ERRORS> = {
  base: 'Refusal',
  auth: 'Refusal',
  dsr: 'DsrRefusal',
  seeding: 'IntakeRefusal',
  identity: 'IntakeRefusal',
};

/** The whole contract. Schemas are in `components`, named after the first call that uses them. */
export function openApiDocument({ addresses = PLACEHOLDERS, version }: OpenApiOptions): OpenApiDocument {
  const schemas = Object.fromEntries(Object.entries(ERRORS).map(([name, schema]) => [name, jsonSchema(schema)]));
  const names = new Map<ZodMiniType, string>();

  function reference(schema: ZodMiniType, name: string): Json {
    const known = names.get(schema) ?? name;
    if (!names.has(schema)) {
      names.set(schema, name);
      schemas[name] = jsonSchema(schema);
    }
    return { $ref: `#/components/schemas/${known}` };
  }

  const paths: Record<string, Json> = {};
  for (const endpoint of allEndpoints) {
    const item = (paths[endpoint.path] ??= {});
    item[endpoint.method.toLowerCase()] = operation(endpoint, reference, addresses[endpoint.service]);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Customer-data platform: administration',
      version,
      description: 'Generated from the contract that this program and its embedded platform check by.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [...new Set(Object.values(addresses))].map((url) => ({ url })),
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas, securitySchemes: SCHEMES },
  };
}

function operation(
  { auth, body, id, path, query = [], reply, safety, service, status }: Endpoint,
  reference: (schema: ZodMiniType, name: string) => Json,
  address: string,
): Json {
  const [area = '', verb = ''] = id.split('.');
  const name = capital(area) + capital(verb);
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => parameter(name, 'path')),
    ...query.map((name) => parameter(name, 'query')),
  ];
  const error = content({ $ref: `#/components/schemas/${ERROR_OF[service]}` });
  const refused = { description: 'Refused', ...error };
  return {
    operationId: id,
    summary: `${capital(area)}: ${verb.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`,
    tags: [area],
    servers: [{ url: address }],
    security: auth === 'none' ? [] : [{ [auth]: [] }],
    'x-safety': safety,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, ...content(reference(body, `${name}Request`)) } }),
    responses: {
      [status]: { description: 'Done', ...(reply && content(reference(reply, `${name}Reply`))) },
      '4XX': refused,
      '5XX': { ...refused, description: 'The platform is in trouble' },
    },
  };
}

function parameter(name: string, place: 'path' | 'query'): Json {
  const schema = PARAMETER_TYPES[name] ?? { type: 'string' };
  return { name, in: place, ...(place === 'path' && { required: true }), schema };
}

function content(schema: Json): Json {
  return { content: { 'application/json': { schema } } };
}

/** Fields that the platform sets. They may be sent back with the rest. */
const OWN_FIELDS = ['status', 'errors', 'created_on', 'created_by', 'last_modified_on', 'last_modified_by'];

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * The wire format: a 64-bit integer is one integer, not one of two JavaScript types. The platform ignores unknown fields,
 * although our own requests are strict (decision: D6).
 */
function jsonSchema(schema: ZodMiniType): Json {
  const { $schema: _, ...made } = toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema: json, path, zodSchema }) => {
      const { def } = zodSchema._zod;
      // A field of any type needs a description.
      if (path.at(-2) === 'properties' && Object.keys(json).length === 0) {
        json.description = OWN_FIELDS.includes(String(path.at(-1))) ? 'Set by the platform, ignored here' : 'Any value';
      }
      if (json.additionalProperties === false) delete json.additionalProperties;
      if (def.type !== 'union' || !def.options.some((option) => option._zod.def.type === 'bigint')) return;
      delete json.anyOf;
      json.type = 'integer';
    },
  });
  return made;
}
