// The OpenAPI document is valid according to the official schemas, complete, and served by the embedded platform.
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
  document = openApiDocument('1.2.3');
  operations = Object.entries(document['paths'] as Record<string, Record<string, Operation>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
});

test('is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toMatchObject({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('describes each endpoint in the contract exactly once', () => {
  expect(operations.map(({ method, operation, path }) => `${operation.operationId} ${method} ${path}`).sort()).toEqual(
    allEndpoints.map(({ id, method, path }) => `${id} ${method.toLowerCase()} ${path}`).sort(),
  );
});

test('refers only to schemas and tags that it defines', () => {
  const text = JSON.stringify(document);
  const { schemas } = document['components'] as { schemas: Record<string, unknown> };
  const named = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !(name in schemas))).toEqual([]);
  expect(Object.keys(schemas).filter((name) => !named.includes(name))).toEqual([]);
  const tags = (document['tags'] as { name: string }[]).map(({ name }) => name);
  expect(new Set(operations.flatMap(({ operation }) => operation.tags))).toEqual(new Set(tags));
});

describe('the OpenAPI linter rules', () => {
  type Schema = Record<string, unknown>;
  interface FullOperation extends Operation {
    parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
    responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
    security: Record<string, unknown>[];
  }
  const fullOperations = () =>
    operations.map(({ operation, path }) => ({ path, operation: operation as FullOperation }));
  const isDescribed = (schema: Schema): boolean =>
    ['type', '$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'description'].some((key) => key in schema);

  test('require a unique id, a summary and one tag per operation', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operations) {
      expect(operation.summary.trim()).not.toBe('');
      expect(operation.tags).toHaveLength(1);
    }
  });

  test('require one success response per operation, and error responses with a schema', () => {
    for (const { operation } of fullOperations()) {
      const statuses = Object.keys(operation.responses);
      expect(statuses.filter((status) => status.startsWith('2'))).toHaveLength(1);
      for (const status of statuses.filter((each) => !each.startsWith('2'))) {
        const { $ref } = operation.responses[status]?.content?.['application/json']?.schema ?? {};
        expect($ref).toMatch(/Refusal$/);
      }
      for (const { description } of Object.values(operation.responses)) expect(description).not.toBe('');
    }
  });

  test('require exactly the path parameters that a path names, and a type for every parameter', () => {
    for (const { operation, path } of fullOperations()) {
      const { parameters = [] } = operation;
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(parameters.filter((it) => it.in === 'path').map(({ name }) => name)).toEqual(named);
      expect(parameters.filter((it) => it.in === 'path' && it.required !== true)).toEqual([]);
      expect(parameters.filter(({ schema }) => typeof schema['type'] !== 'string')).toEqual([]);
      const keys = parameters.map((it) => `${it.in} ${it.name}`);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  test('require that every security scheme is both defined and used by an operation', () => {
    const { securitySchemes } = document['components'] as { securitySchemes: Record<string, unknown> };
    const used = fullOperations().flatMap(({ operation }) => operation.security.flatMap((each) => Object.keys(each)));
    expect(new Set(used)).toEqual(new Set(Object.keys(securitySchemes)));
  });

  test('require a type or a description for each property', () => {
    const undescribed: string[] = [];
    const check = (place: string, value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { properties } = value as { properties?: Record<string, Schema> };
      for (const [name, schema] of Object.entries(properties ?? {})) {
        if (!isDescribed(schema)) undescribed.push(`${place}.${name}`);
      }
      for (const [key, inner] of Object.entries(value)) check(`${place}.${key}`, inner);
    };
    check('', document['components']);
    expect(undescribed).toEqual([]);
  });
});

test('contains a title, servers and tag descriptions', () => {
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { title: expect.stringContaining('administration') as string, version: '1.2.3', license: { name: 'MIT' } },
  });
  expect(document['servers']).toContainEqual({ url: 'https://dsr.platform.example/v3' });
  expect(document['tags']).toContainEqual({ name: 'dsr', description: 'C. Data subject requests' });
  const url = 'https://one.example';
  const addresses = { base: url, auth: url, dsr: url, seeding: url, identity: url };
  expect(openApiDocument('1.2.3', addresses)['servers']).toEqual([{ url }]);
});

