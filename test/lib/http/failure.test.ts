// Every error body that was seen or specified becomes its sentences; every refusal says what to do.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rolesEndpoints } from '../../../src/lib/contract/roles.ts';
import type { CliError } from '../../../src/lib/kernel/errors.ts';
import { answer, type FaultServer, json, startFaultServer } from '../../helpers/fault-server.ts';
import { getThing, seedThings, triggerThing } from './endpoints.ts';
import { closeClients, failureOf, testClient } from './setup.ts';

let server: FaultServer;
beforeEach(async () => {
  server = await startFaultServer();
});
afterEach(async () => {
  await closeClients();
  await server.close();
});

async function refusalBy(parts: Parameters<typeof answer>[0]): Promise<CliError> {
  server.otherwise(answer({ status: 400, ...parts }));
  return (await failureOf(testClient(server.url).call(getThing, { params: { thingId: 'a' } }))) as CliError;
}

describe('envelopes', () => {
  const START = 'The platform refused the request (400)';
  test.each([
    [
      'a list of messages',
      { errors: [{ message: 'Tasks not found' }, { message: 'Too long' }] },
      ': Tasks not found; Too long.',
    ],
    [
      'a list with codes',
      { errors: [{ code: 'BAD_REQUEST', message: 'age: must be a number' }] },
      ': age: must be a number.',
    ],
    [
      'a message above a list',
      { code: 400, message: 'invalid data', errors: [{ domain: 'd', reason: 'r', message: 'bad id' }] },
      ': invalid data; bad id.',
    ],
    ['the same said twice', { message: 'invalid data', errors: [{ message: 'invalid data' }] }, ': invalid data.'],
    ['an error object', { error: { code: 7, message: 'no such thing' } }, ': no such thing.'],
    ['an error object with a list', { error: { errors: [{ message: 'inner' }] } }, ': inner.'],
    [
      'an error and its description',
      { error: 'invalid_request', error_description: 'Field is missing' },
      ': Field is missing.',
    ],
    ['an error word alone', { error: 'invalid_request' }, ': invalid_request.'],
    [
      'a status and a list',
      { statusCode: 400, errors: [{ message: 'Pipeline is not idle' }] },
      ': Pipeline is not idle.',
    ],
    ['a list of texts', { errors: ['one', 'two'] }, ': one; two.'],
    ['a reason without a message', { errors: [{ reason: 'duplicate' }] }, ': duplicate.'],
    ['a text', 'just a text', ': just a text.'],
    ['nulls', { message: null, errors: null }, '.'],
    ['nothing that is known', { foo: 1 }, '.'],
    ['a list', [1], '.'],
  ])('%s', async (_name, body, expected) => {
    expect((await refusalBy({ body: JSON.stringify(body) })).message).toBe(START + expected);
  });

  test.each([
    ['plain text', 'text/plain', 'Bad gateway: no upstream\n', ': Bad gateway: no upstream.'],
    [
      'a web page',
      'text/html',
      '<html><head><title>400 Bad\nRequest</title></head><body><h1>x</h1></body></html>',
      ': 400 Bad Request.',
    ],
    ['a web page without a title', 'text/html', '<html></html>', '.'],
    ['nothing', 'application/json', '', '.'],
    ['broken JSON', 'application/json', '{"errors":[', ': {"errors":[.'],
  ])('%s', async (_name, type, body, expected) => {
    expect((await refusalBy({ headers: { 'content-type': type }, body })).message).toBe(START + expected);
  });

  test('a page of text is cut', async () => {
    expect((await refusalBy({ body: 'x'.repeat(100_000) })).message.length).toBeLessThan(600);
  });

  test('what the entries say besides is kept for programs', async () => {
    const errors = [
      { domain: 'dsr', reason: 'invalid', message: 'bad id' },
      { code: 'BAD', message: 'x' },
    ];
    expect((await refusalBy({ body: JSON.stringify({ errors }) })).details).toEqual({ errors });
  });

  test('`__proto__` in an error body touches nothing', async () => {
    await refusalBy({ body: '{"__proto__":{"polluted":1},"errors":[{"__proto__":{"polluted":1}}]}' });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

test('an error holds the request’s id as it was sent, its method and its path without the query', async () => {
  server.otherwise(json({}, { status: 404 }));
  const call = testClient(`${server.url}/api`).call(getThing, {
    params: { thingId: 'a b' },
    query: { filter: 'x@y.example' },
  });
  const error = (await failureOf(call)) as CliError;
  const id = server.requests[0]?.headers['x-request-id'];
  expect(error.request).toEqual({ id, method: 'GET', path: '/api/things/a%20b' });
});

test('all attempts of a call have one id, and two calls have two', async () => {
  server.next(json({}, { status: 500 }));
  server.otherwise(json({ id: 'a' }));
  const http = testClient(server.url);
  await http.call(getThing, { params: { thingId: 'a' } });
  await http.call(getThing, { params: { thingId: 'a' } });
  const ids = server.requests.map((request) => request.headers['x-request-id']);
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
});

test.each([
  [401, 'expired'],
  [403, 'permission'],
  [404, 'ids'],
  [429, 'Wait a minute'],
  [503, 'later'],
  [505, 'the platform itself is well'],
])('%d says what to do', async (status, words) => {
  server.otherwise(json({}, { status }));
  const http = testClient(server.url, { retries: 0 });
  expect(((await failureOf(http.call(getThing, { params: { thingId: 'a' } }))) as CliError).hint).toContain(words);
});

test('a redirect without a usable target, and one on the same address', async () => {
  for (const location of ['', 'http://[', '/login']) {
    const error = await refusalBy({ status: 302, headers: { location } });
    expect(error).toMatchObject({
      code: 'http.redirect',
      hint: expect.stringContaining('Check the configured addresses') as string,
    });
  }
});

test('retries are told as they happen', async () => {
  server.next(json({}, { status: 503, headers: { 'retry-after': '3600' } }));
  server.otherwise(json({ id: 'a' }));
  const http = testClient(server.url);
  await http.call(getThing, { params: { thingId: 'a' } });
  expect(http.decisions).toEqual(['GET /things/a: answered 503; sending it again in 1h (attempt 2 of 5)']);
});

test('a wait that nobody will live to see is honoured until the signal ends it', async () => {
  server.otherwise(json({}, { status: 429, headers: { 'retry-after': '9'.repeat(30) } }));
  const stop = new AbortController();
  const http = testClient(server.url, {
    onDecision: () => {
      stop.abort(new Error('enough'));
    },
  });
  const call = http.call(triggerThing, { body: { id: 'a' }, signal: stop.signal });
  expect((await failureOf(call)).message).toBe('enough');
  expect(server.requests).toHaveLength(1);
});

test('a write of the roles whose answer is a page of a proxy leaves its outcome open', async () => {
  server.otherwise(answer({ headers: { 'content-type': 'text/html' }, body: '<html><title>Welcome</title></html>' }));
  const http = testClient(server.url);
  const error = await failureOf(
    http.call(rolesEndpoints.replace, { params: { orgId: 1, accountId: 2 }, body: { roles: [] } }),
  );
  expect(error.message).toMatch(
    /^It is not known whether PUT .* was carried out: unreadable answer: .*web page \("Welcome"\)/,
  );
});

test('an accepted request whose answer has no meaning for us is accepted', async () => {
  server.otherwise(answer({ status: 202, body: 'thanks!' }));
  await expect(testClient(server.url).call(seedThings, { body: { xpid: 1 } })).resolves.toBeUndefined();
});
