// Links that an answer gave: fetched into a sink, with retries, and only from where they may lead.
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

interface Kept extends Sink {
  readonly begun: Record<string, string>[];
  bytes(): Buffer;
}

function keep(): Kept {
  const begun: Record<string, string>[] = [];
  let chunks: Buffer[] = [];
  return {
    begun,
    bytes: () => Buffer.concat(chunks),
    begin: (headers) => {
      begun.push(headers);
      chunks = [];
    },
    write: (chunk) => {
      chunks.push(chunk);
    },
  };
}

const results = (url: string): Link => ({ url, service: 'dsr', accept: '*/*' });

describe.each(['node', 'pool'] as const)('over %s', (engine) => {
  it('gives the bytes as they are, whatever they are and however many', async () => {
    const body = Buffer.alloc(20 * 1024 * 1024, Buffer.from([0, 255, 10, 128, 7]));
    server.next(answer({ headers: { 'content-type': 'application/zip; charset=nonsense' }, body }));
    const sink = keep();
    await testClient(`${server.url}/v3`, { engine }).download(results(`${server.url}/v3/r/1?part=2`), sink);
    expect(sink.bytes().equals(body)).toBe(true);
    expect(sink.begun).toEqual([expect.objectContaining({ 'content-type': 'application/zip; charset=nonsense' })]);
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'GET', target: '/v3/r/1?part=2' });
    expect(request?.headers).toMatchObject({ accept: '*/*', 'accept-encoding': 'identity' });
    expect(request?.headers['authorization']).toMatch(/^Basic /);
  });

  it('begins again when the answer breaks off, and keeps nothing of what came before', async () => {
    server.next(truncated('0123', 6), answer({ status: 503, body: 'no' }), answer({ body: '0123456789' }));
    const sink = keep();
    await testClient(server.url, { engine }).download(results(`${server.url}/r`), sink);
    expect(sink.bytes().toString()).toBe('0123456789');
    expect(server.requests).toHaveLength(3);
    expect(sink.begun).toHaveLength(2);
  });

  it('ends with what the sink throws, at once', async () => {
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
  ])('%i is an error and nothing for the sink', async (status, code) => {
    const headers = { location: 'https://elsewhere.example/' };
    server.otherwise(json({ code: 1, message: 'said so', errors: [] }, { status, headers }));
    const sink = keep();
    const failure = await failureOf(testClient(server.url, { engine }).download(results(`${server.url}/r`), sink));
    expect(failure).toMatchObject({ code });
    expect(sink.begun).toEqual([]);
  });

  it('refuses a body that is compressed although it was not asked for', async () => {
    server.otherwise(answer({ headers: { 'content-encoding': 'gzip' }, body: gzipSync('x') }));
    const failure = await failureOf(testClient(server.url, { engine }).download(results(`${server.url}/r`), keep()));
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
])('a link that leads elsewhere is not followed: %s', async (text) => {
  const url = text.replace('BASE', server.url).replace('HOST', new URL(server.url).host);
  const failure = await failureOf(testClient(`${server.url}/v3`).download(results(url), keep()));
  expect(failure).toBeInstanceOf(KnownError);
  expect(failure).toMatchObject({ code: 'http.foreign_link' });
  expect(server.requests).toEqual([]);
});

describe('a link without a service', () => {
  it('gets no credentials', async () => {
    server.otherwise(answer({ body: 'pem' }));
    const sink = keep();
    const client = testClient('https://platform.example/v3');
    await client.download({ url: `${server.url}/certificate.pem`, accept: 'text/plain' }, sink);
    expect(sink.bytes().toString()).toBe('pem');
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(JSON.stringify(server.requests)).not.toContain(SECRETS.workspaceKey);
  });

  it('is never plain http to another machine', async () => {
    const client = testClient('https://platform.example/v3');
    const failure = await failureOf(client.download({ url: 'http://elsewhere.example/c.pem', accept: '*/*' }, keep()));
    expect(failure).toMatchObject({ code: 'http.foreign_link' });
  });

  it('is not called refused platform credentials when it answers 401', async () => {
    server.otherwise(answer({ status: 401, body: 'no' }));
    const client = testClient('https://platform.example/v3');
    const failure = await failureOf(client.download({ url: `${server.url}/c.pem`, accept: '*/*' }, keep()));
    expect(failure).toMatchObject({ code: 'http.unauthorized' });
  });
});
