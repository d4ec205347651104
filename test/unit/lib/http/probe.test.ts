// A look at an address without credentials: what it asks, what it sees, and that it does not wait for ever.
import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { probeAddress } from '../../../../src/lib/http/engines/probe.ts';
import { makeCertificate } from '../../../helpers/certificate.ts';
import { createTestClock, TEST_TIME } from '../../../helpers/clock.ts';
import { answer, type Fault, hangUp, silence, startFaultServer } from '../../../helpers/fault-server.ts';
import { opened } from '../../../helpers/opened.ts';
import { never } from './setup.ts';

const options = { timeoutMs: 20_000, clock: createTestClock(), signal: never };

/** A server that answers with that. */
async function serverOf(fault: Fault, tls?: { key: string; cert: string }) {
  const server = await opened(startFaultServer(tls && { tls }));
  server.otherwise(fault);
  return server;
}

it('asks for the head of the address itself, with nothing that says who asks', async () => {
  const server = await serverOf(answer({ status: 404 }));
  expect(await probeAddress(`${server.url}/v2?x=1`, options)).toEqual({
    status: 404,
    clockAheadMs: undefined,
    certificateEnds: undefined,
  });
  expect(server.requests).toMatchObject([{ method: 'HEAD', target: '/v2?x=1' }]);
  expect(Object.keys(server.requests[0]?.headers ?? {}).sort()).toEqual(['connection', 'host']);
});

it.each([
  ['behind', 'Sat, 21 Nov 2026 08:00:30 GMT', -30_000],
  ['ahead', 'Sat, 21 Nov 2026 07:59:00 GMT', 60_000],
  ['right', new Date(TEST_TIME).toUTCString(), 0],
  ['not to be told from no time', 'now', undefined],
])('sees that the clock is %s', async (_how, date, clockAheadMs) => {
  const server = await serverOf(answer({ headers: { date } }));
  expect(await probeAddress(server.url, options)).toMatchObject({ status: 200, clockAheadMs });
});

it('sees when the certificate ends', async () => {
  const tls = makeCertificate();
  const server = await serverOf(answer({}), tls);
  const { certificateEnds } = await probeAddress(server.url, { ...options, extraAuthorities: tls.cert });
  expect(certificateEnds).toBe(Date.parse(new X509Certificate(tls.cert).validTo));
});

it('waits for an answer as long as it is told to', async () => {
  const server = await serverOf(silence);
  await expect(probeAddress(server.url, { ...options, timeoutMs: 30 })).rejects.toMatchObject({
    code: 'ETIMEDOUT',
    message: 'no answer in time',
  });
});

it('ends with what is wrong, and when it is stopped', async () => {
  const server = await serverOf(hangUp);
  await expect(probeAddress(server.url, options)).rejects.toMatchObject({ code: 'ECONNRESET' });
  const stopped = new AbortController();
  const silent = await serverOf((_socket, _request) => stopped.abort());
  await expect(probeAddress(silent.url, { ...options, signal: stopped.signal })).rejects.toMatchObject({
    name: 'AbortError',
  });
});
