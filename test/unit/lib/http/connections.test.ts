// The connections of both engines: kept for the next call, given up with the call, and reached by any kind of address.
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
const tries = [undefined, makeCertificate()];

describe.each(['node', 'pool'] as const)('engine %s', (engine) => {
  it('keeps a connection for the calls that follow, with TLS too', async () => {
    for (const tls of tries) {
      const server = await opened(startFaultServer(tls && { tls }));
      server.otherwise(json({ id: 'a' }));
      const http = testClient(server.url, { engine, extraAuthorities: tls?.cert });
      for (let call = 0; call < 6; call++) await http.call(getThing, { params });
      expect(server.requests).toHaveLength(6);
      // The pool may open a second one while the first is still putting its answer away.
      expect(server.connections).toBeLessThanOrEqual(engine === 'node' ? 1 : 2);
    }
  });

  it('takes a call that was sent for sent, over a new connection as over a kept one, with TLS too', async () => {
    for (const tls of tries) {
      const server = await opened(startFaultServer(tls && { tls }));
      server.otherwise(json({ id: 'a' }));
      const http = testClient(server.url, { engine, extraAuthorities: tls?.cert });
      for (const sent of [1, 3]) {
        server.next(hangUp);
        expect(await failureOf(http.call(triggerThing, { body: { id: 'a' } }))).toMatchObject({
          code: 'http.outcome_unknown',
        });
        // A trigger that may have arrived is never repeated.
        expect(server.requests).toHaveLength(sent);
        await http.call(getThing, { params });
      }
    }
  });

  it('opens another where one is taken', async () => {
    const server = await opened(startFaultServer());
    server.otherwise(json({ id: 'a' }));
    const http = testClient(server.url, { engine });
    await Promise.all([http.call(getThing, { params }), http.call(getThing, { params })]);
    expect(server.connections).toBe(2);
  });

  it('gives up the connection of a call that is stopped', async () => {
    const server = await opened(startFaultServer());
    const stopped = new AbortController();
    const taken: Socket[] = [];
    server.otherwise((socket, request) => {
      taken.push(socket);
      silence(socket, request);
      stopped.abort();
    });
    const http = testClient(server.url, { engine, signal: stopped.signal });
    expect(await failureOf(http.call(getThing, { params }))).toMatchObject({ name: 'AbortError' });
    const [socket] = taken;
    if (socket && !socket.destroyed) await once(socket, 'close');
    expect(socket?.destroyed).toBe(true);
  });

  it('sends what a path holds as one part of it', async () => {
    const server = await opened(startFaultServer());
    server.otherwise(answer({ status: 404, body: '{}' }));
    await failureOf(testClient(server.url, { engine }).call(getThing, { params: { thingId: 'a/b?c' } }));
    expect(server.requests).toMatchObject([{ method: 'GET', target: expect.stringContaining('a%2Fb%3Fc') as string }]);
  });
});

it('an answer of 407 is the refusal of a proxy to the pool, which alone is used through one', async () => {
  const server = await opened(startFaultServer());
  server.otherwise(answer({ status: 407 }));
  const http = testClient(server.url, { engine: 'pool' });
  // Nothing was delivered, so that even of a trigger nothing is left open.
  for (const call of [http.call(getThing, { params }), http.call(triggerThing, { body: { id: 'a' } })]) {
    const error = await failureOf(call);
    expect(error).toMatchObject({ code: 'network.proxy' });
    expect(error.message).toContain('(it answered 407)');
  }
});

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
it.skipIf(!hasIpv6)('an address of IPv6 is reached in its brackets', async () => {
  const server = createServer((_request, response) => response.end('{"id":"a"}'));
  server.listen(0, '::1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://[::1]:${(server.address() as AddressInfo).port}`;
  for (const engine of ['node', 'pool'] as const) {
    await expect(testClient(url, { engine }).call(getThing, { params })).resolves.toEqual({ id: 'a' });
  }
});
