// Downloads from links in responses go into a sink, are retried, and are allowed only from certain URLs.
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, test } from 'vitest';
import type { Link, Sink } from '../../../../src/lib/http/types.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { answer, type FaultServer, json, startFaultServer, truncated } from '../../../helpers/fault-server.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { opened } from '../../../helpers/opened.ts';
import { SECRETS, testClient } from './setup.ts';

let server: FaultServer;
beforeEach(async () => {
  server = await opened(startFaultServer());
});

interface MemorySink extends Sink {
  readonly started: Record<string, string>[];
  bytes(): Buffer;
}

function memorySink(): MemorySink {
  const started: Record<string, string>[] = [];
  let chunks: Buffer[] = [];
  return {
    started,
    bytes: () => Buffer.concat(chunks),
    begin: (headers) => {
      started.push(headers);
      chunks = [];
    },
    write: (chunk) => {
      chunks.push(chunk);
    },
  };
}

const results = (url: string): Link => ({ url, service: 'dsr', accept: '*/*' });

describe.each(['node', 'pool'] as const)('a download with engine %s', (engine) => {
  it('returns arbitrary bytes unchanged, even beyond the response size limit', async () => {
    const body = Buffer.alloc(20 * 1024 * 1024, Buffer.from([0, 255, 10, 128, 7]));
    server.next(answer({ headers: { 'content-type': 'application/zip; charset=nonsense' }, body }));
    const sink = memorySink();
    await testClient(`${server.url}/v3`, { engine }).download(results(`${server.url}/v3/r/1?part=2`), sink);
    expect(sink.bytes().equals(body)).toBe(true);
    expect(sink.started).toEqual([expect.objectContaining({ 'content-type': 'application/zip; charset=nonsense' })]);
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'GET', target: '/v3/r/1?part=2' });
    expect(request?.headers).toMatchObject({ accept: '*/*', 'accept-encoding': 'identity' });
    expect(request?.headers['authorization']).toMatch(/^Basic /);
  });

  it('discards the first part and starts over if the response is truncated', async () => {
    server.next(truncated('0123', 6), answer({ status: 503, body: 'no' }), answer({ body: '0123456789' }));
    const sink = memorySink();
    await testClient(server.url, { engine }).download(results(`${server.url}/r`), sink);
    expect(sink.bytes().toString()).toBe('0123456789');
    expect(server.requests).toHaveLength(3);
    expect(sink.started).toHaveLength(2);
  });

  it("fails immediately with the sink's error", async () => {
    server.otherwise(answer({ body: Buffer.alloc(1000) }));
    const full = new Error('the disk is full');
    const sink: Sink = {
      begin: () => undefined,
      write: () => {
        throw full;
      },
    };
    const client = testClient(server.url, { engine });
    expect(await failureOf(client.download(results(`${server.url}/r`), sink))).toBe(full);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    [404, 'http.not_found'],
    [410, 'http.gone'],
    [401, 'http.unauthorized'],
    [302, 'http.redirect'],
  ])('fails with status %i and writes nothing to the sink', async (status, code) => {
    const headers = { location: 'https://elsewhere.example/' };
    server.otherwise(json({ code: 1, message: 'said so', errors: [] }, { status, headers }));
    const sink = memorySink();
    const failure = await failureOf(testClient(server.url, { engine }).download(results(`${server.url}/r`), sink));
    expect(failure).toMatchObject({ code });
    expect(sink.started).toEqual([]);
  });

  it('fails if the response is compressed, which the request does not allow', async () => {
    server.otherwise(answer({ headers: { 'content-encoding': 'gzip' }, body: gzipSync('x') }));
    const failure = await failureOf(
      testClient(server.url, { engine }).download(results(`${server.url}/r`), memorySink()),
    );
    expect(failure).toMatchObject({ code: 'http.unreadable' });
  });
});

test.each([
  'https://elsewhere.example/v3/r',
  'http://127.0.0.1:1/v3/r',
  'BASE/other/r',
  'BASE/v3x/r',
  'BASE/v3/../other',
  'BASE/v3/%2e%2e/other',
  'http://name:word@HOST/v3/r',
  'file:///etc/passwd',
  'no address',
  '',
])('does not follow a foreign link: %j', async (text) => {
  const url = text.replace('BASE', server.url).replace('HOST', new URL(server.url).host);
  const failure = await failureOf(testClient(`${server.url}/v3`).download(results(url), memorySink()));
  expect(failure).toBeInstanceOf(KnownError);
  expect(failure).toMatchObject({ code: 'http.foreign_link' });
  expect(server.requests).toEqual([]);
});

describe('a link without a service', () => {
  it('is fetched without credentials', async () => {
    server.otherwise(answer({ body: 'pem' }));
    const sink = memorySink();
    const client = testClient('https://platform.example/v3');
    await client.download({ url: `${server.url}/certificate.pem`, accept: 'text/plain' }, sink);
    expect(sink.bytes().toString()).toBe('pem');
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(JSON.stringify(server.requests)).not.toContain(SECRETS.workspaceKey);
  });

  it('is never fetched from another machine over unencrypted HTTP', async () => {
    const client = testClient('https://platform.example/v3');
    const failure = await failureOf(
      client.download({ url: 'http://elsewhere.example/c.pem', accept: '*/*' }, memorySink()),
    );
    expect(failure).toMatchObject({ code: 'http.foreign_link' });
  });

  it('is reported as unauthorized if the response is 401', async () => {
    server.otherwise(answer({ status: 401, body: 'no' }));
    const client = testClient('https://platform.example/v3');
    const failure = await failureOf(client.download({ url: `${server.url}/c.pem`, accept: '*/*' }, memorySink()));
    expect(failure).toMatchObject({ code: 'http.unauthorized' });
  });
});
