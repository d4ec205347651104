// The access token is requested once, shared by all processes, and renewed before it expires and once after a 401.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { HttpOptions } from '../../../../src/lib/http/types.ts';
import { createTestClock } from '../../../helpers/clock.ts';
import { type FaultServer, json, type ReceivedRequest, startFaultServer } from '../../../helpers/fault-server.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { opened } from '../../../helpers/opened.ts';
import { getThing, seedThings, triggerThing } from './endpoints.ts';
import { SECRETS, testClient, withoutToken } from './setup.ts';

const HOUR = 3_600_000;
const params = { thingId: 'a' };

let server: FaultServer;
/** Tokens that the platform accepts, or undefined if it accepts all tokens. */
let accepted: string[] | undefined;
let issued: number;
let tokenAnswer: { status: number; body?: unknown } | undefined;
let lifetime: number;

beforeEach(async () => {
  server = await opened(startFaultServer());
  accepted = undefined;
  issued = 0;
  tokenAnswer = undefined;
  lifetime = 28_800;
  server.otherwise((socket, request) => {
    const answer = isTokenRequest(request)
      ? tokenAnswer
        ? json(tokenAnswer.body ?? {}, { status: tokenAnswer.status })
        : json({ access_token: `token-number-${++issued}`, expires_in: lifetime, token_type: 'Bearer' })
      : accepted === undefined || accepted.some((token) => request.headers['authorization'] === `Bearer ${token}`)
        ? json({ id: 'a' })
        : json({ errors: [{ message: 'Unauthorized' }] }, { status: 401 });
    answer(socket, request);
  });
});

const isTokenRequest = (request: ReceivedRequest): boolean => request.target === '/oauth/token';
const tokenRequests = (): ReceivedRequest[] => server.requests.filter(isTokenRequest);
const bearers = (): (string | undefined)[] =>
  server.requests.filter((request) => !isTokenRequest(request)).map((request) => request.headers['authorization']);
const client = (overrides: Parameters<typeof testClient>[1] = {}) =>
  testClient(server.url, { credentials: withoutToken(), ...overrides });

function cacheFile(folder: string): string {
  const name = readdirSync(join(folder, 'tokens')).find((file) => file.endsWith('.json'));
  if (name === undefined) throw new Error('no cached token');
  return join(folder, 'tokens', name);
}

test('requests one new token with `freshToken`, and shares it with other clients', async () => {
  const http = client();
  await http.call(getThing, { params });
  const fresh = client({ folder: http.folder, freshToken: true });
  await fresh.call(getThing, { params });
  await fresh.call(getThing, { params });
  await client({ folder: http.folder }).call(getThing, { params });
  expect(bearers()).toEqual([1, 2, 2, 2].map((number) => `Bearer token-number-${number}`));
});

test('sends the request as specified, and caches the token in a private file for all processes', async () => {
  const http = client();
  await http.call(getThing, { params });
  await http.call(getThing, { params });
  await client({ folder: http.folder }).call(getThing, { params });
  expect(tokenRequests()).toHaveLength(1);
  expect(tokenRequests()[0]).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
  expect(JSON.parse(tokenRequests()[0]?.body ?? '')).toEqual({
    client_id: 'client-1',
    client_secret: SECRETS.clientSecret,
    audience: server.url,
    grant_type: 'client_credentials',
  });
  expect(tokenRequests()[0]?.headers).not.toHaveProperty('authorization');
  expect(bearers()).toEqual(Array(3).fill('Bearer token-number-1'));
  expect(statSync(cacheFile(http.folder)).mode & 0o777).toBe(0o600);
  expect(statSync(join(http.folder, 'tokens')).mode & 0o777).toBe(0o700);
  expect(readFileSync(cacheFile(http.folder), 'utf8')).not.toContain(SECRETS.clientSecret);
});

