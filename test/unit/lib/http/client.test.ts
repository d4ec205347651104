// Tests the HTTP client: the events and errors of a call, the effect of an abort, and other operations.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Wait } from '../../../../src/lib/http/types.ts';
import { CliError } from '../../../../src/lib/errors/fail.ts';
import { answer, type FaultServer, hangUp, json, startFaultServer } from '../../../helpers/fault-server.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { listenOnLoopback } from '../../../helpers/loopback.ts';
import { opened } from '../../../helpers/opened.ts';
import { getThing, putThing, seedThings, triggerThing } from './endpoints.ts';
import { type TestClient, testClient, UNTOUCHED, withoutToken } from './setup.ts';

const params = { thingId: 'a' };
const body = { id: 'a' };
/** One call for each kind of safety. */
const CALLS: [name: string, call: (http: TestClient, signal?: AbortSignal) => Promise<unknown>][] = [
  ['a read', (http, signal) => http.call(getThing, { params, ...(signal && { signal }) })],
  ['a write', (http, signal) => http.call(putThing, { params, body, ...(signal && { signal }) })],
  ['a trigger', (http, signal) => http.call(triggerThing, { body, ...(signal && { signal }) })],
];
const reads = CALLS.slice(0, 1);
const writes = CALLS.slice(1);
const late = (seconds: string) => json({}, { status: 429, headers: { 'retry-after': seconds } });

let server: FaultServer;
beforeEach(async () => {
  server = await opened(startFaultServer());
  server.otherwise(json({ id: 'a', access_token: 'token-1', expires_in: 60, token_type: 'Bearer' }));
});

describe('onWrite', () => {
  it('is called before each write, but not before other requests', async () => {
    const states: string[] = [];
    const onWrite = (): number => states.push(server.requests.map(({ method }) => method).join(' '));
    const http = testClient(server.url, { credentials: withoutToken(), onWrite });
    await http.call(getThing, { params });
    expect(states).toEqual([]);
    server.next(late('1'));
    await http.call(putThing, { params, body });
    expect(states).toEqual(['POST GET', 'POST GET PUT']);
  });
});

describe('beforeRetry', () => {
  it('is called right before each retry, also after a rejected token, and prevents the retry if it throws', async () => {
    const states: string[] = [];
    const http = testClient(server.url, { credentials: withoutToken() });
    const beforeRetry = (): Promise<void> => {
      states.push(server.requests.map(({ method }) => method).join(' '));
      return states.length < 3 ? Promise.resolve() : Promise.reject(new Error('changed'));
    };
    server.next(json({ access_token: 'token-1', expires_in: 60, token_type: 'Bearer' }), late('1'));
    server.next(json({}, { status: 401 }), json({ access_token: 'token-2', expires_in: 60, token_type: 'Bearer' }));
    server.next(late('1'));
    expect((await failureOf(http.call(putThing, { params, body, beforeRetry }))).message).toBe('changed');
    expect(states).toEqual(['POST PUT', 'POST PUT PUT POST', 'POST PUT PUT POST PUT']);
    expect(server.requests).toHaveLength(5);
  });
});

