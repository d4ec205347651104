// The sender for bulk runs sends each body once, with the same checks as a call but without retries.
import { beforeEach, describe, expect, it } from 'vitest';
import { CurlPrinted } from '../../../../src/lib/http/call/request.ts';
import type { HttpOptions, SendOutcome } from '../../../../src/lib/http/types.ts';
import { answer, type Fault, type FaultServer, hangUp, json, startFaultServer } from '../../../helpers/fault-server.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { opened } from '../../../helpers/opened.ts';
import { getThing, putThing, seedThings } from './endpoints.ts';
import { never, SECRETS, testClient, UNTOUCHED } from './setup.ts';

let server: FaultServer;
beforeEach(async () => {
  server = await opened(startFaultServer());
});

const BODY = Buffer.from('[{"id":"é"}]');
const bulk = async (overrides: Partial<HttpOptions> = {}) => {
  const client = testClient(server.url, overrides);
  return { client, sender: await client.openSender(seedThings) };
};
async function sent(fault: Fault, overrides: Partial<HttpOptions> = {}): Promise<SendOutcome<unknown>> {
  server.otherwise(fault);
  const { sender } = await bulk(overrides);
  return sender.send(BODY, never);
}

describe('a request', () => {
  it('is sent unchanged, with credentials that are resolved only once', async () => {
    let resolved = 0;
    const basic = async () => {
      resolved++;
      return { key: SECRETS.workspaceKey, secret: SECRETS.workspaceSecret };
    };
    const { sender } = await bulk({ credentials: { ...UNTOUCHED, basic } });
    await sender.send(BODY, never);
    await sender.send(BODY, never);
    expect(resolved).toBe(1);
    const encoded = Buffer.from(`${SECRETS.workspaceKey}:${SECRETS.workspaceSecret}`).toString('base64');
    for (const request of server.requests) {
      expect(request).toMatchObject({ method: 'POST', target: '/v2/things/', body: BODY.toString() });
      expect(request.headers).toMatchObject({
        'content-type': 'application/json',
        accept: 'application/json',
        authorization: `Basic ${encoded}`,
      });
    }
    expect(new Set(server.requests.map(({ headers }) => headers['x-request-id'])).size).toBe(2);
  });

  it('is sent to its own path', async () => {
    let written = 0;
    const sender = await testClient(server.url, { onWrite: () => written++ }).openSender(getThing);
    await sender.send(undefined, never, { thingId: 'a/b' });
    await sender.send(undefined, never, { thingId: 'c' });
    expect(server.requests.map(({ target }) => target)).toEqual(['/things/a%2Fb', '/things/c']);
    expect(server.requests[0]?.headers).not.toHaveProperty('content-type');
    // A GET is not a write.
    expect(written).toBe(0);
  });

  it('is reported to onWrite before it is sent', async () => {
    const requests: number[] = [];
    const { sender } = await bulk({ onWrite: () => requests.push(server.requests.length) });
    await sender.send(BODY, never);
    expect(requests).toEqual([0]);
  });

  it('is traced with its body', async () => {
    const { client, sender } = await bulk();
    await sender.send(BODY, never);
    expect(client.traces).toEqual([
      expect.objectContaining({
        attempt: 1,
        status: 200,
        request: expect.objectContaining({ body: [{ id: 'é' }] }) as object,
      }),
    ]);
    expect(client.debug[0]).toContain('-> 200, 2 bytes, 0 ms (attempt 1, request ');
  });

  it('is printed instead of sent with --curl', async () => {
    const commands: string[] = [];
    const { sender } = await bulk({ onCurl: (command) => commands.push(command) });
    expect(await failureOf(sender.send(BODY, never))).toBeInstanceOf(CurlPrinted);
    expect(commands[0]).toContain(`--data-raw '${BODY.toString()}'`);
    expect(await failureOf(sender.send(undefined, never))).toBeInstanceOf(CurlPrinted);
    expect(commands[1]).not.toContain('--data-raw');
    expect(server.connections).toBe(0);
  });
});