test('describes every part of an endpoint', () => {
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
        400: {
          description: expect.stringContaining('Invalid SQL') as string,
          content: { 'application/json': { schema: {}, example: { statusCode: 400 } } },
        },
        '5XX': { description: 'Server error' },
      },
    },
  });
  const [token] = operations.filter(({ operation }) => operation.operationId === 'oauth.token');
  expect(token?.operation).toMatchObject({ security: [] });
});

test('documents endpoints that other responses link to, and contains an example for every request body', () => {
  const { operation } = operations.find((one) => one.operation.operationId === 'dsr.results') ?? {};
  expect(Object.keys((operation as unknown as { responses: object }).responses)).toEqual(
    expect.arrayContaining(['200', '401', '404', '410']),
  );
  expect(operations.map(({ path }) => path)).toContain('/certificates/processor.pem');
  const withBody = operations.map((one) => one.operation as { requestBody?: { content: Record<string, object> } });
  for (const { requestBody } of withBody) {
    if (requestBody) expect(requestBody.content['application/json']).toHaveProperty('example');
  }
});

test('allows a 64-bit id as a string, and does not forbid any field', () => {
  const { schemas } = document['components'] as { schemas: Record<string, { properties?: Record<string, unknown> }> };
  expect(schemas['IntakeEventRequest']?.properties?.['xpid']).toEqual({ type: ['integer', 'string'] });
  expect(schemas['IntakeEventRequest']?.properties?.['environment']).toMatchObject({
    enum: ['production', 'development'],
  });
  const text = JSON.stringify(document);
  expect(text).not.toContain('"additionalProperties":false');
  expect(text).not.toContain('"$schema"');
  // The document describes the value type of a map and the members of a union.
  expect(text).toContain('"additionalProperties":{');
  expect(schemas['PipelinesCreateRequest']?.properties?.['data_plan_version']).toHaveProperty('anyOf');
});

test('gives a description to fields that accept any value', () => {
  const { schemas } = document['components'] as { schemas: Record<string, { properties?: Record<string, unknown> }> };
  const { properties } = schemas['PipelinesCreateRequest'] ?? {};
  expect(properties?.['created_on']).toEqual({ description: 'Set by the platform; ignored in requests' });
  expect(properties?.['errors']).toEqual({ description: 'Set by the platform; ignored in requests' });
  const seeding = JSON.stringify(schemas['SeedingSetRequest']);
  expect(seeding).toContain('"value":{"description":"Any value"}');
});

test('is printed by `schema openapi`', async () => {
  const { code, stdout } = await runCli(['schema', 'openapi']);
  expect(code).toBe(0);
  const printed = JSON.parse(stdout) as Record<string, unknown>;
  expect(printed['paths']).toEqual(JSON.parse(JSON.stringify(document['paths'])));
});

describe("a running platform's OpenAPI document", () => {
  let platform: TestEmulator;
  beforeAll(async () => {
    platform = await startTestEmulator();
  });
  afterAll(() => platform.close());

  test("is served with that platform's addresses", async () => {
    const { json, status } = await platform.send('GET', '/_control/openapi.json');
    expect(status).toBe(200);
    const { paths } = json as { paths: Record<string, Record<string, { servers: { url: string }[] }>> };
    expect(paths['/discovery/']?.['get']?.servers).toEqual([{ url: platform.ready.dsr_base_url }]);
    expect(paths['/oauth/token']?.['post']?.servers).toEqual([{ url: platform.ready.auth_url }]);
  });
});

