// Certificates and proxies with both engines.
import { createServer as createPlainServer, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { probeAddress } from '../../../../src/lib/http/engines/node-engine.ts';
import { systemClock } from '../../../../src/lib/kernel/clock.ts';
import { makeCertificate } from '../../../helpers/certificate.ts';
import { type FaultServer, json, raw, startFaultServer } from '../../../helpers/fault-server.ts';
import { listenOnLoopback } from '../../../helpers/loopback.ts';
import { startProxy } from '../../../helpers/proxy-server.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { opened } from '../../../helpers/opened.ts';
import { getNumber, getThing, triggerThing } from './endpoints.ts';
import { never, testClient } from './setup.ts';

const params = { thingId: 'a' };
afterEach(() => vi.unstubAllEnvs());
/** Sends an unsolicited `100 Continue`, then the response. */
const CONTINUES = raw('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"id":"a"}');

describe('TLS', () => {
  const tls = makeCertificate();
  let server: FaultServer;
  beforeEach(async () => {
    server = await opened(startFaultServer({ tls }));
    server.otherwise(json({ id: 'a' }));
  });

  test('verifies certificates in probes as it does in calls, even if the environment disables the check', async () => {
    const options = { timeoutMs: 5000, clock: systemClock, signal: never };
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    await expect(probeAddress(server.url, options)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    await expect(probeAddress(server.url, { ...options, extraAuthorities: tls.cert })).resolves.toMatchObject({
      status: 200,
    });
  });

  describe.each(['node', 'pool'] as const)('engine %s', (engine) => {
    test('rejects an untrusted certificate immediately and sends nothing', async () => {
      const http = testClient(server.url, { engine });
      const error = await failureOf(http.call(triggerThing, { body: { id: 'a' } }));
      expect(error).toMatchObject({
        code: 'network.certificate',
        hint: expect.stringContaining('--ca-file') as string,
      });
      expect(error.message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
      expect(http.clock.sleeps).toEqual([]);
      expect(server.requests).toEqual([]);
    });

    test('never sends a call that is aborted before the connection is established', async () => {
      const stop = new AbortController();
      const slow = createServer(tls);
      const end = new Promise<string>((resolve) => {
        slow.on('secureConnection', (socket) => socket.on('data', (request: Buffer) => resolve(request.toString())));
        slow.on('connection', (socket: Socket) => {
          socket.once('close', () => resolve('closed'));
          stop.abort(new Error('enough'));
        });
      });
      const port = await listenOnLoopback(slow);
      onTestFinished(() => void slow.close());
      const http = testClient(`https://127.0.0.1:${port}`, { engine, extraAuthorities: tls.cert });
      const call = http.call(triggerThing, { body: { id: 'a' }, signal: stop.signal });
      expect((await failureOf(call)).message).toBe('enough');
      expect(await end).toBe('closed');
    });

    test('verifies the certificate even if the environment disables the check', async () => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      const error = await failureOf(testClient(server.url, { engine }).call(getThing, { params }));
      expect(error).toMatchObject({ code: 'network.certificate' });
      expect(server.requests).toEqual([]);
    });

    test('trusts a configured authority', async () => {
      const http = testClient(server.url, { engine, extraAuthorities: tls.cert });
      await expect(http.call(getThing, { params })).resolves.toEqual({ id: 'a' });
      await expect(http.call(getThing, { params })).resolves.toEqual({ id: 'a' });
      // The undici pool may open a second connection before the first is free again.
      expect(server.connections).toBeLessThanOrEqual(engine === 'node' ? 1 : 2);
    });

    test('rejects a certificate for a different host name', async () => {
      const url = server.url.replace('127.0.0.1', '127.0.0.2');
      const proxy = await opened(startProxy(server.port));
      const http = testClient(url, { engine, extraAuthorities: tls.cert, proxy: { https: proxy.url } });
      const error = await failureOf(http.call(getThing, { params }));
      expect(error).toMatchObject({ code: 'network.certificate' });
      expect(server.requests).toEqual([]);
    });

    const DAY = 86_400_000;
    test.each([
      ['an expired certificate', -3 * DAY, -DAY, 'has expired', 'CERT_HAS_EXPIRED'],
      ['a certificate that is not yet valid', DAY, 3 * DAY, 'not yet valid', 'CERT_NOT_YET_VALID'],
    ])('rejects %s even if its authority is trusted', async (_how, from, until, words, code) => {
      const now = Date.now();
      const dated = makeCertificate({ from: now + from, until: now + until });
      const old = await opened(startFaultServer({ tls: dated }));
      const http = testClient(old.url, { engine, extraAuthorities: dated.cert });
      const error = await failureOf(http.call(triggerThing, { body: { id: 'a' } }));
      expect(error).toMatchObject({
        code: 'network.certificate',
        hint: expect.stringMatching(
          /^Check this machine's clock\. .* renew the certificate\. Nothing was sent\.$/,
        ) as string,
      });
      expect(error.message).toContain(words);
      expect(error.message).toContain(code);
      expect(http.clock.sleeps).toEqual([]);
      expect(old.requests).toEqual([]);
    });

    test('reports an authority file without a certificate as a usage error', async () => {
      const http = testClient(server.url, { engine, extraAuthorities: 'no certificate at all' });
      expect(await failureOf(http.call(getThing, { params }))).toMatchObject({
        code: 'usage',
        hint: expect.stringContaining('--ca-file') as string,
      });
    });

    test('sends HTTPS calls through a tunnel that hides the call and its credentials from the proxy', async () => {
      const proxy = await opened(startProxy(server.port, 's3cret/pass'));
      const http = testClient('https://platform.test', {
        engine,
        extraAuthorities: tls.cert,
        proxy: { https: proxy.url.replace('//', '//user:s3cret%2Fpass@') },
      });
      await expect(http.call(getThing, { params })).resolves.toEqual({ id: 'a' });
      expect(proxy.asked.map(({ line }) => line)).toEqual(['CONNECT platform.test:443']);
      expect(server.requests[0]?.headers).toMatchObject({ host: 'platform.test' });
      expect(server.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
      expect(JSON.stringify([http.debug, http.traces])).not.toContain('s3cret');
    });

    test('accepts an unsolicited `100 Continue` through a tunnel', async () => {
      const proxy = await opened(startProxy(server.port));
      server.otherwise(CONTINUES);
      const extraAuthorities = tls.cert;
      const http = testClient('https://platform.test', { engine, extraAuthorities, proxy: { https: proxy.url } });
      await expect(http.call(triggerThing, { body: { id: 'a' } })).resolves.toEqual({ id: 'a' });
      expect(server.requests).toHaveLength(1);
    });

    test.each([
      ['closes the connection', ''],
      ['sends something other than HTTP', '<html>'],
    ])('reports a proxy that %s, and does not try again', async (_how, text) => {
      let connections = 0;
      const proxy = createPlainServer((socket) => {
        connections++;
        socket.once('data', () => socket.end(text)).on('error', () => undefined);
      });
      const origin = `127.0.0.1:${await listenOnLoopback(proxy)}`;
      onTestFinished(() => void proxy.close());
      const http = testClient('https://platform.test', { engine, proxy: { https: `http://${origin}` } });
      const error = await failureOf(http.call(triggerThing, { body: { id: 'a' } }));
      expect(error).toMatchObject({
        code: 'network.proxy',
        message: `The proxy http://${origin} did not connect to platform.test.`,
      });
      expect({ connections, sleeps: http.clock.sleeps }).toEqual({ connections: 1, sleeps: [] });
    });

    test('reports a proxy that rejects the credentials', async () => {
      const proxy = await opened(startProxy(server.port, 'right'));
      const http = testClient('https://platform.test', {
        engine,
        extraAuthorities: tls.cert,
        proxy: { https: proxy.url.replace('//', '//user:wrong-password@') },
      });
      const error = await failureOf(http.call(triggerThing, { body: { id: 'a' } }));
      expect(error).toMatchObject({ code: 'network.proxy' });
      expect(error.message).toBe(`The proxy ${proxy.url} did not connect to platform.test (it responded with 407).`);
      expect(proxy.asked).toHaveLength(1);
    });
  });
});

describe.each(['node', 'pool'] as const)('proxies, engine %s', (engine) => {
  test('sends unencrypted HTTP through a loopback proxy, as curl does', async () => {
    const server = await opened(startFaultServer());
    server.otherwise(json({ id: 'a' }));
    const proxy = await opened(startProxy(server.port));
    const http = testClient(server.url, { engine, proxy: { http: proxy.url } });
    await expect(http.call(getThing, { params })).resolves.toEqual({ id: 'a' });
    expect(proxy.asked.map(({ line }) => line)).toEqual([`GET ${server.url}/things/a`]);
    expect(server.requests[0]?.target).toBe('/things/a');
  });

  test('always connects directly to an address in NO_PROXY', async () => {
    const [near, far] = [await opened(startFaultServer()), await opened(startFaultServer())];
    near.otherwise(json({ id: 'a' }));
    far.otherwise(json({ run: 1 }));
    const proxy = await opened(startProxy(far.port));
    const http = testClient(near.url, {
      engine,
      address: (service) => (service === 'base' ? near.url : far.url),
      proxy: { http: proxy.url, none: `127.0.0.1:${near.port}` },
    });
    for (let turn = 0; turn < 2; turn++) {
      await http.call(getThing, { params });
      await http.call(getNumber, {});
    }
    expect(proxy.asked.map(({ line }) => line)).toEqual(Array(2).fill(`GET ${far.url}/number`));
    expect([near.requests.length, far.requests.length]).toEqual([2, 2]);
  });

  test('accepts an unsolicited `100 Continue` from a proxy', async () => {
    const proxy = await opened(startFaultServer());
    proxy.otherwise(CONTINUES);
    const http = testClient('http://127.0.0.1:9', { engine, proxy: { http: proxy.url } });
    await expect(http.call(triggerThing, { body: { id: 'a' } })).resolves.toEqual({ id: 'a' });
    expect(proxy.requests.map(({ target }) => target)).toEqual(['http://127.0.0.1:9/things/trigger']);
  });

  test('reports a proxy that requires credentials for unencrypted HTTP', async () => {
    const server = await opened(startFaultServer());
    const proxy = await opened(startProxy(server.port, 'right'));
    const http = testClient(server.url, { engine, proxy: { http: proxy.url } });
    const error = await failureOf(http.call(triggerThing, { body: { id: 'a' } }));
    expect(error).toMatchObject({ code: 'network.proxy', message: expect.stringContaining('407') as string });
    expect(server.requests).toEqual([]);
  });

  test('reports an unreachable proxy without its password', async () => {
    const proxy = await startProxy(1);
    await proxy.close();
    const http = testClient('https://platform.test', {
      engine,
      proxy: { https: proxy.url.replace('//', '//user:pw-canary@') },
    });
    const error = await failureOf(http.call(getThing, { params }));
    expect(error).toMatchObject({ code: 'network.refused' });
    expect(error.message).toContain(`nothing is listening at the proxy ${new URL(proxy.url).host}`);
    expect(error.message).not.toContain('pw-canary');
  });
});
