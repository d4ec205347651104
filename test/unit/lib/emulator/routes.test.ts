// Every endpoint in the contract has a route on the embedded platform, with and without its trailing slash.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { allEndpoints, areas } from '../../../../src/lib/contract/index.ts';
import { platformAreas } from '../../../../src/lib/emulator/areas.ts';
import { basicAuth, startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator();
});
afterAll(() => emulator.close());

test('covers every area of the contract', () => {
  expect(platformAreas.map(({ name }) => name)).toEqual(Object.keys(areas));
  expect(platformAreas.flatMap(({ endpoints }) => Object.values(endpoints))).toEqual([...allEndpoints]);
});

describe.each(allEndpoints.map((endpoint) => [endpoint.id, endpoint] as const))('the endpoint %s', (_id, endpoint) => {
  test.each(['', '/'])('has a route for its path followed by "%s"', async (slash) => {
    const base = endpoint.service === 'dsr' ? emulator.ready.dsr_base_url : emulator.url;
    const path = base.slice(emulator.url.length) + endpoint.path.replace(/\{\w+\}/g, 'x').replace(/\/$/, '') + slash;
    const { status, text } = await emulator.send(endpoint.method, path, endpoint.body && { body: '{}' });
    // For an unknown path, the platform would return 404 without checking the credentials.
    expect([status, text]).not.toEqual([404, expect.stringContaining('no such endpoint')]);
    expect(status).toBe(endpoint.auth !== 'none' ? 401 : endpoint.body ? 400 : 200);
  });
});

const PLAIN = (statusCode: number, message: string) => ({ statusCode, errors: [{ message }] });
const DSR = (code: number, message: string) => {
  return { code, message, errors: [{ domain: 'subject_request', reason: 'refused', message }] };
};
const CODED = (code: string) => (_status: number, message: string) => ({ errors: [{ code, message }] });

it.each([
  ['GET', '/', PLAIN],
  ['GET', '/platform/v2/organizations/1001/accounts/2001/roles/admin-role', PLAIN],
  ['GET', '//platform/v2/organizations/1001/accounts/2001/roles', PLAIN],
  ['PATCH', '/platform/v2/workspaces/3001/connections/lake', PLAIN],
  ['GET', '/v3', DSR],
  ['POST', '/v3/requests/1/2', DSR],
  ['POST', '/v2/else', CODED('NOT_FOUND')],
])("returns 404 for %s %s in its area's envelope", async (method, path, shape) => {
  const reply = await emulator.call(method, path);
  expect([reply.status, reply.json]).toEqual([404, shape(404, `no such endpoint: ${method} ${path}`)]);
});

it.each([
  ['GET', '/oauth/token', 'POST', PLAIN],
  ['DELETE', '/platform/v2/organizations/1001/accounts/2001/roles/', 'GET, HEAD, PUT', PLAIN],
  ['PATCH', '/platform/workspaces/3001/groups', 'GET, HEAD, POST', PLAIN],
  ['PUT', '/v3/requests', 'GET, HEAD, POST', DSR],
  ['OPTIONS', '/v1/identify', 'POST', CODED('METHOD_NOT_ALLOWED')],
])('returns 405 for %s %s with the allowed methods', async (method, path, allow, shape) => {
  const reply = await emulator.call(method, path);
  const message = `method not allowed: ${method} ${path.replace(/\/$/, '')}; allowed: ${allow}`;
  expect([reply.status, reply.headers['allow'], reply.json]).toEqual([405, allow, shape(405, message)]);
});

/** Sends raw bytes and returns the status, the headers and the JSON of the response. */
async function exchange(bytes: string) {
  const socket = connect(emulator.port, '127.0.0.1');
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, json: JSON.parse(body) as unknown };
}

