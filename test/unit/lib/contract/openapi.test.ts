// The OpenAPI document: valid by the official schemas, complete, and served by the platform that it describes.
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { allEndpoints } from '../../../../src/lib/contract/index.ts';
import { type OpenApiDocument, openApiDocument } from '../../../../src/lib/contract/openapi.ts';
import { runCli } from '../../../helpers/cli.ts';
import { openConformance } from '../../../helpers/conformance.ts';
import { startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
}

let document: OpenApiDocument;
let operations: { path: string; method: string; operation: Operation }[];
beforeEach(() => {
  document = openApiDocument({ version: '1.2.3' });
  operations = Object.entries(document['paths'] as Record<string, Record<string, Operation>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
});

test('is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toMatchObject({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('has every call of the contract, once', () => {
  expect(operations.map(({ method, operation, path }) => `${operation.operationId} ${method} ${path}`).sort()).toEqual(
    allEndpoints.map(({ id, method, path }) => `${id} ${method.toLowerCase()} ${path}`).sort(),
  );
});

test('names only schemas and tags that it has', () => {
  const text = JSON.stringify(document);
  const { schemas } = document['components'] as { schemas: Record<string, unknown> };
  const named = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !(name in schemas))).toEqual([]);
  expect(Object.keys(schemas).filter((name) => !named.includes(name))).toEqual([]);
  const tags = (document['tags'] as { name: string }[]).map(({ name }) => name);
  expect(new Set(operations.flatMap(({ operation }) => operation.tags))).toEqual(new Set(tags));
});

describe('by the rules of a linter', () => {
  type Schema = Record<string, unknown>;
  interface Whole extends Operation {
    parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
    responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
    security: Record<string, unknown>[];
  }
  const whole = () => operations.map(({ operation, path }) => ({ path, operation: operation as Whole }));
  const isSaid = (schema: Schema): boolean =>
    ['type', '$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'description'].some((key) => key in schema);

  test('each operation has an id of its own, a summary and one tag', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operations) {
      expect(operation.summary.trim()).not.toBe('');
      expect(operation.tags).toHaveLength(1);
    }
  });

  test('each operation has one answer when done, and refusals with their shape', () => {
    for (const { operation } of whole()) {
      const statuses = Object.keys(operation.responses);
      expect(statuses.filter((status) => status.startsWith('2'))).toHaveLength(1);
      for (const status of ['4XX', '5XX']) {
        const { $ref } = operation.responses[status]?.content?.['application/json']?.schema ?? {};
        expect($ref).toMatch(/Refusal$/);
      }
      for (const { description } of Object.values(operation.responses)) expect(description).not.toBe('');
    }
  });

  test('the parameters of a path are those it names, and all of them needed; each parameter has a type', () => {
    for (const { operation, path } of whole()) {
      const { parameters = [] } = operation;
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(parameters.filter((it) => it.in === 'path').map(({ name }) => name)).toEqual(named);
      expect(parameters.filter((it) => it.in === 'path' && it.required !== true)).toEqual([]);
      expect(parameters.filter(({ schema }) => typeof schema['type'] !== 'string')).toEqual([]);
      const keys = parameters.map((it) => `${it.in} ${it.name}`);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  test('each operation says its authorization, by a scheme that there is, and none is there for nothing', () => {
    const { securitySchemes } = document['components'] as { securitySchemes: Record<string, unknown> };
    const used = whole().flatMap(({ operation }) => operation.security.flatMap((each) => Object.keys(each)));
    expect(new Set(used)).toEqual(new Set(Object.keys(securitySchemes)));
  });

  test('each property has a type or is described', () => {
    const unsaid: string[] = [];
    const look = (place: string, value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { properties } = value as { properties?: Record<string, Schema> };
      for (const [name, schema] of Object.entries(properties ?? {})) {
        if (!isSaid(schema)) unsaid.push(`${place}.${name}`);
      }
      for (const [key, inner] of Object.entries(value)) look(`${place}.${key}`, inner);
    };
    look('', document['components']);
    expect(unsaid).toEqual([]);
  });
});

test('says what it is, where its services are and what its tags are about', () => {
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { title: expect.stringContaining('administration') as string, version: '1.2.3', license: { name: 'MIT' } },
  });
  expect(document['servers']).toContainEqual({ url: 'https://dsr.platform.example/v3' });
  expect(document['tags']).toContainEqual({ name: 'dsr', description: 'C. Data subject requests' });
  const url = 'https://one.example';
  const addresses = { base: url, auth: url, dsr: url, seeding: url, identity: url };
  expect(openApiDocument({ version: '1.2.3', addresses })['servers']).toEqual([{ url }]);
});