describe('the conformance check', () => {
  const { violations } = openConformance();
  const json = { 'content-type': 'application/json' };
  const basic = { authorization: 'Basic a2V5OnNlY3JldA==' };
  const problem = { domain: 'subject_request', reason: 'not_found', message: 'no' };
  const refusedText = JSON.stringify({ code: 404, message: 'no', errors: [problem] });
  const rejected = { status: 404, text: refusedText, headers: json };
  const notFound = { status: 404, text: '{"statusCode":404,"errors":[{"message":"Not found"}]}', headers: json };
  const read = {
    method: 'GET',
    url: '/v3/requests/a',
    headers: basic,
    body: Buffer.alloc(0),
    answer: {
      status: 200,
      text: JSON.stringify({
        controller_id: '3001',
        expected_completion_time: '2026-01-31T08:00:00Z',
        subject_request_id: 'a',
        group_id: null,
        request_status: 'pending',
        api_version: '3.0',
        results_url: null,
        extensions: null,
      }),
      headers: json,
    },
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
    ['a response of a different shape', { ...read, answer: { ...read.answer, text: '{"subject_request_id":7}' } }],
    ['a rejection of a different shape', { ...read, answer: { ...rejected, text: '{"statusCode":404,"errors":[]}' } }],
    ['a response without its body', { ...read, answer: { status: 200 } }],
    ['a response with an undocumented body', { ...sent, answer: { status: 202, text: '{}', headers: json } }],
    ['a response that is not JSON', { ...read, answer: { ...read.answer, text: '{' } }],
    [
      'a response with another media type',
      { ...read, answer: { ...read.answer, headers: { 'content-type': 'text/html' } } },
    ],
    ['a response without a media type', { ...read, answer: { ...read.answer, headers: {} } }],
    [
      'a rejection with another media type',
      { ...read, answer: { ...rejected, headers: { 'content-type': 'text/plain' } } },
    ],
    ['an undocumented status', { ...read, answer: { ...read.answer, status: 206 } }],
    ['an invalid request body that is accepted', { ...sent, body: Buffer.from('{"events":[]}') }],
    ['a request body that is not JSON', { ...sent, body: Buffer.from('{') }],
    ['an undocumented request body', { ...read, body: Buffer.from('{}') }],
    ['a request body of a different media type', { ...sent, headers: { ...basic, 'content-type': 'text/plain' } }],
    ['a request body without a media type', { ...sent, headers: basic }],
    ['an undocumented parameter', { ...read, url: '/v3/requests/a?verbose=1' }],
    [
      'a parameter of another type',
      {
        ...read,
        url: '/platform/workspaces/x/groups/a',
        headers: bearer(),
        answer: {
          ...read.answer,
          text: JSON.stringify({
            id: 'a',
            description: '',
            source_user_attribute: 'b',
            attributes: [],
            created_on: '2026-01-31T08:00:00.000Z',
            created_by: 'a@platform.example',
            last_modified_on: null,
            last_modified_by: null,
          }),
        },
      },
    ],
    ['missing authorization', { ...read, headers: {} }],
    ['the authorization of other endpoints', { ...read, headers: bearer() }],
    ['malformed credentials', { ...sent, headers: { ...json, authorization: 'Basic key:secret' } }],
    ['an undocumented path', { ...read, url: '/v3/everything' }],
    ['an undocumented method', { ...sent, method: 'PATCH' }],
    [
      'a status other than 404 or 405 for an undocumented path',
      { ...read, url: '/else', answer: { ...notFound, status: 400 } },
    ],
    ['results of a different media type', { ...results, answer: { ...lines, headers: json } }],
    ['results without authorization', { ...results, headers: {}, answer: lines }],
    [
      'an invalid certificate',
      {
        ...read,
        url: '/certificates/processor.pem',
        answer: {
          ...lines,
          headers: { 'content-type': 'application/x-pem-file' },
        },
      },
    ],
  ])('reports %s', (_what, seen) => {
    expect(violations(seen)).toHaveLength(1);
  });

  test('reports nothing for a conforming exchange', () => {
    expect(violations(read)).toEqual([]);
    expect(violations(sent)).toEqual([]);
    expect(violations({ ...read, method: 'HEAD', url: '/v3/%72equests/a%2Fb' })).toEqual([]);
    expect(violations({ ...read, answer: rejected })).toEqual([]);
    expect(violations({ ...results, answer: lines })).toEqual([]);
    expect(violations({ ...results, answer: { ...rejected, status: 410 } })).toEqual([]);
    // A platform that rejects an invalid request conforms to the document.
    expect(violations({ ...sent, headers: {}, answer: { status: 401 } })).toEqual([]);
    for (const status of [404, 405]) {
      expect(violations({ ...read, url: '/elsewhere', answer: { ...notFound, status } })).toEqual([]);
    }
  });

  test("accepts a deployment's own names if it has any, but still reports all other violations", () => {
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

test('makes a test fail if its platform sent an undocumented response before it closed', async () => {
  const platform = await startTestEmulator({ fixtures: undefined });
  const { status } = await platform.call('GET', `${platform.accountPath}/roles?everything=1`);
  expect(status).toBe(200);
  await expect(platform.close()).rejects.toThrow('query parameter everything: is not documented');
});
