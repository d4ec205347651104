// The OpenAPI document: valid by the official schemas, complete, and served by the platform that it describes.
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { allEndpoints } from '../../../src/lib/contract/index.ts';
import { type OpenApiDocument, openApiDocument } from '../../../src/lib/contract/openapi.ts';
import { runCli } from '../../helpers/cli.ts';
import { openConformance } from '../../helpers/conformance.ts';
import { startTestEmulator, type TestEmulator } from '../../helpers/emulator.ts';

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
      'x-safety': 'settle',
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

test('has integers of 64 bits as one type, and forbids no field', () => {
  const { schemas } = document['components'] as { schemas: Record<string, { properties?: Record<string, unknown> }> };
  expect(schemas['IntakeEventRequest']?.properties?.['xpid']).toEqual({ type: 'integer' });
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
  const base = { method: 'GET', url: '/v3/requests/a', headers: {}, body: Buffer.alloc(0) };

  test.each([
    ['an answer of another shape', { ...base, answer: { status: 200, text: '{"subject_request_id":7}' } }],
    ['a refusal of another shape', { ...base, answer: { status: 404, text: '{"statusCode":404,"errors":[]}' } }],
    ['an answer without its body', { ...base, answer: { status: 200 } }],
    ['a status that no call has', { ...base, answer: { status: 206, text: '{}' } }],
    [
      'a body that is accepted and should not be',
      { ...base, method: 'POST', url: '/v2/events', body: Buffer.from('{"events":[]}'), answer: { status: 202 } },
    ],
  ])('finds %s', (_what, seen) => {
    expect(violations(seen)).toHaveLength(1);
  });

  test('has nothing to say of what is right, nor of other paths', () => {
    const text = '{"code":404,"message":"no","errors":[]}';
    expect(violations({ ...base, answer: { status: 404, text } })).toEqual([]);
    expect(violations({ ...base, url: '/elsewhere', answer: { status: 404, text: '"?"' } })).toEqual([]);
  });
});
