// Generates an OpenAPI 3.1 document from the schemas used by the client and the embedded platform.
import { capitalized, splitWords } from '../kernel/words.ts';
import { STATUS_CODES } from 'node:http';
import * as z from 'zod/mini';
import { DSR_FAILURES, type Failure, GROUP_FAILURES, ROLE_FAILURES, WAREHOUSE_FAILURES } from './failures.ts';
import { examples } from './openapi-examples.ts';
import type { Auth, Endpoint, Service } from './endpoint.ts';
import { allEndpoints } from './index.ts';
import { READ_ONLY_FIELDS } from './warehouse.ts';

type Json = Record<string, unknown>;

/** An OpenAPI document: `openapi`, `info`, `servers`, `tags`, `paths`, `components`. */
export type OpenApiDocument = Readonly<Json>;

/** Area (an endpoint id up to the dot) -> title in the specification. */
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
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token from the token endpoint.' },
  'dsr-basic': { type: 'http', scheme: 'basic', description: 'The workspace key and secret.' },
  'seeding-basic': { type: 'http', scheme: 'basic', description: 'The workspace key and secret.' },
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

const listOf = <Item extends z.ZodMiniType>(item: Item) => z.array(item).check(z.minLength(1));
/** Error responses (specification, "Errors"). Services without their own format use the first one (decision: D5). */
const ERRORS = {
  Refusal: z.object({ statusCode: z.int(), errors: listOf(z.object({ message: z.string() })) }),
  DsrRefusal: z.object({
    code: z.int(),
    message: z.string(),
    errors: listOf(z.object({ domain: z.string(), reason: z.string(), message: z.string() })),
  }),
  // The specification defines `code` only for status 400.
  IntakeRefusal: z.object({ errors: listOf(z.object({ code: z.optional(z.string()), message: z.string() })) }),
};

const ERROR_OF: Record<Service, keyof typeof ERRORS> = {
  base: 'Refusal',
  auth: 'Refusal',
  dsr: 'DsrRefusal',
  seeding: 'IntakeRefusal',
  identity: 'IntakeRefusal',
};

const FAILURES: Record<string, Record<string, Failure>> = {
  roles: ROLE_FAILURES,
  groups: GROUP_FAILURES,
  dsr: DSR_FAILURES,
  connections: WAREHOUSE_FAILURES,
  dataModels: WAREHOUSE_FAILURES,
  pipelines: WAREHOUSE_FAILURES,
};

function errorStatuses({ auth, body, fails = [], id, path, query, service }: Endpoint): number[] {
  const area = id.slice(0, id.indexOf('.'));
  const isNamed = path.includes('{');
  return [
    ...(body || query ? [400] : []),
    ...(auth === 'none' ? [] : [401]),
    ...(isNamed && service === 'base' ? [403] : []),
    ...(auth === 'seeding-basic' ? [403] : []),
    ...(isNamed ? [404] : []),
    ...(body ? [413] : []),
    ...(body && area === 'groups' ? [422] : []),
    ...(['roles', 'dsr', 'seeding', 'intake'].includes(area) ? [429] : []),
    ...fails,
  ];
}

/** Response headers, by error status, or by endpoint id and status. */
const HEADERS: Record<string, Record<string, Json>> = {
  429: { 'Retry-After': { description: 'Seconds to wait.', required: true, schema: { type: 'integer', minimum: 1 } } },
  'dsr.create 201': {
    'X-OpenDSR-Processor-Domain': { description: 'The processor domain.', required: true, schema: { type: 'string' } },
    'X-OpenDSR-Signature': {
      description: 'Base64 of the RSA-SHA256 signature over the raw body.',
      required: true,
      schema: { type: 'string', pattern: '^[A-Za-z0-9+/]+={0,2}$' },
    },
  },
};

/** Returns the whole contract. A schema in `components` is named after the first call that uses it. */
export function openApiDocument(version: string, addresses: Record<Service, string> = PLACEHOLDERS): OpenApiDocument {
  const schemas = Object.fromEntries(Object.entries(ERRORS).map(([name, schema]) => [name, jsonSchema(schema)]));
  const names = new Map<z.ZodMiniType, string>();

  const reference: Reference = (schema, name, use) => {
    const known = names.get(schema) ?? name;
    if (!names.has(schema)) {
      names.set(schema, name);
      schemas[name] = jsonSchema(schema, use);
    }
    return { $ref: `#/components/schemas/${known}` };
  };

  const paths: Record<string, Json> = {};
  for (const endpoint of allEndpoints) {
    const item = (paths[endpoint.path] ??= {});
    item[endpoint.method.toLowerCase()] = operation(endpoint, reference, addresses);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Customer-data platform: administration',
      version,
      description: 'Generated from the contract that this program and its embedded platform use for validation.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [...new Set(Object.values(addresses))].map((url) => ({ url })),
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas, securitySchemes: SCHEMES },
  };
}

