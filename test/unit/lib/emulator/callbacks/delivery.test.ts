// One call of a callback's receiver: what it is sent, what counts as an answer, and whom it never calls.
import { createServer as createTlsServer } from 'node:https';
import { expect, it, onTestFinished, test, vi } from 'vitest';
import { callReceiver } from '../../../../../src/lib/emulator/callbacks/dispatcher.ts';
import { startCallbackReceiver } from '../../../../helpers/callback-receiver.ts';
import { makeCertificate } from '../../../../helpers/certificate.ts';
import { listenOnLoopback } from '../../../../helpers/loopback.ts';
import { opened } from '../../../../helpers/opened.ts';

const never = new AbortController().signal;

it('posts the body as it is and gives back the status alone', async () => {
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

it('follows no redirect', async () => {
  const receiver = await opened(startCallbackReceiver());
  receiver.next(307);
  expect(await callReceiver(receiver.url, '{}', {}, never)).toEqual({ status: 307, error: null });
  expect(receiver.received).toHaveLength(1);
});

it('says why there is no answer', async () => {
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

test('a receiver without TLS on another machine is not called', async () => {
  const result = await callReceiver('http://receiver.example/', '{}', {}, never);
  expect(result).toEqual({ status: null, error: 'TLS is required for this address' });
});

it('rejects an untrusted certificate, even if the environment disables the check', async () => {
  const server = createTlsServer({ ...makeCertificate() }, () => {
    throw new Error('it was called');
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

it('ends with the reason when it is aborted', async () => {
  const receiver = await opened(startCallbackReceiver());
  receiver.next('hang');
  const stop = new AbortController();
  const call = callReceiver(receiver.url, '{}', {}, stop.signal);
  await receiver.count(1);
  const reason = new Error('the platform ends');
  stop.abort(reason);
  await expect(call).rejects.toBe(reason);
});
