// Tests probes, which do not send credentials: the request, the result and the timeout.
import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { probeAddress } from '../../../../src/lib/http/engines/node-engine.ts';
import { makeCertificate } from '../../../helpers/certificate.ts';
import { createTestClock, TEST_TIME } from '../../../helpers/clock.ts';
import { answer, type Fault, hangUp, silence, startFaultServer } from '../../../helpers/fault-server.ts';
import { opened } from '../../../helpers/opened.ts';
import { never } from './setup.ts';

const options = { timeoutMs: 20_000, clock: createTestClock(), signal: never };

async function serverOf(fault: Fault, tls?: { key: string; cert: string }) {
  const server = await opened(startFaultServer(tls && { tls }));
  server.otherwise(fault);
  return server;
}

it('sends a HEAD request to the address, without identifying headers', async () => {
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
  ['correct', new Date(TEST_TIME).toUTCString(), 0],
  ['unknown if the date is invalid', 'now', undefined],
])('reports that the clock is %s', async (_how, date, clockAheadMs) => {
  const server = await serverOf(answer({ headers: { date } }));
  expect(await probeAddress(server.url, options)).toMatchObject({ status: 200, clockAheadMs });
});

it('reports the time at which the certificate expires', async () => {
  const tls = makeCertificate();
  const server = await serverOf(answer({}), tls);
  const { certificateEnds } = await probeAddress(server.url, { ...options, extraAuthorities: tls.cert });
  expect(certificateEnds).toBe(Date.parse(new X509Certificate(tls.cert).validTo));
});

it('stops at its timeout', async () => {
  const server = await serverOf(silence);
  await expect(probeAddress(server.url, { ...options, timeoutMs: 30 })).rejects.toMatchObject({
    code: 'ETIMEDOUT',
    message: 'no response in time',
  });
});

it("throws the network error, or the abort's reason", async () => {
  const server = await serverOf(hangUp);
  await expect(probeAddress(server.url, options)).rejects.toMatchObject({ code: 'ECONNRESET' });
  const stopped = new AbortController();
  const silent = await serverOf((_socket, _request) => stopped.abort());
  await expect(probeAddress(silent.url, { ...options, signal: stopped.signal })).rejects.toMatchObject({
    name: 'AbortError',
  });
});
