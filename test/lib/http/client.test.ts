// What a call tells while it goes on and when it fails: that it may change something, how long it waits, which request it was.
import { beforeEach, describe, expect, it } from 'vitest';
import { type FaultServer, json, startFaultServer } from '../../helpers/fault-server.ts';
import { failureOf } from '../../helpers/failure.ts';
import { opened } from '../../helpers/opened.ts';
import { getThing, putThing, triggerThing } from './endpoints.ts';
import { testClient, withoutToken } from './setup.ts';

const params = { thingId: 'a' };
const body = { id: 'a' };
const late = (seconds: string) => json({}, { status: 429, headers: { 'retry-after': seconds } });

let server: FaultServer;
beforeEach(async () => {
  server = await opened(startFaultServer());
  server.otherwise(json({ id: 'a', access_token: 'token-1', expires_in: 60, token_type: 'Bearer' }));
});

describe('that something may change', () => {
  it('is told before each write goes out, and of no other request', async () => {
    const told: string[] = [];
    const onWrite = (): number => told.push(server.requests.map(({ method }) => method).join(' '));
    const http = testClient(server.url, { credentials: withoutToken(), onWrite });
    await http.call(getThing, { params });
    expect(told).toEqual([]);
    server.next(late('1'));
    await http.call(putThing, { params, body });
    expect(told).toEqual(['POST GET', 'POST GET PUT']);
  });
});

describe('a wait', () => {
  it('that nobody sits through in silence is told where that is heard', async () => {
    const long: string[] = [];
    const http = testClient(server.url, { onLongWait: (text) => long.push(text) });
    server.next(late('9'), late('10'));
    await http.call(triggerThing, { body });
    expect(http.decisions).toEqual(['POST /things/trigger: answered 429; sending it again in 9s (attempt 2 of 5)']);
    expect(long).toEqual(['POST /things/trigger: answered 429; sending it again in 10s (attempt 3 of 5)']);
  });

  it('is a decision like any other where nobody listens for long ones', async () => {
    server.next(json({}, { status: 503, headers: { 'retry-after': '3600' } }));
    const http = testClient(server.url);
    await http.call(getThing, { params });
    expect(http.decisions).toEqual(['GET /things/a: answered 503; sending it again in 1h (attempt 2 of 5)']);
  });

  it('that nobody will live to see is kept until the signal ends it', async () => {
    server.otherwise(late('9'.repeat(30)));
    const stop = new AbortController();
    const http = testClient(server.url, { onDecision: () => stop.abort(new Error('enough')) });
    const call = http.call(triggerThing, { body, signal: stop.signal });
    expect((await failureOf(call)).message).toBe('enough');
    expect(server.requests).toHaveLength(1);
  });

  it('is not begun where nothing is to be repeated', async () => {
    const http = testClient(server.url, { retries: 0 });
    server.otherwise(late('9'));
    expect(await failureOf(http.call(triggerThing, { body }))).toMatchObject({ code: 'http.rate_limited' });
    expect(http.clock.sleeps).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it('without an answer tells what came in its place', async () => {
    const http = testClient(server.url);
    server.next((socket) => socket.resetAndDestroy());
    await http.call(getThing, { params });
    expect(http.decisions).toEqual([
      'GET /things/a: no answer (ECONNRESET); sending it again in 250ms (attempt 2 of 5)',
    ]);
  });
});

describe('the request id', () => {
  it('is one for all attempts of a call, and another for the next', async () => {
    server.next(json({}, { status: 500 }));
    const http = testClient(server.url);
    await http.call(getThing, { params });
    await http.call(getThing, { params });
    const [first, again, next] = server.requests.map(({ headers }) => headers['x-request-id']);
    expect(again).toBe(first);
    expect(next).not.toBe(first);
  });

  it('is told with the error as it was sent, beside the method and the path without the query', async () => {
    server.otherwise(json({}, { status: 404 }));
    const input = { params: { thingId: 'a b' }, query: { filter: 'x@y.example' } };
    const error = await failureOf(testClient(`${server.url}/api`).call(getThing, input));
    const id = server.requests[0]?.headers['x-request-id'];
    expect(error).toMatchObject({ request: { id, method: 'GET', path: '/api/things/a%20b' } });
  });
});

describe('a signal that has come already', () => {
  it('lets nothing go out, the call’s own as well as that of all', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    const calls = [
      testClient(server.url).call(getThing, { params, signal }),
      testClient(server.url, { signal }).call(getThing, { params }),
    ];
    for (const call of calls) expect((await failureOf(call)).message).toBe('enough');
    expect(server.connections).toBe(0);
  });
});
