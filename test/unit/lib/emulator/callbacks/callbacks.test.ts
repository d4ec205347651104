// Status callbacks are queued on every change, sent in order every quarter hour, signed, and attempted up to 96 times.
import { createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Callback } from '../../../../../src/lib/emulator/base/embedding.ts';
import { MOST_RECEIVERS } from '../../../../../src/lib/emulator/callbacks/dispatcher.ts';
import { type CallbackReceiver, startCallbackReceiver } from '../../../../helpers/callback-receiver.ts';
import { createTestClock } from '../../../../helpers/clock.ts';
import { dsrBody, dsrCaller, raw } from '../../../../helpers/dsr.ts';
import { type Exchange, send, startTestEmulator, type TestEmulator } from '../../../../helpers/emulator.ts';
import { listenOnLoopback } from '../../../../helpers/loopback.ts';
import { opened } from '../../../../helpers/opened.ts';
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts';

const START = Date.parse('2026-03-01T12:03:00Z');
/** The certificate authority is shared, because creating a key is slow. */
const authority = mkdtempSync(join(tmpdir(), 'cdpadm-authority-'));
afterAll(() => rmSync(authority, { recursive: true, force: true }));
const options = { clock: 'manual' as const, systemClock: createTestClock(START), authority };
let emulator: TestEmulator;
let receiver: CallbackReceiver;
beforeEach(async () => {
  receiver = await opened(startCallbackReceiver());
  emulator = await opened(startTestEmulator(options));
});

/** Submits a request with callback URLs at the receiver's `paths`. */
async function submit(change: Record<string, unknown> = {}, paths = ['/']): Promise<string> {
  const body = dsrBody({ status_callback_urls: paths.map((path) => receiver.url + path), ...change });
  const reply = await dsrCaller(emulator)('POST', '/requests/', { body });
  if (reply.status !== 201) throw new Error(reply.text);
  return body.subject_request_id;
}

const control = (method: string, path: string, body?: unknown): Promise<Exchange> =>
  send(method, `${emulator.control}/callbacks${path}`, { body });
const log = async () => (await control('GET', '')).json as Callback[];
/** Waits until all callbacks in progress have been sent, then returns the log. */
async function delivered(): Promise<Callback[]> {
  for (;;) {
    const entries = await log();
    if (!entries.some(({ state }) => state === 'sending')) return entries;
    await turn();
  }
}
const statuses = () => receiver.received.map(({ json }) => json['request_status']);

describe('callbacks', () => {
  it('report every change, including the creation of the request, on the quarter hour', async () => {
    const id = await submit({ group_id: 'a group' });
    expect(await log()).toMatchObject([
      {
        request_status: 'pending',
        state: 'queued',
        queued_on: '2026-03-01T12:03:00.000Z',
        due_on: '2026-03-01T12:15:00.000Z',
      },
    ]);
    await emulator.api.advance('12m');
    await receiver.count(1);
    await emulator.api.advance('15m');
    await receiver.count(2);
    await emulator.api.advance('2d');
    await receiver.count(3);
    expect(statuses()).toEqual(['pending', 'in_progress', 'completed']);
    expect(receiver.received[0]?.json).toEqual({
      controller_id: '3001',
      expected_completion_time: '2026-03-03T12:15:00Z',
      subject_request_id: id,
      request_status: 'pending',
      api_version: '3.0',
      results_url: null,
      extensions: null,
    });
    expect(receiver.received[2]?.json).toMatchObject({
      results_url: `${emulator.ready.dsr_base_url}/requests/${id}/results`,
    });
  });

  it('report a cancellation and the partners that were already notified', async () => {
    await submit({ subject_request_type: 'erasure' });
    await emulator.api.advance('1d');
    const [entry] = await log();
    await dsrCaller(emulator)('DELETE', `/requests/${entry?.subject_request_id ?? ''}`);
    await emulator.api.advance('15m');
    await receiver.count(2);
    expect(receiver.received[1]?.json).toMatchObject({
      request_status: 'cancelled',
      expected_completion_time: null,
      extensions: [{ domain: 'mail.partner.example', status: 'sent' }, { status: 'skipped' }],
    });
  });

  it('are sent to every address in order, even if the clock skips many quarter hours', async () => {
    for (const at of [1, 2, 3])
      await submit({ subject_identities: { email: raw(`${at}@people.example`) } }, ['/a', '/b']);
    await emulator.api.advance('30d');
    await receiver.count(18);
    for (const path of ['/a', '/b']) {
      const own = receiver.received.filter((each) => each.path === path).map(({ json }) => json['request_status']);
      expect(own).toEqual(['pending', 'in_progress', 'completed'].flatMap((state) => [state, state, state]));
    }
    expect((await delivered()).map(({ state }) => state)).toEqual(Array.from({ length: 18 }, () => 'delivered'));
  });

  describe('with a signature over the raw body', () => {
    async function signed() {
      await submit();
      await control('POST', '/flush');
      const [callback] = receiver.received;
      if (!callback) throw new Error('no callback received');
      const { body, headers } = callback;
      const signature = Buffer.from(String(headers['x-opendsr-signature']), 'base64');
      const key = createPublicKey((await emulator.send('GET', '/certificates/processor.pem')).text);
      return { body, headers, key, signature };
    }

    it('are verified by node:crypto', async () => {
      const { body, headers, key, signature } = await signed();
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': String(body.length),
        'x-opendsr-processor-domain': 'opendsr.platform.example',
      });
      expect(verify('sha256', body, key, signature)).toBe(true);
    });
  });

  it('are not sent for requests without callback URLs', async () => {
    await submit({ status_callback_urls: [] });
    await emulator.api.advance('30d');
    expect(await log()).toEqual([]);
  });
});

