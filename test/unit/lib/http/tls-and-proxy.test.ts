// Certificates that are refused or trusted, and the proxies that requests go through, over both engines.
import type { Socket } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { probeAddress } from '../../../../src/lib/http/engines/probe.ts';
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
/** Says `100 Continue` unasked, and then what was asked for. */
const CONTINUES = raw('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"id":"a"}');

describe('TLS', () => {
  const tls = makeCertificate();
  let server: FaultServer;
  beforeEach(async () => {
    server = await opened(startFaultServer({ tls }));
    server.otherwise(json({ id: 'a' }));
  });

  test('a look at an address judges its certificate as a call does, whatever the environment says', async () => {
    const options = { timeoutMs: 5000, clock: systemClock, signal: never };
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    await expect(probeAddress(server.url, options)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    await expect(probeAddress(server.url, { ...options, extraAuthorities: tls.cert })).resolves.toMatchObject({
      status: 200,
    });
  });

  describe.each(['node', 'pool'] as const)('engine %s', (engine) => {
    test('a certificate that nobody vouches for is refused at once, and nothing is sent', async () => {
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

    test('a call that is stopped before its connection stands is not sent when it does', async () => {
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

    test('the environment cannot turn the check off', async () => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      const error = await failureOf(testClient(server.url, { engine }).call(getThing, { params }));
      expect(error).toMatchObject({ code: 'network.certificate' });
      expect(server.requests).toEqual([]);
    });

    test('an authority of one’s own makes it trusted', async () => {
      const http = testClient(server.url, { engine, extraAuthorities: tls.cert });
      await expect(http.call(getThing, { params })).resolves.toEqual({ id: 'a' });
      await expect(http.call(getThing, { params })).resolves.toEqual({ id: 'a' });
      // undici's pool may open a second one before the first is noticed to be free.
      expect(server.connections).toBeLessThanOrEqual(engine === 'node' ? 1 : 2);
    });

    test('but only for the names that it holds', async () => {
      const url = server.url.replace('127.0.0.1', '127.0.0.2');
      const proxy = await opened(startProxy(server.port));
      const http = testClient(url, { engine, extraAuthorities: tls.cert, proxy: { https: proxy.url } });
      const error = await failureOf(http.call(getThing, { params }));
      expect(error).toMatchObject({ code: 'network.certificate' });
      expect(server.requests).toEqual([]);
    });

    const DAY = 86_400_000;
    test.each([
      ['that has expired', -3 * DAY, -DAY, 'has expired', 'CERT_HAS_EXPIRED'],
      ['that is not valid yet', DAY, 3 * DAY, 'not yet valid', 'CERT_NOT_YET_VALID'],
    ])('nor one %s, though its authority is trusted', async (_how, from, until, words, code) => {
      const now = Date.now();
      const dated = makeCertificate({ from: now + from, until: now + until });
      const old = await opened(startFaultServer({ tls: dated }));
      const http = testClient(old.url, { engine, extraAuthorities: dated.cert });
      const error = await failureOf(http.call(triggerThing, { body: { id: 'a' } }));
      expect(error).toMatchObject({
        code: 'network.certificate',
        hint: expect.stringMatching(
          /^Check the clock of this machine\. .* renew the certificate\. Nothing was sent\.$/,
        ) as string,
      });
      expect(error.message).toContain(words);
      expect(error.message).toContain(code);
      expect(http.clock.sleeps).toEqual([]);
      expect(old.requests).toEqual([]);
    });

    test('a file without a certificate is a usage error', async () => {
      const http = testClient(server.url, { engine, extraAuthorities: 'no certificate at all' });
      expect(await failureOf(http.call(getThing, { params }))).toMatchObject({
        code: 'usage',
        hint: expect.stringContaining('--ca-file') as string,
      });
    });

    test('https goes through a tunnel, and the proxy sees neither the call nor the credentials', async () => {
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

    test('a platform behind a tunnel may say `100 Continue` unasked', async () => {
      const proxy = await opened(startProxy(server.port));
      server.otherwise(CONTINUES);
      const extraAuthorities = tls.cert;
      const http = testClient('https://platform.test', { engine, extraAuthorities, proxy: { https: proxy.url } });
      await expect(http.call(triggerThing, { body: { id: 'a' } })).resolves.toEqual({ id: 'a' });
      expect(server.requests).toHaveLength(1);
    });

    test('a proxy that wants other credentials', async () => {
      const proxy = await opened(startProxy(server.port, 'right'));
      const http = testClient('https://platform.test', {
        engine,
        extraAuthorities: tls.cert,
        proxy: { https: proxy.url.replace('//', '//user:wrong-password@') },
      });
      const error = await failureOf(http.call(triggerThing, { body: { id: 'a' } }));
      expect(error).toMatchObject({ code: 'network.proxy' });
      expect(error.message).toBe(`The proxy ${proxy.url} did not connect to platform.test (it answered 407).`);
      expect(proxy.asked).toHaveLength(1);
    });
  });
});

describe.each(['node', 'pool'] as const)('proxies, engine %s', (engine) => {
  test('plain http goes through a proxy of this machine as curl would send it', async () => {
    const server = await opened(startFaultServer());
    server.otherwise(json({ id: 'a' }));
    const proxy = await opened(startProxy(server.port));
    const http = testClient(server.url, { engine, proxy: { http: proxy.url } });
    await expect(http.call(getThing, { params })).resolves.toEqual({ id: 'a' });
    expect(proxy.asked.map(({ line }) => line)).toEqual([`GET ${server.url}/things/a`]);
    expect(server.requests[0]?.target).toBe('/things/a');
  });

  test('what is excepted from the proxy goes straight, whatever went before', async () => {
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

  test('a proxy may say `100 Continue` unasked', async () => {
    const proxy = await opened(startFaultServer());
    proxy.otherwise(CONTINUES);
    const http = testClient('http://127.0.0.1:9', { engine, proxy: { http: proxy.url } });
    await expect(http.call(triggerThing, { body: { id: 'a' } })).resolves.toEqual({ id: 'a' });
    expect(proxy.requests.map(({ target }) => target)).toEqual(['http://127.0.0.1:9/things/trigger']);
  });

  test('a proxy that wants credentials for plain http', async () => {
    const server = await opened(startFaultServer());
    const proxy = await opened(startProxy(server.port, 'right'));
    const http = testClient(server.url, { engine, proxy: { http: proxy.url } });
    const error = await failureOf(http.call(triggerThing, { body: { id: 'a' } }));
    expect(error).toMatchObject({ code: 'network.proxy', message: expect.stringContaining('407') as string });
    expect(server.requests).toEqual([]);
  });

  test('a proxy that is not there is named, without its password', async () => {
    const proxy = await startProxy(1);
    await proxy.close();
    const http = testClient('https://platform.test', {
      engine,
      proxy: { https: proxy.url.replace('//', '//user:pw-canary@') },
    });
    const error = await failureOf(http.call(getThing, { params }));
    expect(error).toMatchObject({ code: 'network.refused' });
    expect(error.message).toContain(`nothing listens at the proxy ${new URL(proxy.url).host}`);
    expect(error.message).not.toContain('pw-canary');
  });
});