describe('a wait', () => {
  it('is reported as a decision', async () => {
    server.next(json({}, { status: 503, headers: { 'retry-after': '3600' } }));
    const http = testClient(server.url);
    await http.call(getThing, { params });
    expect(http.decisions).toEqual(['GET /things/a: status 503; retrying in 1h (attempt 2 of 5)']);
  });

  it('ends when the call is aborted, even if the wait is absurdly long', async () => {
    server.otherwise(late('9'.repeat(30)));
    const stop = new AbortController();
    const http = testClient(server.url, { onDecision: () => stop.abort(new Error('enough')) });
    const call = http.call(triggerThing, { body, signal: stop.signal });
    expect((await failureOf(call)).message).toBe('enough');
    expect(server.requests).toHaveLength(1);
  });

  it('is reported while it lasts, whether for a response, for Retry-After or before a retry', async () => {
    const events: string[] = [];
    const onWait = ({ text, isRequested }: Wait) => {
      events.push(isRequested ? `${text}!` : text);
      return () => void events.push('over');
    };
    const http = testClient(server.url, { onWait, random: () => 0.5 });
    server.next(late('6'), late('1'), json({}, { status: 503 }));
    await http.call(getThing, { params });
    const answer = ['Waiting for the response', 'over'];
    expect(events).toEqual([
      ...[...answer, 'Waiting 6s as the platform requested (429)!', 'over'],
      ...[...answer, 'Waiting 1s as the platform requested (429)', 'over'],
      ...[...answer, 'Retrying in 1s (503)', 'over'],
      ...answer,
    ]);
  });

  it('is reported as finished even if it is aborted', async () => {
    const stop = new AbortController();
    let open = 0;
    const onWait = ({ isRequested }: Wait) => {
      open++;
      if (isRequested) stop.abort(new Error('enough'));
      return () => {
        open--;
      };
    };
    server.next(late('6'));
    const call = testClient(server.url, { onWait }).call(getThing, { params, signal: stop.signal });
    expect((await failureOf(call)).message).toBe('enough');
    expect(open).toBe(0);
  });

  it('does not start if no retries are left', async () => {
    const http = testClient(server.url, { retries: 0 });
    server.otherwise(late('9'));
    expect(await failureOf(http.call(triggerThing, { body }))).toMatchObject({ code: 'http.rate_limited' });
    expect(http.clock.sleeps).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it('is reported with the network error that caused it', async () => {
    const http = testClient(server.url);
    server.next((socket) => socket.resetAndDestroy());
    await http.call(getThing, { params });
    expect(http.decisions).toEqual(['GET /things/a: no response (ECONNRESET); retrying in 250ms (attempt 2 of 5)']);
  });
});

describe('the request id', () => {
  it('is the same for all attempts of a call, and different for the next call', async () => {
    server.next(json({}, { status: 500 }));
    const http = testClient(server.url);
    await http.call(getThing, { params });
    await http.call(getThing, { params });
    const [first, again, next] = server.requests.map(({ headers }) => headers['x-request-id']);
    expect(again).toBe(first);
    expect(next).not.toBe(first);
  });

  it('is part of the error, together with the method and the path without its query', async () => {
    server.otherwise(json({}, { status: 404 }));
    const input = { params: { thingId: 'a b' }, query: { filter: 'x@y.example' } };
    const error = await failureOf(testClient(`${server.url}/api`).call(getThing, input));
    const id = server.requests[0]?.headers['x-request-id'];
    expect(error).toMatchObject({ request: { id, method: 'GET', path: '/api/things/a%20b' } });
  });
});

describe('an aborted signal', () => {
  it('prevents the request, whether the signal belongs to the call or to the client', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    const calls = [
      testClient(server.url).call(getThing, { params, signal }),
      testClient(server.url, { signal }).call(getThing, { params }),
    ];
    for (const call of calls) expect((await failureOf(call)).message).toBe('enough');
    expect(server.connections).toBe(0);
  });
});

describe('an abort during a call', () => {
  const reason = new CliError({ code: 'interrupted', message: 'Terminated.', exit: 'terminated' });

  it.each(reads)("rejects with the abort's reason if %s may have arrived", async (_name, call) => {
    let stop = new AbortController();
    server.otherwise(() => stop.abort(reason));
    for (const retries of [0, 4]) {
      stop = new AbortController();
      const http = testClient(server.url, { retries });
      expect(await failureOf(call(http, stop.signal))).toBe(reason);
      expect(http.decisions).toEqual([]);
    }
    expect(server.requests).toHaveLength(2);
  });

  it.each(writes)('leaves the outcome unknown if %s may have arrived', async (_name, call) => {
    const stop = new AbortController();
    server.otherwise(() => stop.abort(reason));
    const error = await failureOf(call(testClient(server.url), stop.signal));
    expect(error).toMatchObject({
      code: 'http.outcome_unknown',
      exit: 'terminated',
      details: { cause: 'interrupted' },
    });
    expect(error.message).toMatch(/^The outcome of .* is unknown: the request was interrupted\.$/);
    expect(server.requests).toHaveLength(1);
  });

  it.each(CALLS)("rejects with the abort's reason if %s cannot have arrived", async (_name, call) => {
    let stop = new AbortController();
    // This server reads the start of a TLS handshake but never responds.
    const silent = createServer((socket) => socket.on('error', () => undefined).once('data', () => stop.abort(reason)));
    const port = await listenOnLoopback(silent);
    onTestFinished(() => void silent.close());
    for (const retries of [0, 4]) {
      stop = new AbortController();
      const http = testClient(`https://127.0.0.1:${port}`, { retries });
      expect(await failureOf(call(http, stop.signal))).toBe(reason);
      expect(http.decisions).toEqual([]);
    }
  });

  it.each(CALLS)('prevents a retry of %s', async (_name, call) => {
    const stop = new AbortController();
    server.otherwise(late('1'));
    const http = testClient(server.url, { onDecision: () => stop.abort(reason) });
    expect(await failureOf(call(http, stop.signal))).toBe(reason);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a call without a response', () => {
  it.each(CALLS)('fails after retries if it was not delivered: %s', async (_name, call) => {
    const unreachable = await startFaultServer();
    await unreachable.close();
    const http = testClient(unreachable.url);
    expect(await failureOf(call(http))).toMatchObject({ code: 'network.refused' });
    expect(http.decisions.map((text) => text.replace(/^.*: (no response)/, '$1'))).toEqual([
      'no response (ECONNREFUSED); retrying in 250ms (attempt 2 of 5)',
      'no response (ECONNREFUSED); retrying in 500ms (attempt 3 of 5)',
      'no response (ECONNREFUSED); retrying in 1s (attempt 4 of 5)',
      'no response (ECONNREFUSED); retrying in 2s (attempt 5 of 5)',
    ]);
    expect(http.clock.sleeps).toEqual([250, 500, 1000, 2000]);
  });

  it.each(writes)('is not retried if it may have been delivered: %s', async (_name, call) => {
    server.otherwise(hangUp);
    const http = testClient(server.url);
    expect(await failureOf(call(http))).toMatchObject({ code: 'http.outcome_unknown' });
    expect(http.decisions).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a response', () => {
  it.each([200, 201, 299])('is a success if its status is %i', async (status) => {
    server.next(json({ id: 'b' }, { status }));
    await expect(testClient(server.url).call(getThing, { params })).resolves.toEqual({ id: 'b' });
  });

  it('is not a success if its status is 300', async () => {
    server.next(json({ id: 'b' }, { status: 300 }));
    const error = await failureOf(testClient(server.url).call(getThing, { params }));
    expect(error).toMatchObject({ code: 'http.redirect', status: 300 });
  });

  it.each(CALLS)('leads to one new token and one retry of %s if the status is 401', async (_name, call) => {
    const http = testClient(server.url, { credentials: withoutToken() });
    await http.prepare(getThing);
    server.next(json({}, { status: 401 }));
    await expect(call(http)).resolves.toEqual(expect.objectContaining({ id: 'a' }));
    expect(http.decisions).toEqual(['the access token was rejected (401): renewing it']);
    expect(http.clock.sleeps).toEqual([]);
    expect(server.requests.map(({ target }) => target.startsWith('/oauth'))).toEqual([true, false, true, false]);

    const rejected = json({}, { status: 401 });
    const renewed = json({ access_token: 'token-2', expires_in: 60, token_type: 'Bearer' });
    server.next(rejected, renewed, rejected);
    expect(await failureOf(call(http))).toMatchObject({ code: 'http.unauthorized' });
    expect(server.requests).toHaveLength(7);
  });
});

describe('a slot in the shared budget', () => {
  const budgeted = { ...getThing, budget: 'roles' as const };
  const slotsOf = ({ folder }: TestClient): number[] => {
    const path = join(folder, 'budget');
    const files = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.json')) : [];
    return files.map(
      (name) => (JSON.parse(readFileSync(join(path, name), 'utf8')) as { slots: number[] }).slots.length,
    );
  };

  it('is used by each request in an area with a budget, but not by other requests', async () => {
    const http = testClient(server.url);
    await http.call(getThing, { params });
    await http.reserve(getThing, 5);
    expect(slotsOf(http)).toEqual([]);
    await http.call(budgeted, { params });
    server.next(json({}, { status: 503 }));
    await http.call(budgeted, { params });
    expect(slotsOf(http)).toEqual([3]);
  });

  it('comes from the reservation, except for retries', async () => {
    const http = testClient(server.url);
    await http.reserve(budgeted, 2);
    expect(slotsOf(http)).toEqual([2]);
    await http.call(budgeted, { params, reserved: true });
    expect(slotsOf(http)).toEqual([2]);
    server.next(json({}, { status: 503 }));
    await http.call(budgeted, { params, reserved: true });
    expect(slotsOf(http)).toEqual([3]);
    await http.call(budgeted, { params, reserved: false });
    expect(slotsOf(http)).toEqual([4]);
  });

  it('delays a call until the slot is free, unless it is reserved', async () => {
    const http = testClient(server.url);
    await http.reserve(budgeted, 90);
    await http.call(budgeted, { params, reserved: true });
    expect(http.clock.sleeps).toEqual([]);
    await http.call(budgeted, { params });
    expect(http.clock.sleeps).toEqual([61_000]);
    expect(http.decisions).toEqual([
      `waiting 1m 1s: all your processes share 90 requests per minute for roles at ${server.url}`,
    ]);
  });

  it("respects the profile's limit", async () => {
    const http = testClient(server.url, { limits: { roles: '30/m' } });
    await http.reserve(budgeted, 30);
    await http.reserve(budgeted, 1);
    expect(http.decisions).toEqual([
      `waiting 1m 1s: all your processes share 30 requests per minute for roles at ${server.url}`,
    ]);
  });

  it('is not awaited if the reservation or the client is aborted', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    for (const reserving of [
      testClient(server.url).reserve(budgeted, 1, signal),
      testClient(server.url, { signal }).reserve(budgeted, 1),
      testClient(server.url, { signal }).reserve(budgeted, 1, new AbortController().signal),
    ])
      expect((await failureOf(reserving)).message).toBe('enough');
  });

  it('is not used by --curl', async () => {
    const http = testClient(server.url, { onCurl: () => undefined });
    await http.reserve(budgeted, 5);
    expect((await failureOf(http.call(budgeted, { params }))).name).toBe('CurlPrinted');
    expect(slotsOf(http)).toEqual([]);
  });

  it('comes from the same budget with or without trailing slashes in the address', async () => {
    const http = testClient(server.url);
    await http.call(budgeted, { params });
    await testClient(`${server.url}//`, { folder: http.folder }).call(budgeted, { params });
    expect(slotsOf(http)).toEqual([2]);
    expect(server.requests.map(({ target }) => target)).toEqual(['/things/a', '/things/a']);
  });
});

describe('the client', () => {
  it('resolves credentials once in `prepare`, before the call', async () => {
    const http = testClient(server.url, { credentials: withoutToken() });
    await http.prepare(getThing);
    expect(server.requests.map(({ target }) => target)).toEqual(['/oauth/token']);
    await http.call(getThing, { params });
    expect(server.requests).toHaveLength(2);
  });

  it('does not resolve credentials in `prepare` with --curl', async () => {
    const shown: string[] = [];
    const http = testClient(server.url, { credentials: UNTOUCHED, onCurl: (text) => shown.push(text) });
    await http.prepare(getThing);
    expect(await failureOf(http.call(getThing, { params }))).toMatchObject({ name: 'CurlPrinted' });
    expect(shown).toEqual([expect.stringContaining(`${server.url}/things/a`)]);
    expect(server.connections).toBe(0);
  });

  it('rejects `prepare` when it is aborted', async () => {
    const stop = new AbortController();
    server.otherwise(() => stop.abort(new Error('enough')));
    const http = testClient(server.url, { credentials: withoutToken() });
    expect((await failureOf(http.prepare(getThing, stop.signal))).message).toBe('enough');
    expect(server.requests).toHaveLength(1);
  });

  it("returns the request with the deployment's names from `describe` without sending anything", () => {
    const http = testClient(`${server.url}/api/`, { credentials: UNTOUCHED, names: { thing: 'article' } });
    const named = { ...putThing, names: { body: ['value:id' as const] } };
    expect(http.describe(getThing, { params, query: { filter: 'a b', page: 2 } })).toStrictEqual({
      method: 'GET',
      url: `${server.url}/api/things/a?filter=a%20b&page=2`,
    });
    expect(http.describe(seedThings, { body: { xpid: 9007199254740993n } })).toStrictEqual({
      method: 'POST',
      url: `${server.url}/api/v2/things/`,
      body: { xpid: 9007199254740993n },
    });
    expect(http.describe(named, { params, body: { id: 'thing' } })).toStrictEqual({
      method: 'PUT',
      url: `${server.url}/api/things/a`,
      body: { id: 'article' },
    });
    expect(server.connections).toBe(0);
  });

  it("returns the response's status, headers, text and body from `exchange`", async () => {
    server.next(json({ id: 'b' }, { status: 201, headers: { 'x-signature': 's' } }));
    await expect(testClient(server.url).exchange(getThing, { params })).resolves.toMatchObject({
      status: 201,
      headers: { 'x-signature': 's' },
      text: '{"id":"b"}',
      body: { id: 'b' },
    });
  });

  it("uses the link's service for a download, and stops when its signal is aborted", async () => {
    const services: string[] = [];
    const address = (service: string): string => {
      services.push(service);
      return server.url;
    };
    const chunks: Buffer[] = [];
    const sink = { begin: () => undefined, write: (chunk: Buffer) => void chunks.push(chunk) };
    const link = { url: `${server.url}/r`, service: 'dsr' as const, accept: '*/*' };
    server.next(answer({ body: 'results' }));
    await testClient(server.url, { address }).download(link, sink);
    expect(services).toEqual(['dsr']);
    expect(Buffer.concat(chunks).toString()).toBe('results');

    const stop = new AbortController();
    server.next(() => stop.abort(new Error('enough')));
    const download = testClient(server.url).download(link, sink, stop.signal);
    expect((await failureOf(download)).message).toBe('enough');
    expect(server.requests).toHaveLength(2);
  });
});