test('does not resolve the secret if a token is cached, because resolving it can require a prompt or a command', async () => {
  const { folder, call } = client();
  await call(getThing, { params });
  let resolved = 0;
  const clientSecret = async (): Promise<string> => {
    resolved++;
    return SECRETS.clientSecret;
  };
  const credentials = { ...withoutToken(), bearer: async () => ({ clientId: 'client-1', clientSecret }) };
  await client({ folder, credentials }).call(getThing, { params });
  expect(resolved).toBe(0);
  accepted = ['token-number-2'];
  await client({ folder, credentials }).call(getThing, { params });
  expect(resolved).toBe(1);
});

test('caches a token per client, audience and address', async () => {
  const { folder, call } = client();
  await call(getThing, { params });
  const others: Partial<HttpOptions>[] = [
    { audience: () => 'https://other.example' },
    { address: () => server.url.replace('127.0.0.1', 'localhost'), audience: () => server.url },
    {
      credentials: {
        ...withoutToken(),
        bearer: async () => ({ clientId: 'client-2', clientSecret: async () => SECRETS.clientSecret }),
      },
    },
  ];
  for (const other of others) await client({ folder, ...other }).call(getThing, { params });
  expect(tokenRequests()).toHaveLength(4);
  // An address with a trailing slash counts as the same address.
  const slashed = { address: () => `${server.url}/`, audience: () => server.url };
  await client({ folder, ...slashed }).call(getThing, { params });
  expect(tokenRequests()).toHaveLength(4);
});

test('sends one token request for ten concurrent clients', async () => {
  const { folder } = client();
  const clients = Array.from({ length: 10 }, () => client({ folder }));
  await Promise.all(clients.map((http) => http.call(getThing, { params })));
  expect(tokenRequests()).toHaveLength(1);
  expect(bearers()).toEqual(Array(10).fill('Bearer token-number-1'));
});

describe('token renewal', () => {
  test.each([
    ['five minutes before expiry', 28_800, 8 * HOUR - 300_000],
    ['at half of a short lifetime', 60, 30_000],
  ])('happens %s', async (_name, seconds, age) => {
    lifetime = seconds;
    const http = client();
    await http.call(getThing, { params });
    http.clock.advance(age - 1000);
    await http.call(getThing, { params });
    expect(tokenRequests()).toHaveLength(1);
    http.clock.advance(1001);
    await http.call(getThing, { params });
    expect(tokenRequests()).toHaveLength(2);
    expect(bearers().at(-1)).toBe('Bearer token-number-2');
  });

  test('happens if the clock was set back, because the remaining lifetime is unknown', async () => {
    const http = client();
    await http.call(getThing, { params });
    http.clock.set(-HOUR);
    for (let call = 0; call < 2; call++) await http.call(getThing, { params });
    expect(bearers().slice(1)).toEqual(['Bearer token-number-2', 'Bearer token-number-2']);
    http.clock.set(9 * HOUR);
    await http.call(getThing, { params });
    expect(tokenRequests()).toHaveLength(3);
  });

  test.each(['a read', 'a trigger'])('reports an outage of the token service after a 401 for %s', async (what) => {
    const http = client();
    await http.call(getThing, { params });
    accepted = [];
    tokenAnswer = { status: 503 };
    const call = what === 'a read' ? http.call(getThing, { params }) : http.call(triggerThing, { body: { id: 'a' } });
    expect(await failureOf(call)).toMatchObject({ code: 'http.unavailable', status: 503 });
    expect(bearers()).toHaveLength(2);
    accepted = ['token-number-2'];
    tokenAnswer = undefined;
    await http.call(getThing, { params });
    expect(bearers().at(-1)).toBe('Bearer token-number-2');
  });

  test('happens after a 401, and any call is then retried once', async () => {
    const http = client();
    await http.call(getThing, { params });
    accepted = ['token-number-2'];
    await expect(http.call(triggerThing, { body: { id: 'a' } })).resolves.toEqual({ id: 'a' });
    expect(bearers().slice(1)).toEqual(['Bearer token-number-1', 'Bearer token-number-2']);
    expect(tokenRequests()).toHaveLength(2);
  });

  test('does not happen again after a second 401', async () => {
    accepted = [];
    const http = client();
    const error = await failureOf(http.call(getThing, { params }));
    expect(error).toMatchObject({ code: 'http.unauthorized', status: 401 });
    expect(error).toMatchObject({ hint: expect.stringContaining('A new token was rejected') as string });
    expect(bearers()).toHaveLength(2);
    expect(tokenRequests()).toHaveLength(2);
  });

  test('is not needed if another process has cached a newer token', async () => {
    const { folder, call } = client();
    await call(getThing, { params });
    accepted = ['newer-token'];
    const cached = JSON.parse(readFileSync(cacheFile(folder), 'utf8')) as object;
    writeFileSync(cacheFile(folder), JSON.stringify({ ...cached, access_token: 'newer-token' }));
    await call(getThing, { params });
    expect(bearers().slice(1)).toEqual(['Bearer token-number-1', 'Bearer newer-token']);
    expect(tokenRequests()).toHaveLength(1);
  });

  test('happens once for ten clients with a rejected token', async () => {
    const { folder, call } = client();
    await call(getThing, { params });
    accepted = ['token-number-2'];
    const clients = Array.from({ length: 10 }, () => client({ folder }));
    await Promise.all(clients.map((http) => http.call(getThing, { params })));
    expect(tokenRequests()).toHaveLength(2);
  });
});