it.each([
  ['BREW', '/v3/discovery', 405, DSR],
  ['get', '/v2/events', 405, CODED('METHOD_NOT_ALLOWED')],
  ['PROPFIND', '/platform/workspaces/3001/groups/', 405, PLAIN],
  ['BREW', '/v3/else', 404, DSR],
  ['BREW', '/_control/clock', 405, PLAIN],
])("rejects the method %s for %s with %d in its area's envelope", async (method, path, status, shape) => {
  const { head, json } = await exchange(`${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
  const message = (json as { errors: { message: string }[] }).errors[0]?.message ?? '';
  expect([Number(head.split(' ')[1]), json]).toEqual([status, shape(status, message)]);
  if (status === 405) expect(head).toMatch(/\nallow: (GET|POST)/i);
});

it('rejects an unknown method with 403 if the Host is foreign', async () => {
  expect(await exchange('BREW /v3/discovery HTTP/1.1\r\nHost: else.example\r\n\r\n')).toMatchObject({ status: 403 });
});

it.each([
  ['a malformed header', 'Bad Header: 1\r\n', 400],
  ['headers that are too long', `a: ${'x'.repeat(20_000)}\r\n`, 431],
  ['a body with two lengths', 'content-length: 1\r\ntransfer-encoding: chunked\r\n', 400],
])("rejects %s in its area's envelope", async (_what, lines, status) => {
  const found = await exchange(`GET /v3/discovery HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines}\r\n`);
  expect(found).toMatchObject({ status, json: { code: status, errors: [{ domain: 'subject_request' }] } });
});

it.each([
  ['a line that is not HTTP', 'hello\r\n\r\n', 'Parse Error'],
  ['a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001', 'Parse Error'],
  ['HTTP/1.1 without Host', 'GET /oauth/token HTTP/1.1\r\nConnection: close\r\n\r\n', 'the Host header is missing'],
  ['HTTP/1.0 without Host', 'GET /oauth/token HTTP/1.0\r\n\r\n', 'the Host header is missing'],
])('rejects %s with status 400 and a JSON body', async (_what, bytes, message) => {
  const { json, status } = await exchange(bytes);
  expect([status, json]).toEqual([400, PLAIN(400, expect.stringContaining(message) as unknown as string)]);
});

it('rejects an oversized body in the envelope for data subject requests', async () => {
  const body = 'x'.repeat(1024 * 1024 + 1);
  const headers = basicAuth(`${emulator.ready.workspace_key}:${emulator.ready.workspace_secret}`);
  const reply = await emulator.send('POST', '/v3/requests/', { body, headers });
  expect([reply.status, reply.json]).toMatchObject([413, { code: 413, errors: [{ domain: 'subject_request' }] }]);
});

test.each([
  ['/roles', 200],
  ['/else', 404],
])('returns the headers of GET for HEAD, but no body: %s', async (end, status) => {
  const [get, head] = [
    await emulator.call('GET', `${emulator.accountPath}${end}`),
    await emulator.call('HEAD', `${emulator.accountPath}${end}`),
  ];
  const { date: _, ...headers } = head.headers;
  expect([head.status, head.text, headers]).toEqual([
    status,
    '',
    { ...get.headers, date: undefined, 'content-length': String(Buffer.byteLength(get.text)) },
  ]);
});

test.each([
  [200, 'an unnecessary escape', '/pl%61tform/v2/organizations/1001/accounts/2001/roles'],
  [200, 'an escape in a parameter', '/platform/v2/organizations/%31001/accounts/2001/roles'],
  [400, 'a slash in the query', '/platform/v2/workspaces/3001/connections/?serviceProvider=/b'],
  [404, 'an escaped slash', '/platform/v2/organizations/1001/accounts/2001%2Froles'],
  [404, 'an escaped percent sign', '/platform/v2/organizations/1001/accounts/2001/r%256Fles'],
  [404, 'an invalid escape', '/platform/v2/organizations/1001/accounts/2001/roles%zz'],
])('returns %i for a URL with %s', async (status, _what, path) => {
  expect((await emulator.call('GET', path)).status).toBe(status);
});