test('describes a call whole', () => {
  const [found] = operations.filter(({ operation }) => operation.operationId === 'pipelines.update');
  expect(found).toMatchObject({
    method: 'put',
    operation: {
      summary: expect.stringMatching(/^Pipelines: update/) as string,
      tags: ['pipelines'],
      security: [{ bearer: [] }],
      'x-safety': 'confirm',
      requestBody: { required: true, content: { 'application/json': { schema: {} } } },
      responses: {
        200: { description: 'Done' },
        '4XX': { description: 'Refused', content: { 'application/json': { schema: {} } } },
        '5XX': { description: 'The platform is in trouble' },
      },
    },
  });
  const [token] = operations.filter(({ operation }) => operation.operationId === 'oauth.token');
  expect(token?.operation).toMatchObject({ security: [] });
});

test('allows an id of 64 bits as a text too, and forbids no field', () => {
  const { schemas } = document['components'] as { schemas: Record<string, { properties?: Record<string, unknown> }> };
  expect(schemas['IntakeEventRequest']?.properties?.['xpid']).toEqual({ type: ['integer', 'string'] });
  expect(schemas['IntakeEventRequest']?.properties?.['environment']).toMatchObject({
    enum: ['production', 'development'],
  });
  const text = JSON.stringify(document);
  expect(text).not.toContain('"additionalProperties":false');
  expect(text).not.toContain('"$schema"');
  // What a map may hold is said, and of several types that are not all integers each.
  expect(text).toContain('"additionalProperties":{');
  expect(schemas['PipelinesCreateRequest']?.properties?.['data_plan_version']).toHaveProperty('anyOf');
});

test('says of fields that take anything whose they are', () => {
  const { schemas } = document['components'] as { schemas: Record<string, { properties?: Record<string, unknown> }> };
  const { properties } = schemas['PipelinesCreateRequest'] ?? {};
  expect(properties?.['created_on']).toEqual({ description: 'Set by the platform, ignored here' });
  expect(properties?.['errors']).toEqual({ description: 'Set by the platform, ignored here' });
  const seeding = JSON.stringify(schemas['SeedingSetRequest']);
  expect(seeding).toContain('"value":{"description":"Any value"}');
});

test('is what the command prints', async () => {
  const { code, stdout } = await runCli(['schema', 'openapi']);
  expect(code).toBe(0);
  const printed = JSON.parse(stdout) as Record<string, unknown>;
  expect(printed['paths']).toEqual(JSON.parse(JSON.stringify(document['paths'])));
});

describe('of a platform that runs', () => {
  let platform: TestEmulator;
  beforeAll(async () => {
    platform = await startTestEmulator();
  });
  afterAll(() => platform.close());

  test('is served with its own addresses', async () => {
    const { json, status } = await platform.send('GET', '/_control/openapi.json');
    expect(status).toBe(200);
    const { paths } = json as { paths: Record<string, Record<string, { servers: { url: string }[] }>> };
    expect(paths['/discovery/']?.['get']?.servers).toEqual([{ url: platform.ready.dsr_base_url }]);
    expect(paths['/oauth/token']?.['post']?.servers).toEqual([{ url: platform.ready.auth_url }]);
  });
});

