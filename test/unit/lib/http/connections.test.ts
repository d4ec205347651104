// Connections of both engines: reuse, closing on abort, and unusual addresses.
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeCertificate } from '../../../helpers/certificate.ts';
import { answer, hangUp, json, silence, startFaultServer } from '../../../helpers/fault-server.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { opened } from '../../../helpers/opened.ts';
import { getThing, triggerThing } from './endpoints.ts';
import { testClient } from './setup.ts';

const params = { thingId: 'a' };
const certificates = [undefined, makeCertificate()];

describe.each(['node', 'pool'] as const)('engine %s', (engine) => {
  it('reuses a connection, with and without TLS', async () => {
    for (const tls of certificates) {
      const server = await opened(startFaultServer(tls && { tls }));
      server.otherwise(json({ id: 'a' }));
      const http = testClient(server.url, { engine, extraAuthorities: tls?.cert });
      for (let call = 0; call < 6; call++) await http.call(getThing, { params });
      expect(server.requests).toHaveLength(6);
      // The pool sometimes opens a second connection before the first one is free again.
      expect(server.connections).toBeLessThanOrEqual(engine === 'node' ? 1 : 2);
    }
  });

  it('treats a sent call as possibly delivered, on new and reused connections, with and without TLS', async () => {
    for (const tls of certificates) {
      const server = await opened(startFaultServer(tls && { tls }));
      server.otherwise(json({ id: 'a' }));
      const http = testClient(server.url, { engine, extraAuthorities: tls?.cert });
      for (const sent of [1, 3]) {
        server.next(hangUp);
        expect(await failureOf(http.call(triggerThing, { body: { id: 'a' } }))).toMatchObject({
          code: 'http.outcome_unknown',
        });
        // A trigger that may have arrived is never retried.
        expect(server.requests).toHaveLength(sent);
        await http.call(getThing, { params });
      }
    }
  });

  it('opens another connection while one is in use', async () => {
    const server = await opened(startFaultServer());
    server.otherwise(json({ id: 'a' }));
    const http = testClient(server.url, { engine });
    await Promise.all([http.call(getThing, { params }), http.call(getThing, { params })]);
    expect(server.connections).toBe(2);
  });

  it('closes the connection of an aborted call', async () => {
    const server = await opened(startFaultServer());
    const stopped = new AbortController();
    const sockets: Socket[] = [];
    server.otherwise((socket, request) => {
      sockets.push(socket);
      silence(socket, request);
      stopped.abort();
    });
    const http = testClient(server.url, { engine, signal: stopped.signal });
    expect(await failureOf(http.call(getThing, { params }))).toMatchObject({ name: 'AbortError' });
    const [socket] = sockets;
    if (socket && !socket.destroyed) await once(socket, 'close');
    expect(socket?.destroyed).toBe(true);
  });

  it('encodes a parameter as one path segment', async () => {
    const server = await opened(startFaultServer());
    server.otherwise(answer({ status: 404, body: '{}' }));
    await failureOf(testClient(server.url, { engine }).call(getThing, { params: { thingId: 'a/b?c' } }));
    expect(server.requests).toMatchObject([{ method: 'GET', target: expect.stringContaining('a%2Fb%3Fc') as string }]);
  });
});

it('treats a 407 in the pool engine as a rejection by the proxy', async () => {
  const server = await opened(startFaultServer());
  server.otherwise(answer({ status: 407 }));
  const http = testClient(server.url, { engine: 'pool' });
  // Nothing was delivered, so even the outcome of a trigger is known.
  for (const call of [http.call(getThing, { params }), http.call(triggerThing, { body: { id: 'a' } })]) {
    const error = await failureOf(call);
    expect(error).toMatchObject({ code: 'network.proxy' });
    expect(error.message).toContain('(it responded with 407)');
  }
});

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
it.skipIf(!hasIpv6)('connects to an IPv6 address in brackets', async () => {
  const server = createServer((_request, response) => response.end('{"id":"a"}'));
  server.listen(0, '::1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://[::1]:${(server.address() as AddressInfo).port}`;
  for (const engine of ['node', 'pool'] as const) {
    await expect(testClient(url, { engine }).call(getThing, { params })).resolves.toEqual({ id: 'a' });
  }
});
