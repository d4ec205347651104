// A single callback delivery: the request, the accepted responses, and the receivers that are never called.
import { createServer as createTlsServer } from 'node:https';
import { expect, it, onTestFinished, test, vi } from 'vitest';
import { callReceiver, createCallbackDispatcher } from '../../../../../src/lib/emulator/callbacks/dispatcher.ts';
import { openSigning } from '../../../../../src/lib/emulator/platform/signing.ts';
import { startCallbackReceiver } from '../../../../helpers/callback-receiver.ts';
import { makeCertificate } from '../../../../helpers/certificate.ts';
import { listenOnLoopback } from '../../../../helpers/loopback.ts';
import { opened } from '../../../../helpers/opened.ts';

const never = new AbortController().signal;

it('posts the unchanged body and returns only the status', async () => {
  const receiver = await opened(startCallbackReceiver());
  receiver.next(202, 418);
  const body = '{"name":"Zoë 🦊"}';
  const call = () => callReceiver(`${receiver.url}/a?b=c`, body, { 'x-one': '1' }, never);
  expect([await call(), await call()]).toEqual([
    { status: 202, error: null },
    { status: 418, error: null },
  ]);
  const [received] = receiver.received;
  expect(received).toMatchObject({
    path: '/a?b=c',
    headers: { 'x-one': '1', 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) },
  });
  expect(received?.body.toString('utf8')).toBe(body);
});

it.each([
  ['opendsr.platform.example', true],
  ['opendsr.other.example', false],
])("checks whether the certificate for %s is for the platform's own domain", async (domain, ok) => {
  const signing = await openSigning(undefined);
  const platform = {
    fixtures: { processor_domain: 'opendsr.platform.example' },
    signing: { ...signing, signer: () => signing.signer(domain) },
    baseUrl: () => '',
  } as unknown as Parameters<typeof createCallbackDispatcher>[1];
  const store = {} as Parameters<typeof createCallbackDispatcher>[0];
  const callback = { body: '{"request_status":"completed"}' } as Parameters<
    ReturnType<typeof createCallbackDispatcher>['check']
  >[0];
  const checks = await createCallbackDispatcher(store, platform).check(callback);
  expect(checks.map((check) => [check.name, check.ok])).toEqual([
    ['domain', true],
    ['certificate_fetched', true],
    ['certificate', ok],
    ['signature', true],
  ]);
});

it('does not follow redirects', async () => {
  const receiver = await opened(startCallbackReceiver());
  receiver.next(307);
  expect(await callReceiver(receiver.url, '{}', {}, never)).toEqual({ status: 307, error: null });
  expect(receiver.received).toHaveLength(1);
});

it('reports why there is no response', async () => {
  const receiver = await startCallbackReceiver();
  receiver.next('reset');
  expect(await callReceiver(receiver.url, '{}', {}, never)).toMatchObject({
    status: null,
    error: expect.stringMatching(/ECONNRESET|hang up/) as string,
  });
  await receiver.close();
  const local = receiver.url.replace('127.0.0.1', 'localhost');
  expect(await callReceiver(local, '{}', {}, never)).toMatchObject({
    status: null,
    error: expect.stringMatching(/ECONNREFUSED/) as string,
  });
  expect(await callReceiver(receiver.url, '{}', {}, never)).toMatchObject({
    status: null,
    error: expect.stringMatching(/ECONNREFUSED/) as string,
  });
});

test('does not call a receiver on another machine without TLS', async () => {
  const result = await callReceiver('http://receiver.example/', '{}', {}, never);
  expect(result).toEqual({ status: null, error: 'TLS is required for this address' });
});

it('rejects an untrusted certificate, even if the environment disables the check', async () => {
  const server = createTlsServer({ ...makeCertificate() }, () => {
    throw new Error('unexpected call');
  });
  const port = await listenOnLoopback(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const result = await callReceiver(`https://127.0.0.1:${port}/`, '{}', {}, never);
  expect(result).toMatchObject({ status: null, error: expect.stringMatching(/self.signed/) as string });
});

it("rejects with the abort's reason", async () => {
  const receiver = await opened(startCallbackReceiver());
  receiver.next('hang');
  const stop = new AbortController();
  const call = callReceiver(receiver.url, '{}', {}, stop.signal);
  await receiver.count(1);
  const reason = new Error('shutdown');
  stop.abort(reason);
  await expect(call).rejects.toBe(reason);
});
