// No secret appears in debug lines, traces, errors, decisions or printed commands.
import { beforeEach, expect, test } from 'vitest';
import { CurlPrinted } from '../../../../src/lib/http/call/request.ts';
import { type FaultServer, json, reset, startFaultServer } from '../../../helpers/fault-server.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { opened } from '../../../helpers/opened.ts';
import { getThing, putThing, seedThings } from './endpoints.ts';
import { SECRETS, testClient, UNTOUCHED, withoutToken } from './setup.ts';

const TOKEN = 'canary-issued-token';
const params = { thingId: 'a' };
let server: FaultServer;

/** Starts a platform that echoes every request. */
beforeEach(async () => {
  server = await opened(startFaultServer());
  server.otherwise((socket, request) => {
    const isToken = request.target === '/oauth/token';
    const echo = { errors: [{ message: `You sent ${JSON.stringify(request.headers)} ${request.body}` }] };
    const respond = isToken
      ? json({ access_token: TOKEN, expires_in: 3600, token_type: 'Bearer' })
      : json(echo, { status: 403, headers: { 'x-echo': request.headers['authorization'] ?? '' } });
    respond(socket, request);
  });
});

function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [
    secret,
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    encodeURIComponent(secret),
  ];
}
const CANARIES = [...Object.values(SECRETS), TOKEN, `${SECRETS.workspaceKey}:${SECRETS.workspaceSecret}`].flatMap(
  spellings,
);

function everythingOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [error.message, error.stack, JSON.stringify(error), everythingOf(error.cause)].join('\n');
}

test.each(['node', 'pool'] as const)(
  'does not print a secret with engine %s, even if the platform echoes it',
  async (engine) => {
    const http = testClient(server.url, { engine, credentials: withoutToken(), retries: 1 });
    const ready = testClient(server.url, { engine, retries: 1 });
    const errors = [
      await failureOf(http.call(getThing, { params })),
      await failureOf(http.call(putThing, { params, body: { id: SECRETS.clientSecret, client_secret: 'other' } })),
      await failureOf(http.call(seedThings, { body: { xpid: 1 } })),
      await failureOf(ready.call(getThing, { params, query: { filter: SECRETS.accessToken } })),
    ];
    server.next(reset);
    errors.push(await failureOf(http.call(putThing, { params, body: { id: TOKEN } })));
    const reported = [http, ready].flatMap(({ debug, decisions, traces }) => [
      ...debug,
      ...decisions,
      JSON.stringify(traces),
    ]);
    const text = [...reported, ...errors.map(everythingOf)].join('\n');
    // Check that the secrets were really sent and echoed.
    expect(JSON.stringify(server.requests)).toContain(SECRETS.clientSecret);
    expect(JSON.stringify(server.requests)).toContain(TOKEN);
    expect(text).toContain('********');
    expect(CANARIES.filter((canary) => text.includes(canary))).toEqual([]);
  },
);

test('traces an exchange with masked secrets, and without the bodies of token requests', async () => {
  server.next(json({ access_token: TOKEN, expires_in: 3600, token_type: 'Bearer' }), json({ id: 'a', run: 1 }));
  const http = testClient(server.url, { credentials: withoutToken() });
  await http.call(putThing, { params, body: { id: 'a', password: 'x' } });
  const [token, put] = http.traces;
  expect(token).toMatchObject({
    method: 'POST',
    url: `${server.url}/oauth/token`,
    request: { body: '(not kept)' },
    response: { body: '(not kept)' },
  });
  expect(put).toMatchObject({
    at: '2026-11-21T08:00:00.000Z',
    id: server.requests[1]?.headers['x-request-id'],
    attempt: 1,
    method: 'PUT',
    url: `${server.url}/things/a`,
    status: 200,
    ms: 0,
    request: {
      headers: { authorization: '********', accept: 'application/json' },
      body: { id: 'a', password: '********' },
    },
    response: { headers: { 'content-type': 'application/json' }, body: { id: 'a', run: 1 } },
    error: null,
  });
  expect(http.debug[1]).toMatch(
    /^PUT http:\/\/127\.0\.0\.1:\d+\/things\/a -> 200, 18 bytes, 0 ms \(attempt 1, request [0-9a-f-]{36}\)$/,
  );
});

test('traces a request without a response, and truncates a large body', async () => {
  server.next(reset, json({ id: 'x'.repeat(200_000) }));
  const http = testClient(server.url);
  await http.call(getThing, { params });
  expect(http.traces[0]).toMatchObject({
    status: null,
    response: null,
    error: { kind: 'reset', phase: 'perhaps-delivered' },
  });
  expect(http.debug[0]).toContain('-> no response: reset');
  expect(JSON.stringify(http.traces[1]).length).toBeLessThan(70_000);
  expect(JSON.stringify(http.traces[1])).toContain('(cut: 200009 characters)');
});

test('prints a command with placeholders for --curl, without resolving a secret or sending anything', async () => {
  const commands: string[] = [];
  const http = testClient(server.url, { onCurl: (command) => commands.push(command), credentials: UNTOUCHED });
  await http.prepare(putThing);
  await http.reserve(putThing, 2);
  expect(
    await failureOf(http.call(putThing, { params, body: { id: "it's $HOME `x`", big: 2n ** 63n } })),
  ).toBeInstanceOf(CurlPrinted);
  expect(await failureOf(http.call(seedThings, { body: { xpid: 1 } }))).toBeInstanceOf(CurlPrinted);
  expect(commands[0]).toBe(
    [
      `curl --silent --show-error --request PUT '${server.url}/things/a'`,
      "--header 'accept: application/json'",
      '--header "authorization: Bearer $CDPADM_ACCESS_TOKEN"',
      "--header 'content-type: application/json'",
      `--data-raw '{"id":"it'\\''s $HOME \`x\`","big":9223372036854775808}'`,
    ].join(' \\\n  '),
  );
  expect(commands[1]).toContain('--user "$CDPADM_WORKSPACE_KEY:$CDPADM_WORKSPACE_SECRET"');
  expect(server.connections).toBe(0);
});

test('returns the request from `describe` without resolving a secret or sending anything', () => {
  const http = testClient(`${server.url}/`, { credentials: UNTOUCHED });
  expect(http.describe(getThing, { params: { thingId: 'a/b' }, query: { page: 2 } })).toEqual({
    method: 'GET',
    url: `${server.url}/things/a%2Fb?page=2`,
  });
  expect(http.describe(seedThings, { body: { xpid: 2n ** 63n } })).toEqual({
    method: 'POST',
    url: `${server.url}/v2/things/`,
    body: { xpid: 2n ** 63n },
  });
  expect(server.connections).toBe(0);
});