function errorExample(service: Service, status: number, message: string): Json {
  if (service === 'dsr')
    return { code: status, message, errors: [{ domain: 'subject_request', reason: 'invalid', message }] };
  return ERROR_OF[service] === 'Refusal' ? { statusCode: status, errors: [{ message }] } : { errors: [{ message }] };
}

type Reference = (schema: z.ZodMiniType, name: string, use?: 'reply') => Json;

function operation(endpoint: Endpoint, reference: Reference, addresses: Record<Service, string>): Json {
  const { auth, body, id, media, path, query = [], reply, safety, service, status } = endpoint;
  const [area = '', verb = ''] = id.split('.');
  const name = capitalized(area) + capitalized(verb);
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => parameter(name, 'path')),
    ...query.map((name) => parameter(name, 'query')),
  ];
  const example = id === 'oauth.token' ? { ...examples[id], audience: addresses.base } : examples[id];
  const rejected = (error: number): Json => {
    const own = Object.values(FAILURES[area] ?? {}).filter((failure) => failure.status === error);
    const messages = own.length === 0 ? [STATUS_CODES[error] ?? ''] : own.map((failure) => failure.message);
    return {
      description: messages.join('; or '),
      ...(HEADERS[error] && { headers: HEADERS[error] }),
      ...content(
        { $ref: `#/components/schemas/${ERROR_OF[service]}` },
        errorExample(service, error, messages[0] ?? ''),
      ),
    };
  };
  const headers = HEADERS[`${id} ${status}`];
  return {
    operationId: id,
    summary: `${capitalized(area)}: ${verb.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`,
    tags: [area],
    servers: [{ url: addresses[service] }],
    ...(media && { description: 'Other responses contain this address. Each platform chooses the path.' }),
    security: auth === 'none' ? [] : [{ [auth]: [] }],
    'x-safety': safety,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, ...content(reference(body, `${name}Request`), example) } }),
    responses: {
      [status]: {
        description: 'Done',
        ...(headers && { headers }),
        ...(reply && content(reference(reply, `${name}Reply`, 'reply'), undefined, media)),
      },
      ...Object.fromEntries(errorStatuses(endpoint).map((error) => [error, rejected(error)])),
      '5XX': { ...rejected(500), description: 'Server error' },
    },
  };
}

function parameter(name: string, place: 'path' | 'query'): Json {
  const schema = PARAMETER_TYPES[name] ?? { type: 'string' };
  return { name, in: place, ...(place === 'path' && { required: true }), schema };
}

function content(schema: Json, example?: unknown, media = 'application/json'): Json {
  return { content: { [media]: { schema, ...(example !== undefined && { example }) } } };
}

/** Response fields without a value: Those in `ABSENT` may be omitted, those in `NULLABLE` null. The client is less strict. */
const ABSENT = splitWords(`
  cloud_iam_user_arn current_iterator_position data_plan_id data_plan_version delay end field_transformation_id frequency
  from iterator_data_type iterator_field partner_feed_id partner_feed_key start status_message until`);
const NULLABLE = splitWords(`
  current_iterator_position ended_on expected_completion_time extensions group_id last_modified_by last_modified_on
  latest_pipeline_run latest_successful_pipeline_run_id range_end range_start results_url started_on`);

/**
 * Returns the schema of the wire format. It describes a 64-bit integer as one type, not as two JavaScript types. The
 * platform ignores unknown fields, although our own requests are strict (decision: D6). Responses are described as the
 * platform sends them, although the client accepts more.
 */
function jsonSchema(schema: z.ZodMiniType, use?: 'reply'): Json {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema: json, path, zodSchema }) => {
      const { def } = zodSchema._zod;
      // Describe a field whose schema is empty because it allows any value.
      if (path.at(-2) === 'properties' && Object.keys(json).length === 0) {
        json.description = READ_ONLY_FIELDS.includes(String(path.at(-1)))
          ? 'Set by the platform; ignored in requests'
          : 'Any value';
      }
      if (json.additionalProperties === false) delete json.additionalProperties;
      if (def.type === 'union' && def.options.some((option) => option._zod.def.type === 'bigint')) {
        delete json.anyOf;
        json.type = 'integer';
      }
      if (use === 'reply' && json.properties) makeStrict(json);
    },
  });
  return made;
}

/** Requires fields that the platform always sends, and forbids null where the platform never sends it. */
function makeStrict(json: Json): void {
  const properties = json['properties'] as Record<string, Json>;
  json['required'] = Object.keys(properties).filter((name) => !ABSENT.includes(name));
  for (const [name, field] of Object.entries(properties)) {
    const { anyOf, type, ...rest } = field;
    if (NULLABLE.includes(name)) continue;
    if (Array.isArray(type))
      properties[name] = { type: type.length > 2 ? type.filter((one) => one !== 'null') : type[0], ...rest };
    if (!Array.isArray(anyOf)) continue;
    const [first, ...others] = anyOf.filter((form: Json) => form['type'] !== 'null') as Json[];
    properties[name] = others.length === 0 ? { ...first, ...rest } : { anyOf: [first, ...others], ...rest };
  }
}