describe('the check of exchanges', () => {
  const { violations } = openConformance();
  const json = { 'content-type': 'application/json' };
  const basic = { authorization: 'Basic a2V5OnNlY3JldA==' };
  const refused = { status: 404, text: '{"code":404,"message":"no","errors":[]}', headers: json };
  const nothing = { status: 404, text: '{"statusCode":404,"errors":[{"message":"Not found"}]}', headers: json };
  const read = {
    method: 'GET',
    url: '/v3/requests/a',
    headers: basic,
    body: Buffer.alloc(0),
    answer: { status: 200, text: '{"subject_request_id":"a","request_status":"pending"}', headers: json },
  };
  const event = '{"environment":"production","xpid":7,"events":[{"event_type":"custom_event","data":{}}]}';
  const sent = {
    method: 'POST',
    url: '/v2/events',
    headers: { ...basic, ...json },
    body: Buffer.from(event),
    answer: { status: 202, headers: {} },
  };
  const results = { ...read, url: '/v3/requests/a/results' };
  const lines = { status: 200, text: '{}', headers: { 'content-type': 'application/x-ndjson' } };

  test.each([
    ['an answer of another shape', { ...read, answer: { ...read.answer, text: '{"subject_request_id":7}' } }],
    ['a refusal of another shape', { ...read, answer: { ...refused, text: '{"statusCode":404,"errors":[]}' } }],
    ['an answer without its body', { ...read, answer: { status: 200 } }],
    ['an answer with a body where none is', { ...sent, answer: { status: 202, text: '{}', headers: json } }],
    ['an answer that is no JSON', { ...read, answer: { ...read.answer, text: '{' } }],
    ['an answer of another type', { ...read, answer: { ...read.answer, headers: { 'content-type': 'text/html' } } }],
    ['an answer of no type', { ...read, answer: { ...read.answer, headers: {} } }],
    ['a refusal of another type', { ...read, answer: { ...refused, headers: { 'content-type': 'text/plain' } } }],
    ['a status that no call has', { ...read, answer: { ...read.answer, status: 206 } }],
    ['a body that is accepted and should not be', { ...sent, body: Buffer.from('{"events":[]}') }],
    ['a body that is no JSON', { ...sent, body: Buffer.from('{') }],
    ['a body where none is', { ...read, body: Buffer.from('{}') }],
    ['a body of another type', { ...sent, headers: { ...basic, 'content-type': 'text/plain' } }],
    ['a body of no type', { ...sent, headers: basic }],
    ['a parameter that is not documented', { ...read, url: '/v3/requests/a?verbose=1' }],
    [
      'a parameter of another type',
      {
        ...read,
        url: '/platform/workspaces/x/groups/a',
        headers: bearer(),
        answer: {
          ...read.answer,
          text: '{"id":"a"}',
        },
      },
    ],
    ['no authorization', { ...read, headers: {} }],
    ['the authorization of other calls', { ...read, headers: bearer() }],
    ['credentials that are none', { ...sent, headers: { ...json, authorization: 'Basic key:secret' } }],
    ['a path that is not documented', { ...read, url: '/v3/everything' }],
    ['a method that is not documented', { ...sent, method: 'PATCH' }],
    [
      'a refusal of what is not documented that says that it is',
      { ...read, url: '/else', answer: { ...nothing, status: 400 } },
    ],
    ['results of another type', { ...results, answer: { ...lines, headers: json } }],
    ['results for anybody', { ...results, headers: {}, answer: lines }],
    [
      'a certificate that is none',
      {
        ...read,
        url: '/certificates/processor.pem',
        answer: {
          ...lines,
          headers: { 'content-type': 'application/x-pem-file' },
        },
      },
    ],
  ])('finds %s', (_what, seen) => {
    expect(violations(seen)).toHaveLength(1);
  });

  test('has nothing to say of what is right', () => {
    expect(violations(read)).toEqual([]);
    expect(violations(sent)).toEqual([]);
    expect(violations({ ...read, method: 'HEAD', url: '/v3/%72equests/a%2Fb' })).toEqual([]);
    expect(violations({ ...read, answer: refused })).toEqual([]);
    expect(violations({ ...results, answer: lines })).toEqual([]);
    expect(violations({ ...results, answer: { ...refused, status: 410 } })).toEqual([]);
    // Whatever was wrong with a request that was refused, refusing it was right.
    expect(violations({ ...sent, headers: {}, answer: { status: 401 } })).toEqual([]);
    for (const status of [404, 405]) {
      expect(violations({ ...read, url: '/elsewhere', answer: { ...nothing, status } })).toEqual([]);
    }
  });

  test('reads of a deployment’s own words all but the words', () => {
    const branded = { ...sent, body: Buffer.from(event.replace('production', 'live')) };
    expect(violations(branded)).toHaveLength(1);
    expect(violations(branded, true)).toEqual([]);
    expect(violations({ ...branded, url: '/v2/events?verbose=1' }, true)).toHaveLength(1);
    expect(violations({ ...branded, headers: {} }, true)).toHaveLength(2);
  });

  function bearer(): { authorization: string } {
    return { authorization: 'Bearer a.b.c' };
  }
});

test('a platform of a test that answers otherwise than is documented is not closed in peace', async () => {
  const platform = await startTestEmulator({ fixtures: undefined });
  const { status } = await platform.call('GET', `${platform.accountPath}/roles?everything=1`);
  expect(status).toBe(200);
  await expect(platform.close()).rejects.toThrow('query parameter everything: is not documented');
});