describe('a damaged cache', () => {
  const cached = (parts: object): string =>
    JSON.stringify({ access_token: 'x', obtained_at: 0, expires_at: Number.MAX_SAFE_INTEGER, ...parts });
  test.each([
    '',
    '{"access_token":',
    'null',
    '7',
    '[]',
    cached({ access_token: 7 }),
    cached({ access_token: undefined }),
    cached({ obtained_at: null }),
    cached({ expires_at: 'never' }),
  ])('is replaced: %j', async (content) => {
    const { folder, call } = client();
    await call(getThing, { params });
    writeFileSync(cacheFile(folder), content);
    await client({ folder }).call(getThing, { params });
    expect(tokenRequests()).toHaveLength(2);
    expect(JSON.parse(readFileSync(cacheFile(folder), 'utf8'))).toMatchObject({ access_token: 'token-number-2' });
  });
});

describe('token service errors', () => {
  test.each([
    [401, 'auth.client_refused', 'client id or the client secret'],
    [403, 'auth.audience_refused', 'audience'],
    [400, 'http.bad_request', 'rejected the request'],
    [429, 'http.rate_limited', 'Too many requests'],
    [503, 'http.unavailable', 'server error'],
  ])('report status %d', async (status, code, words) => {
    tokenAnswer = { status, body: { error: 'access_denied', error_description: 'Not you' } };
    const error = await failureOf(client().call(getThing, { params }));
    expect(error).toMatchObject({ code, status, request: { method: 'POST', path: '/oauth/token' } });
    expect(error.message).toContain(words);
    expect(error.message).toContain('Not you');
    expect(bearers()).toEqual([]);
  });

  test('report a response without a token as unreadable', async () => {
    tokenAnswer = { status: 200, body: { token: 'x' } };
    expect(await failureOf(client().call(getThing, { params }))).toMatchObject({ code: 'http.unreadable' });
  });

  test('report a token that cannot be sent in a header', async () => {
    tokenAnswer = { status: 200, body: { access_token: 'a\r\nb: c', expires_in: 60, token_type: 'Bearer' } };
    expect(await failureOf(client().call(getThing, { params }))).toMatchObject({
      code: 'auth.malformed_token',
    });
  });
});

