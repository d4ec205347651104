// The token request and the three kinds of credentials on the embedded platform.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Auth } from '../../../../src/lib/contract/endpoint.ts';
import { authenticate, createDirectory } from '../../../../src/lib/emulator/platform/auth.ts';
import { readFixtures } from '../../../../src/lib/emulator/fixtures/document.ts';
import { basicAuth, startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator({ clock: 'manual' });
});
afterAll(() => emulator.close());

const valid = () => ({
  client_id: emulator.ready.client_id,
  client_secret: emulator.ready.client_secret,
  audience: emulator.ready.base_url,
  grant_type: 'client_credentials',
});
const ask = (body: unknown, headers: Record<string, string> = {}) =>
  emulator.send('POST', '/oauth/token', { body, headers });

describe('the token request', () => {
  test('returns an opaque bearer token, different each time and valid for eight hours', async () => {
    const [first, second] = [await ask(valid()), await ask(valid())];
    expect(first.status).toBe(200);
    expect(first.json).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/) as string,
      expires_in: 28_800,
      token_type: 'Bearer',
    });
    expect(first.text).not.toBe(second.text);
  });

  test.each([
    ['its address with a trailing slash', () => `${emulator.url}/`, {}],
    ['the name in the Host header', () => 'http://localhost:81', { host: 'localhost:81' }],
    ['its own address with any Host', () => emulator.url, { host: 'localhost' }],
  ])('accepts %s as the audience', async (_what, audience, headers) => {
    expect((await ask({ ...valid(), audience: audience() }, headers)).status).toBe(200);
  });

  test.each([
    ['client_id is missing', { client_id: undefined }],
    ['client_secret is empty', { client_secret: '' }],
    ['audience is missing', { audience: undefined }],
    ['grant_type must be `client_credentials`', { grant_type: 'password' }],
    ['client_id must be a string, not a number; put it in quotes', { client_id: 5 }],
  ])('returns 400 with the reason: %s', async (message, change) => {
    const reply = await ask({ ...valid(), ...change });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(JSON.stringify(message).slice(1, -1));
  });

  test('returns 400 for invalid JSON and for a different content type', async () => {
    expect((await ask('{')).status).toBe(400);
    expect((await ask(valid(), { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(400);
    expect((await ask(valid(), { 'content-type': 'application/json; charset=utf-8' })).status).toBe(200);
  });

  test.each([
    [401, 'an invalid secret', { client_secret: 'wrong' }],
    [401, 'an unknown client', { client_id: 'none' }],
    [403, 'an invalid audience', { audience: 'https://elsewhere.example' }],
  ])('returns %i for %s', async (status, _what, change) => {
    const reply = await ask({ ...valid(), ...change });
    expect([reply.status, (reply.json as { statusCode: number }).statusCode]).toEqual([status, status]);
  });
});

describe('a bearer token', () => {
  const roles = (headers: Record<string, string>) => emulator.send('GET', `${emulator.accountPath}/roles`, { headers });

  test.each([
    ['no token', {}],
    ['an unknown token', { authorization: 'Bearer abcdefgh' }],
    ['a different scheme', { authorization: 'Basic bG9jYWw6eA==' }],
  ])('is rejected with 401 and a challenge: %s', async (_what, headers) => {
    const reply = await roles(headers);
    expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(reply.json).toEqual({ statusCode: 401, errors: [{ message: 'Unauthorized' }] });
  });

  test("is valid for exactly eight hours on the platform's clock, even after a reset", async () => {
    const headers = { authorization: `Bearer ${await emulator.token()}` };
    const issued = Date.parse(await emulator.api.now());
    await emulator.reset();
    await emulator.api.set(new Date(issued + 28_799_000).toISOString());
    expect((await roles(headers)).status).toBe(200);
    await emulator.api.advance('1s');
    expect((await roles(headers)).status).toBe(401);
  });

  test("is checked before the path's ids and the body", async () => {
    const reply = await emulator.send('PUT', '/platform/v2/organizations/0/accounts/0/roles', { body: '{' });
    expect(reply.status).toBe(401);
  });
});

describe('basic credentials', () => {
  const fixtures = readFixtures({ workspaces: [{ id: 7, key: 'ключ', secret: 'a:b:ö' }] });
  const tokens = { issue: () => '', clientOf: () => undefined, purge: () => undefined };
  const platform = { tokens, directory: createDirectory(fixtures) };
  const check = (auth: Auth, header?: string) => authenticate(auth, header, platform);
  const basic = (text: string) => basicAuth(text).authorization;

  test.each(['dsr-basic', 'seeding-basic'] as const)('are decoded as UTF-8: %s', (auth) => {
    expect(check(auth, basic('ключ:a:b:ö'))).toEqual({ id: 'ключ', workspace: fixtures.workspaces[0] });
  });

  test.each([
    [401, 'dsr-basic', undefined],
    [401, 'dsr-basic', basic('ключ:wrong')],
    [401, 'seeding-basic', undefined],
    [403, 'seeding-basic', basic('ключ:wrong')],
    [403, 'seeding-basic', basic('no colon')],
    [403, 'seeding-basic', 'Basic !!!'],
    [403, 'seeding-basic', 'Bearer abcdefgh'],
  ] as const)('are rejected with %i for %s if the header is %j', (status, auth, header) => {
    expect(() => check(auth, header)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ status }) as unknown }),
    );
  });

  test('are not required for public endpoints', () => {
    expect(check('none')).toEqual({ id: '' });
  });
});
