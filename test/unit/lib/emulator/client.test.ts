// Tests the control client with which other programs control a running platform.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { connectEmulator } from '../../../../src/lib/emulator/client.ts';
import { startCallbackReceiver } from '../../../helpers/callback-receiver.ts';
import { dsrBody } from '../../../helpers/dsr.ts';
import { basicAuth, send, startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';
import { answer, startFaultServer } from '../../../helpers/fault-server.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { opened } from '../../../helpers/opened.ts';

let platform: TestEmulator;
beforeAll(async () => {
  platform = await startTestEmulator({ clock: 'manual' });
});
beforeEach(() => platform.reset());
afterAll(() => platform.close());

it('moves the clock and returns the new time', async () => {
  const { clock } = platform;
  expect(await clock.set('2026-01-31T08:00:00Z')).toBe('2026-01-31T08:00:00.000Z');
  expect(await clock.advance('8d')).toBe('2026-02-08T08:00:00.000Z');
  expect(await clock.now()).toBe('2026-02-08T08:00:00.000Z');
});

it('adds, lists and clears faults', async () => {
  const fault = { method: 'GET', path: '/v3/*', status: 503, times: 2 };
  expect(await platform.faults.add(fault)).toEqual(fault);
  expect(await platform.faults.list()).toEqual([fault]);
  await platform.faults.clear();
  expect(await platform.faults.list()).toEqual([]);
});

it('lists requests, callbacks and stored data', async () => {
  await send('GET', `${platform.url}/v3/discovery`);
  expect((await platform.log()).at(-1)).toMatchObject({ method: 'GET', path: '/v3/discovery' });
  expect(await platform.callbacks.list()).toEqual([]);
  expect(await platform.callbacks()).toEqual([]);
  expect(await platform.state.profiles({ email: 'nobody@example.com' })).toEqual([]);
  expect(await platform.profiles({ email: 'nobody@example.com' })).toEqual([]);
  expect(Object.keys(await platform.state.counts())).toEqual(['profiles', 'seeds', 'events']);
});

it('sends queued or selected callbacks, and returns each of them, delivered or not', async () => {
  const receiver = await opened(startCallbackReceiver());
  const { workspace_key: key, workspace_secret: secret } = platform.ready;
  const body = dsrBody({ status_callback_urls: [receiver.url] });
  await platform.send('POST', '/v3/requests/', { headers: basicAuth(`${key}:${secret}`), body: JSON.stringify(body) });
  const [sent, ...others] = await platform.callbacks.flush();
  expect([sent?.state, others, await platform.callbacks.flush()]).toEqual(['delivered', [], []]);
  expect(await platform.callbacks.resend()).toEqual([]);
  receiver.next(500);
  const requeued = await platform.callbacks.resend({ id: sent?.id ?? 0 });
  expect(requeued).toMatchObject([{ id: sent?.id, state: 'queued', attempts: [{ status: 202 }, { status: 500 }] }]);
  expect(await platform.callbacks()).toEqual(requeued);
  expect(await platform.callbacks.resend()).toMatchObject([
    { state: 'delivered', attempts: [{}, {}, { status: 202 }] },
  ]);
  const { subject_request_id } = body;
  expect(await platform.callbacks.resend({ subject_request_id })).toMatchObject([{ attempts: [{}, {}, {}, {}] }]);
  expect(receiver.received).toHaveLength(4);
});

it('assigns a role', async () => {
  expect(await platform.assignRole('user-role', 'jane@example.com')).toEqual({
    role_id: 'user-role',
    user: 'jane@example.com',
    org_id: platform.ready.org_id,
  });
});

it("throws the platform's reason for a rejection", async () => {
  const client = connectEmulator(platform.control);
  expect(await failureOf(client.clock.advance('soon'))).toMatchObject({
    code: 'usage',
    message: expect.stringMatching(
      /^The embedded platform rejected the call: .*is not a duration such as 90m or 8d/,
    ) as string,
  });
  expect(await failureOf(client.assignRole('no-role', 'jane@example.com'))).toMatchObject({
    code: 'emulator.refused',
    status: 404,
  });
});

it('throws an error if nothing listens at the address', async () => {
  const closed = await startTestEmulator();
  await closed.close();
  expect(await failureOf(closed.clock.now())).toMatchObject({ code: 'emulator.unreachable' });
});

it.each([
  ['<html>', 'is not JSON'],
  ['', 'is empty'],
  ['null', 'is not the expected JSON'],
  ['{}', 'is not the expected JSON'],
  ['[{}]', 'is not the expected JSON'],
])('rejects each call if another program answers it with %j', async (body, problem) => {
  const server = await opened(startFaultServer());
  server.otherwise(answer({ body }));
  const client = connectEmulator(server.url);
  const calls = [
    () => client.clock.now(),
    () => client.clock.advance('1d'),
    () => client.faults.add({ status: 503 }),
    () => client.callbacks(),
    () => client.state.counts(),
    () => client.requests(),
    () => client.reset(),
    () => client.snapshot(),
    () => client.restore(1),
    () => client.assignRole('user-role', 'jane@example.com'),
  ];
  for (const call of calls) {
    expect(await failureOf(call())).toMatchObject({
      code: 'emulator.unreadable',
      message: expect.stringContaining(`sent a response that ${problem}`) as string,
    });
  }
});

it('accepts a control address with a trailing slash, and rejects anything but an http URL', async () => {
  expect(await connectEmulator(`${platform.control}/`).faults.list()).toEqual([]);
  for (const address of ['127.0.0.1:4010', 'https://127.0.0.1:4010/_control', undefined as unknown as string]) {
    expect(() => connectEmulator(address)).toThrow('expects the `control_url` from a ready line');
  }
});

it('rejects a call without its argument, but accepts an argument with undefined fields', async () => {
  const none = undefined as never;
  const calls = [() => platform.faults.add(none), () => platform.clock.set(none), () => platform.restore(none)];
  for (const call of calls) {
    expect(await failureOf(call())).toMatchObject({ code: 'usage' });
  }
  expect(await platform.faults.add({ status: 503, times: undefined })).toEqual({ status: 503 });
});
