// What a call tells while it goes on: that it may change something, and how long it waits.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultServer, json, startFaultServer } from '../../helpers/fault-server.ts';
import { getThing, putThing, triggerThing } from './endpoints.ts';
import { closeClients, failureOf, testClient, withoutToken } from './setup.ts';

const params = { thingId: 'a' };
const body = { id: 'a' };
const late = (seconds: string) => json({}, { status: 429, headers: { 'retry-after': seconds } });

let server: FaultServer;
beforeEach(async () => {
  server = await startFaultServer();
  server.otherwise(json({ id: 'a', access_token: 'token-1', expires_in: 60, token_type: 'Bearer' }));
});
afterEach(async () => {
  await closeClients();
  await server.close();
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