describe('a receiver', () => {
  it.each([[200], [401], [500], [307], ['reset' as const]])(
    'is called again later if its response is %s',
    async (answer) => {
      receiver.next(answer);
      await submit();
      await emulator.api.advance('12m');
      await receiver.count(1);
      const [entry] = await delivered();
      expect(entry).toMatchObject({
        state: 'queued',
        due_on: '2026-03-01T12:30:00.000Z',
        attempts: [{ at: '2026-03-01T12:15:00.000Z', status: answer === 'reset' ? null : answer }],
      });
      expect(entry?.attempts[0]?.error).toEqual(answer === 'reset' ? expect.any(String) : null);
      await emulator.api.advance('15m');
      await receiver.count(3);
      expect(statuses()).toEqual(['pending', 'pending', 'in_progress']);
      expect(await delivered()).toMatchObject([
        { state: 'delivered', attempts: [{}, { status: 202, error: null }] },
        { state: 'delivered' },
      ]);
    },
  );

  it("receives a request's callbacks in order, even after a failed delivery", async () => {
    receiver.next(503, 503);
    await submit();
    // Both callbacks are due at 12:30; the second waits for the first.
    await emulator.api.advance('27m');
    expect(await log()).toMatchObject([
      { state: 'queued', attempts: [{ status: 503 }, { status: 503 }] },
      { state: 'queued', attempts: [] },
    ]);
    await emulator.api.advance('15m');
    expect(statuses()).toEqual(['pending', 'pending', 'pending', 'in_progress']);
  });

  it('receives every due callback before the call that advances the clock returns', async () => {
    await submit();
    await emulator.api.advance('3d');
    expect(statuses()).toEqual(['pending', 'in_progress', 'completed']);
    expect((await log()).map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered']);
  });

  it('is called at each quarter hour that passes when the clock is advanced', async () => {
    receiver.next(...Array.from({ length: 200 }, () => 500));
    await submit();
    await emulator.api.advance('1h');
    expect((await log())[0]?.attempts.map(({ at }) => at.slice(11, 16))).toEqual(['12:15', '12:30', '12:45', '13:00']);
    await emulator.api.advance('3d');
    expect((await log())[0]).toMatchObject({ state: 'failed', attempts: { length: 96 } });
  });

  it('is called again at a later time, not in the past, if it fails after the clock has advanced', async () => {
    let fail: (() => void) | undefined;
    const slow = createServer((_request, response) => (fail = () => response.writeHead(500).end()));
    const port = await listenOnLoopback(slow);
    onTestFinished(() => void slow.close());
    await submit({ status_callback_urls: [`http://127.0.0.1:${port}/`] });
    await emulator.api.advance('12m');
    await emulator.api.advance('1h');
    fail?.();
    const [entry] = await delivered();
    expect(entry).toMatchObject({ state: 'queued', due_on: '2026-03-01T13:30:00.000Z', attempts: [{ status: 500 }] });
  });

  it('receives callbacks for other requests even if it rejects the callbacks for one request', async () => {
    receiver.next(401);
    const rejected = await submit();
    const other = await submit({ subject_identities: { email: raw('other@people.example') } });
    await emulator.api.advance('12m');
    await receiver.count(2);
    const entries = await delivered();
    expect(entries.map((entry) => [entry.subject_request_id, entry.state])).toEqual([
      [rejected, 'queued'],
      [other, 'delivered'],
      [rejected, 'queued'],
      [other, 'queued'],
    ]);
  });

  it('is called once per round, up to 96 times, if it is unreachable', async () => {
    await submit();
    await submit({ subject_identities: { email: raw('other@people.example') } });
    await receiver.close();
    await emulator.api.advance('12m');
    await delivered();
    const [first] = await log();
    expect((await log()).map(({ attempts }) => attempts.length)).toEqual([1, 0, 0, 0]);
    for (let attempt = 1; attempt < 96; attempt++) await control('POST', '/resend', { id: first?.id });
    const [failed, other] = await log();
    expect(failed).toMatchObject({ state: 'failed' });
    expect(failed?.attempts).toHaveLength(96);
    expect(other).toMatchObject({ state: 'queued', attempts: [] });
  });

  it('is one of a limited number of receivers that are called at once, and is called even if another hangs', async () => {
    const paths = Array.from({ length: 2 * MOST_RECEIVERS }, (_, index) => `/${index}`);
    const waiting = new Map<string, ServerResponse>();
    let arrive: (count: number) => void = () => undefined;
    let isOpen = false;
    const others = createServer((request, response) => {
      if (request.url === '/probe' || isOpen) response.writeHead(202).end();
      else arrive(waiting.set(request.url ?? '', response).size);
    });
    const url = `http://127.0.0.1:${await listenOnLoopback(others)}`;
    onTestFinished(() => {
      others.closeAllConnections();
      others.close();
    });
    await submit({ status_callback_urls: paths.map((path) => url + path) });
    const allBusy = new Promise<void>((resolve) => (arrive = (count) => count === MOST_RECEIVERS && resolve()));
    const advanced = emulator.api.advance('12m');
    await allBusy;
    // A call to a further receiver would arrive before this request.
    await fetch(`${url}/probe`);
    expect(waiting.size).toBe(MOST_RECEIVERS);
    isOpen = true;
    for (const [path, response] of waiting) if (path !== '/0') response.writeHead(202).end();
    await advanced;
    const sending = async () => (await log()).filter(({ state }) => state === 'sending').map((entry) => entry.url);
    while ((await sending()).length > 1) await turn();
    expect(await sending()).toEqual([`${url}/0`]);
    expect((await log()).filter(({ state }) => state === 'delivered')).toHaveLength(paths.length - 1);
  });

  it('does not block the platform if it hangs', async () => {
    receiver.next('hang');
    await submit();
    await emulator.api.advance('12m');
    await receiver.count(1);
    expect((await dsrCaller(emulator)('GET', '/discovery/')).status).toBe(200);
    expect(await log()).toMatchObject([{ state: 'sending', attempts: [] }, { state: 'queued' }]);
  });
});

describe('the queue', () => {
  it("resumes after a restart, with the platform's new address in the callbacks", async () => {
    const data = temporaryFolder();
    await emulator.close();
    emulator = await opened(startTestEmulator({ ...options, data }));
    receiver.next('hang');
    const id = await submit();
    await emulator.api.advance('30d');
    await receiver.count(1);
    await emulator.close();
    emulator = await opened(startTestEmulator({ ...options, data }));
    await receiver.count(4);
    expect(statuses()).toEqual(['pending', 'pending', 'in_progress', 'completed']);
    expect(receiver.received[3]?.json['results_url']).toBe(`${emulator.ready.dsr_base_url}/requests/${id}/results`);
    expect((await delivered()).map(({ state, attempts }) => [state, attempts.length])).toEqual(
      Array.from({ length: 3 }, () => ['delivered', 1]),
    );
  });

  it('is empty after a reset', async () => {
    await submit();
    await emulator.reset();
    expect(await log()).toEqual([]);
    await emulator.api.advance('1d');
    await delivered();
    expect(receiver.received).toEqual([]);
  });
});

describe('the control address for callbacks', () => {
  it('flushes queued callbacks immediately and returns their results', async () => {
    await submit();
    const reply = await control('POST', '/flush');
    expect([reply.status, reply.json]).toEqual([200, [expect.objectContaining({ state: 'delivered' })]]);
    expect(statuses()).toEqual(['pending']);
    expect((await control('POST', '/flush')).json).toEqual([]);
  });

  it('resends a callback by id, the callbacks of a request, or all undelivered callbacks', async () => {
    const [first, second] = [await submit(), await submit({ subject_identities: { email: raw('b') } })];
    await control('POST', '/flush');
    const entries = await log();
    expect((await control('POST', '/resend', { id: entries[1]?.id })).json).toMatchObject([
      { subject_request_id: second, attempts: [{}, {}] },
    ]);
    expect((await control('POST', '/resend', { subject_request_id: first.toUpperCase() })).json).toMatchObject([
      { subject_request_id: first, state: 'delivered' },
    ]);
    expect((await control('POST', '/resend')).json).toEqual([]);
    await emulator.api.advance('13m');
    receiver.next(500, 500);
    expect((await control('POST', '/resend', {})).json).toMatchObject([{ state: 'queued' }, { state: 'queued' }]);
    expect((await control('POST', '/resend', {})).json).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
    expect(statuses()).toHaveLength(8);
  });

  it.each([
    [{ id: 99 }, 404, 'Not found: no callback has the id 99'],
    [{ subject_request_id: 'x' }, 404, 'Not found: no callback has the request id x'],
    [{ id: 1, subject_request_id: 'x' }, 400, 'Bad request: pass either id or subject_request_id'],
    [{ request: 'x' }, 400, 'Bad request: unknown field `request`'],
  ])('rejects the resend request %j', async (body, status, message) => {
    const reply = await control('POST', '/resend', body);
    expect([reply.status, reply.json]).toEqual([status, { statusCode: status, errors: [{ message }] }]);
  });
});
