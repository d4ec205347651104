// Every error body that was seen or specified becomes its sentences; every refusal says what to do.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { oauthEndpoints } from '../../../src/lib/contract/oauth.ts';
import { rolesEndpoints } from '../../../src/lib/contract/roles.ts';
import { outcomeUnknown, refusal, unreadable } from '../../../src/lib/http/failure.ts';
import { CliError } from '../../../src/lib/kernel/errors.ts';
import { answer, type FaultServer, json, startFaultServer } from '../../helpers/fault-server.ts';
import { answered, ended } from './calls.ts';
import { getNumber, getThing, putThing, seedThings, triggerThing } from './endpoints.ts';
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

describe('what a refusal says', () => {
  const NEVER = undefined;
  const bearer = ended();
  const ready = ended(getThing, true);
  const basic = ended(getNumber);
  const seeding = ended(seedThings);
  const token = ended(oauthEndpoints.token);
  test.each<[number, typeof bearer, string, string, number, string | undefined]>([
    [400, bearer, 'http.bad_request', 'The platform refused the request', 1, NEVER],
    [401, bearer, 'http.unauthorized', 'The platform does not accept the credentials', 4, 'fresh token'],
    [401, ready, 'http.unauthorized', 'The platform does not accept the credentials', 4, 'CDPADM_ACCESS_TOKEN'],
    [401, basic, 'http.unauthorized', 'The platform does not accept the credentials', 4, 'CDPADM_WORKSPACE_KEY'],
    [401, seeding, 'http.unauthorized', 'The platform does not accept the credentials', 4, 'CDPADM_WORKSPACE_KEY'],
    [401, token, 'auth.client_refused', 'The token service does not accept the client id', 4, 'CDPADM_CLIENT_ID'],
    [403, token, 'auth.audience_refused', 'The token service gives no token', 4, 'CDPADM_AUDIENCE'],
    [403, bearer, 'http.forbidden', 'The credentials do not allow this', 4, 'custom roles permission'],
    [403, basic, 'http.forbidden', 'The credentials do not allow this', 4, 'workspace key'],
    [404, bearer, 'http.not_found', 'The platform does not find it', 5, 'profile show --origin'],
    [409, bearer, 'http.conflict', 'It is in conflict with what is there', 6, NEVER],
    [410, bearer, 'http.gone', 'It is no longer there', 5, NEVER],
    [413, bearer, 'http.too_large', 'The platform refused the request', 1, NEVER],
    [418, token, 'http.refused', 'The platform refused the request', 1, NEVER],
    [422, bearer, 'http.unprocessable', 'The platform refused the request', 1, NEVER],
    [429, bearer, 'http.rate_limited', 'Too many requests', 7, 'Wait a minute'],
    [500, bearer, 'http.unavailable', 'The platform is in trouble', 7, '--retries N'],
    [501, bearer, 'http.refused', 'The platform refused the request', 1, NEVER],
    [505, bearer, 'http.warehouse_unreachable', 'The platform could not connect to the warehouse', 1, 'the connection'],
    [299, bearer, 'http.refused', 'The platform refused the request', 1, NEVER],
  ])('%d', (status, call, code, subject, exit, hint) => {
    const error = refusal(call, answered('', { status }));
    expect(error).toMatchObject({ code, exit, status, request: call.request, details: undefined });
    expect(error.message.startsWith(subject)).toBe(true);
    expect(error.message.endsWith(` (${status}).`)).toBe(true);
    if (hint === undefined) expect(error.hint).toBeUndefined();
    else expect(error.hint).toContain(hint);
  });

  test('what the platform said follows, without secrets and with one full stop', () => {
    const body = { message: 'No hunter2.', errors: [{ message: 'Not hunter2.', code: 7 }] };
    const error = refusal(bearer, answered(JSON.stringify(body), { status: 400 }));
    expect(error.message).toBe('The platform refused the request (400): No ***.; Not ***.');
    expect(error.details).toEqual({ errors: [{ message: 'Not ***.', code: 7 }] });
  });

  test('which limit was hit follows what was said, where it was one', () => {
    const headers = { age: '1', 'x-vendor-rate-limit-exceeded': 'hunter2-a-minute', 'x-rate-limit-exceeded-x': 'no' };
    const text = 'Slow down.';
    expect(refusal(bearer, answered(text, { status: 429, headers })).message).toBe(
      'Too many requests (429): Slow down; x-vendor-rate-limit-exceeded: ***-a-minute.',
    );
    expect(refusal(bearer, answered('', { status: 429, headers })).message).toBe(
      'Too many requests (429): x-vendor-rate-limit-exceeded: ***-a-minute.',
    );
    expect(refusal(bearer, answered('', { status: 400, headers })).message).not.toContain('limit');
  });

  test.each([
    ['https://hunter2.example/login', ' to https://***.example', 'If https://***.example is the platform'],
    ['/login', ' to https://api.example', 'Check the configured addresses'],
    ['', ' to https://api.example', 'Check the configured addresses'],
    ['http://[', '', 'Check the configured addresses'],
  ])('a redirect to %j', (location, target, hint) => {
    for (const status of [300, 399]) {
      const error = refusal(bearer, answered('', { status, headers: { location } }));
      expect(error).toMatchObject({ code: 'http.redirect', exit: 1, status, request: bearer.request });
      expect(error.message).toBe(`The platform answered with a redirect (${status})${target}, which is not followed.`);
      expect(error.hint).toContain(hint);
    }
  });
});

describe('an answer that cannot be read', () => {
  const START = 'Unreadable answer: what GET /v3/things/a answered ';
  test.each([
    ['<html><title> Sign in, hunter2 </title>', 'is a web page ("Sign in, ***"), not JSON.', 'login page'],
    ['<html>', 'is a web page, not JSON.', 'login page'],
    ['{', 'is half, ***.', '--trace-file FILE'],
  ])('%j', (text, words, hint) => {
    const error = unreadable(ended(), answered(text, { status: 202 }), 'is half, hunter2');
    expect(error).toMatchObject({ code: 'http.unreadable', exit: 1, status: 202, message: START + words });
    expect(error.hint).toContain(hint);
    expect(error.hint).toContain('https://api.example');
  });
});

describe('an outcome that nobody knows', () => {
  const cause = new CliError({ code: 'network.reset', message: 'The connection was closed.', exit: 8 });

  test('says what happened, what was not done and what to do', () => {
    const error = outcomeUnknown(ended(putThing), cause);
    expect(error).toMatchObject({
      name: 'OutcomeUnknownError',
      code: 'http.outcome_unknown',
      exit: 8,
      status: undefined,
      details: { cause: 'network.reset' },
      cause,
      message: 'It is not known whether PUT /v3/things/a was carried out: the connection was closed.',
      request: ended(putThing).request,
    });
    expect(error.hint).toContain('not sent a second time');
  });

  test('keeps the status, and the exit code of an interruption alone', () => {
    const stopped = new CliError({ code: 'interrupted', message: 'Terminated.', exit: 143, status: 200 });
    expect(outcomeUnknown(ended(putThing), stopped)).toMatchObject({ exit: 143, status: 200 });
    const refused = new CliError({ code: 'http.unavailable', message: 'Trouble.', exit: 7, status: 500 });
    expect(outcomeUnknown(ended(putThing), refused)).toMatchObject({ exit: 8, status: 500 });
  });
});