describe('an outcome', () => {
  it('is `accepted`, and includes whether the response asks to slow down', async () => {
    const headers = { 'x-rate-limit-percentage-used': '95' };
    expect(await sent(answer({ status: 202, headers, body: 'thanks!' }))).toMatchObject({
      kind: 'accepted',
      status: 202,
      slowDown: true,
      headers,
      text: 'thanks!',
    });
    expect(await sent(answer({ status: 202 }))).toMatchObject({ kind: 'accepted', status: 202, slowDown: false });
  });

  it.each<[number, Record<string, string>, number | undefined]>([
    [429, { 'retry-after': '7' }, 7000],
    [429, {}, undefined],
    [503, { 'retry-after': 'Sat, 21 Nov 2026 08:00:30 GMT' }, 30_000],
    [503, { date: 'Sat, 21 Nov 2026 07:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2026 07:00:30 GMT' }, 30_000],
    [400, { 'retry-after': 'soon' }, undefined],
    [300, {}, undefined],
    [302, { location: '/login' }, undefined],
  ])('is a rejection for status %d with the headers %j', async (status, headers, retryAfterMs) => {
    const outcome = await sent(json({ errors: [{ message: `no ${SECRETS.workspaceSecret}` }] }, { status, headers }));
    expect(outcome).toMatchObject({ kind: 'rejected', status, retryAfterMs, messages: ['no ********'] });
    expect(outcome).toMatchObject({ failure: { status, request: { method: 'POST', path: '/v2/things/' } } });
    expect(server.requests).toHaveLength(1);
  });

  it('is `lost` for a web page', async () => {
    const outcome = await sent(answer({ headers: { 'content-type': 'text/html' }, body: '<title>Hello</title>' }));
    expect(outcome).toMatchObject({ kind: 'lost', permanent: false, failure: { code: 'http.outcome_unknown' } });
  });

  it.each<[string, Fault]>([
    ['empty', answer({ body: '' })],
    ['null', answer({ body: 'null' })],
    ['a list', json([{ id: 'a' }])],
    ['an error document', json({ errors: [{ message: 'no' }] })],
    ['truncated', answer({ body: '{"id":' })],
  ])('is `lost` for an unexpected body: %s', async (_name, fault) => {
    server.otherwise(fault);
    const sender = await testClient(server.url).openSender(putThing);
    expect(await sender.send(BODY, never, { thingId: 'a' })).toMatchObject({ kind: 'lost', permanent: false });
  });

  it('is `lost` without a response, and permanent if a retry cannot help', async () => {
    server.otherwise(hangUp);
    const { client, sender } = await bulk();
    expect(await sender.send(BODY, never)).toMatchObject({
      kind: 'lost',
      permanent: false,
      failure: { code: 'network.reset' },
    });
    expect(server.requests).toHaveLength(1);
    expect(client.traces).toEqual([
      expect.objectContaining({ status: null, error: expect.objectContaining({ kind: 'reset' }) as object }),
    ]);
    const proxy = { http: `http://name:pw-canary@127.0.0.1:${server.port}` };
    const rejected = await sent(answer({ status: 407 }), { proxy });
    expect(rejected).toMatchObject({ kind: 'lost', permanent: true, failure: { code: 'network.proxy' } });
    const { failure } = rejected as Extract<SendOutcome<unknown>, { kind: 'lost' }>;
    expect(failure.message).toContain(`The proxy http://127.0.0.1:${server.port} did not connect`);
  });

  it('is the abort reason after an abort', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    server.otherwise(() => stop.abort(reason));
    const { sender } = await bulk();
    expect(await failureOf(sender.send(BODY, stop.signal))).toBe(reason);
  });

  it('is an error for an invalid setting', async () => {
    const sender = await testClient('http://elsewhere.example').openSender(putThing);
    expect(await failureOf(sender.send(BODY, never, { thingId: 'a' }))).toMatchObject({ code: 'usage' });
    const { sender: misconfigured } = await bulk({ proxy: { http: 'gopher://127.0.0.1' } });
    expect(await failureOf(misconfigured.send(BODY, never))).toMatchObject({
      code: 'usage',
      message: 'HTTP_PROXY is not the address of an http or https proxy.',
    });
    expect(server.connections).toBe(0);
  });
});