describe('a failed token request', () => {
  const WAITING = 6;
  const failures = (calls: Promise<unknown>[]) => Promise.all(calls.map(failureOf));

  test('is reported to every call that is waiting for it', async () => {
    tokenAnswer = { status: 503 };
    const http = client();
    const errors = await failures(Array.from({ length: WAITING }, () => http.call(getThing, { params })));
    expect(tokenRequests()).toHaveLength(5);
    for (const error of errors) expect(error).toMatchObject({ code: 'http.unavailable', status: 503 });
    tokenAnswer = undefined;
    await expect(http.call(getThing, { params })).resolves.toEqual({ id: 'a' });
  });

  test('is reported to every process that is waiting for it, but not to later processes', async () => {
    tokenAnswer = { status: 503 };
    const { clock, folder } = client();
    const processes = Array.from({ length: WAITING }, () => client({ clock, folder }));
    const errors = await failures(processes.map((http) => http.call(getThing, { params })));
    expect(tokenRequests()).toHaveLength(5);
    expect(new Set(errors.map(({ message }) => message)).size).toBe(1);
    clock.advance(1);
    await failures([client({ clock, folder }).call(getThing, { params })]);
    expect(tokenRequests()).toHaveLength(10);
  });

  test('is not reported to other processes if the secret was rejected, because they might use a different secret', async () => {
    tokenAnswer = { status: 401 };
    const { clock, folder } = client();
    const processes = Array.from({ length: 3 }, () => client({ clock, folder }));
    await failures(processes.map((http) => http.call(getThing, { params })));
    expect(tokenRequests()).toHaveLength(3);
  });
});

test('keeps a token request running for the remaining calls when one call is aborted', async () => {
  const stop = new AbortController();
  let answer = (): void => undefined;
  server.next((socket, request) => {
    answer = () => json({ access_token: 'token-1', expires_in: 60, token_type: 'Bearer' })(socket, request);
    stop.abort(new Error('enough'));
  });
  const http = client();
  const stopped = failureOf(http.call(getThing, { params, signal: stop.signal }));
  const waiting = http.call(getThing, { params });
  expect((await stopped).message).toBe('enough');
  answer();
  await expect(waiting).resolves.toEqual({ id: 'a' });
  expect(tokenRequests()).toHaveLength(1);
});

describe('a token from the environment', () => {
  test('is used unchanged and never renewed', async () => {
    accepted = [];
    const http = testClient(server.url);
    const error = await failureOf(http.call(getThing, { params }));
    expect(error).toMatchObject({
      code: 'http.unauthorized',
      hint: expect.stringContaining('CDPADM_ACCESS_TOKEN') as string,
    });
    expect(bearers()).toEqual([`Bearer ${SECRETS.accessToken}`]);
    expect(tokenRequests()).toEqual([]);
    expect(existsSync(join(http.folder, 'tokens'))).toBe(false);
  });

  test('is rejected with a hint if it ends in a line break', async () => {
    const credentials = { ...withoutToken(), accessToken: async () => 'abcdef\n' };
    expect(await failureOf(client({ credentials }).call(getThing, { params }))).toMatchObject({
      code: 'auth.malformed_token',
      hint: expect.stringContaining('line break') as string,
    });
    expect(server.connections).toBe(0);
  });
});

test('fetches the token for the next call in `prepare`', async () => {
  const http = client();
  await http.prepare(getThing);
  expect(tokenRequests()).toHaveLength(1);
  await http.call(getThing, { params });
  expect(tokenRequests()).toHaveLength(1);
});

test('neither uses nor renews a token for calls with workspace credentials', async () => {
  accepted = [];
  const error = await failureOf(client().call(seedThings, { body: { xpid: 1 } }));
  expect(error).toMatchObject({
    code: 'http.unauthorized',
    hint: expect.stringContaining('CDPADM_WORKSPACE_KEY') as string,
  });
  expect(server.requests).toHaveLength(1);
});

test("stops waiting for another process's token request when it is aborted", async () => {
  const { folder } = client();
  const stop = new AbortController();
  server.next(() => stop.abort(new Error('enough')));
  const clock = createTestClock();
  const calls = [1, 2].map(() => {
    const http = client({ folder, clock, signal: stop.signal });
    return failureOf(http.call(getThing, { params }));
  });
  expect((await Promise.all(calls)).map((error) => error.message)).toEqual(['enough', 'enough']);
  await expect(client({ folder }).call(getThing, { params })).resolves.toEqual({ id: 'a' });
});
