// Every network fault with both engines: the number of requests and the result of the call.
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { OutcomeUnknownError } from '../../../../src/lib/http/answer/failure.ts';
import type { HttpOptions } from '../../../../src/lib/http/types.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import {
  answer,
  chunked,
  drip,
  type Fault,
  type FaultServer,
  flood,
  hangUp,
  json,
  raw,
  reset,
  silence,
  startFaultServer,
  truncated,
  truncatedChunks,
} from '../../../helpers/fault-server.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { opened } from '../../../helpers/opened.ts';
import { deleteThing, getNumber, getThing, putThing, seedThings, triggerThing } from './endpoints.ts';
import { never, testClient } from './setup.ts';

const VALID = json({ id: 'a' });
const params = { thingId: 'a' };
const body = { id: 'a' };

/** Returns a response that arrives byte by byte. */
function byteByByte(text: string): Fault {
  return (socket) => {
    const next = (index: number): void => {
      if (index < text.length) socket.write(text.charAt(index), 'latin1', () => setImmediate(next, index + 1));
    };
    socket.setNoDelay(true);
    next(0);
  };
}

let server: FaultServer;
beforeEach(async () => {
  server = await opened(startFaultServer());
});

describe.each(['node', 'pool'] as const)('engine %s', (engine) => {
  const client = (overrides: Partial<HttpOptions> = {}) => testClient(server.url, { engine, ...overrides });
  const get = (overrides: Partial<HttpOptions> = {}) => client(overrides).call(getThing, { params });

  const LOST: [string, Fault, string][] = [
    ['a reset after delivery', reset, 'network.reset'],
    ['a connection closed without a response', hangUp, 'network.reset'],
    [
      'a switch to another protocol',
      raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      'network.reset',
    ],
    ['a truncated response', truncated('{"id":"a"}'), 'network.truncated'],
    ['truncated chunks', truncatedChunks('{"id":"a"}'), 'network.truncated'],
    ['bytes that are not HTTP', raw('SSH-2.0-OpenSSH_9.6\r\n'), 'network.malformed'],
  ];

  describe.each(LOST)('%s', (_name, fault, code) => {
    test('retries a repeatable call and succeeds', async () => {
      server.next(fault, fault, VALID);
      await expect(get()).resolves.toEqual({ id: 'a' });
      expect(server.requests).toHaveLength(3);
    });

    test('fails with a network error after five attempts', async () => {
      server.otherwise(fault);
      const error = await failureOf(get());
      expect(error).toMatchObject({ code });
      expect(server.requests).toHaveLength(5);
    });

    test.each([
      ['confirm', () => client().call(putThing, { params, body })],
      ['once', () => client().call(triggerThing, { body })],
    ])('sends a call with safety `%s` only once and leaves its outcome unknown', async (_safety, call) => {
      server.otherwise(fault);
      const error = await failureOf(call());
      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(error).toMatchObject({ code: 'http.outcome_unknown', details: { cause: code } });
      expect(error.message).toMatch(/^The outcome of (PUT|POST) \/things\/\w+ is unknown: /);
      expect(server.requests.map((request) => request.body)).toEqual(['{"id":"a"}']);
    });
  });

  describe.each([500, 502, 503, 504, 520])('status %d', (status) => {
    const fault = json({ errors: [{ message: 'Try later' }] }, { status });

    test('retries a repeatable call', async () => {
      server.next(fault, VALID);
      await expect(get()).resolves.toEqual({ id: 'a' });
      expect(server.requests).toHaveLength(2);
    });

    test('fails as unavailable after five attempts', async () => {
      server.otherwise(fault);
      const error = await failureOf(get());
      expect(error).toMatchObject({ code: 'http.unavailable', status });
      expect(error.message).toContain('Try later');
      expect(server.requests).toHaveLength(5);
    });

    test('sends a call only once if it must not be retried', async () => {
      server.otherwise(fault);
      expect(await failureOf(client().call(deleteThing, { params }))).toMatchObject({
        code: 'http.outcome_unknown',
        status,
      });
      expect(server.requests).toHaveLength(1);
    });
  });

  test.each([
    [400, 'http.bad_request'],
    [401, 'http.unauthorized'],
    [403, 'http.forbidden'],
    [404, 'http.not_found'],
    [409, 'http.conflict'],
    [410, 'http.gone'],
    [413, 'http.too_large'],
    [418, 'http.refused'],
    [422, 'http.unprocessable'],
    [501, 'http.refused'],
    [505, 'http.warehouse_unreachable'],
  ])('does not retry status %d', async (status, code) => {
    server.otherwise(json({ errors: [{ message: 'No way' }] }, { status }));
    for (const call of [get(), client().call(putThing, { params, body })]) {
      const error = await failureOf(call);
      expect(error).toMatchObject({ code, status, details: { errors: [{ message: 'No way' }] } });
      expect(error.message).toContain('No way');
    }
    expect(server.requests).toHaveLength(2);
  });

  test('retries any call after a 429, and respects its Retry-After', async () => {
    const late = json(
      { errors: [{ message: 'Rate limit exceeded' }] },
      { status: 429, headers: { 'retry-after': '7' } },
    );
    const http = client();
    server.next(late, late, VALID);
    await expect(http.call(triggerThing, { body })).resolves.toEqual({ id: 'a' });
    expect(server.requests).toHaveLength(3);
    expect(http.clock.sleeps).toEqual([7250, 7250]);
    expect(http.decisions[0]).toMatch(/status 429; retrying in 7s \(attempt 2 of 5\)/);
  });

  test.each([
    ['the first value of a repeated header', { 'retry-after': '7\r\nretry-after: 60' }],
    [
      "a date that is past by our clock, but not by the server's",
      { date: 'Sat, 21 Nov 2026 07:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2026 07:00:07 GMT' },
    ],
    [
      "a date by the server's clock, which is ahead of our clock",
      { date: 'Sat, 21 Nov 2026 09:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2026 09:00:07 GMT' },
    ],
    ['a date if the server sends no valid date', { date: 'today', 'retry-after': 'Sat, 21 Nov 2026 08:00:07 GMT' }],
  ])('pauses until the Retry-After: %s', async (_form, headers) => {
    const http = client();
    server.next(json({}, { status: 429, headers }), VALID);
    await expect(http.call(getThing, { params })).resolves.toEqual({ id: 'a' });
    expect(http.clock.sleeps).toEqual([7250]);
  });

  test('reports the limit if every attempt receives a 429', async () => {
    const headers = { 'x-vendor-rate-limit-exceeded': 'requests-per-minute' };
    server.otherwise(json({}, { status: 429, headers }));
    const error = await failureOf(client().call(triggerThing, { body }));
    expect(error).toMatchObject({ code: 'http.rate_limited' });
    expect(error.message).toContain('x-vendor-rate-limit-exceeded: requests-per-minute');
    expect(server.requests).toHaveLength(5);
  });

  test('delays the next request after a response that reports that the rate limit is near', async () => {
    const http = client();
    server.next(json({ id: 'a' }, { headers: { 'x-rate-limit-percentage-used': '93' } }));
    server.otherwise(json({ id: 'a' }, { headers: { 'x-rate-limit-percentage-used': '40' } }));
    for (let call = 0; call < 3; call++) await http.call(getThing, { params });
    expect(http.clock.sleeps).toEqual([1000]);
  });

  test('retries any call after a refused connection, which cannot have delivered the call', async () => {
    const { url } = server;
    await server.close();
    const http = testClient(url, { engine });
    const error = await failureOf(http.call(triggerThing, { body }));
    expect(error).toMatchObject({ code: 'network.refused' });
    expect(error.message).toContain(`nothing is listening at ${new URL(url).host}`);
    expect(http.clock.sleeps).toEqual([250, 500, 1000, 2000]);
  });

  test('reports an unknown outcome if the connection is reset while the request is being written', async () => {
    server.otherwise(VALID);
    server.resetConnections(1);
    expect(await failureOf(client().call(triggerThing, { body }))).toBeInstanceOf(OutcomeUnknownError);
    expect(server.requests).toHaveLength(0);
    server.resetConnections(1);
    await expect(get()).resolves.toEqual({ id: 'a' });
  });

  test('reports a host name that cannot be resolved, without retries', async () => {
    const http = testClient('https://no-such-host.invalid', { engine });
    const error = await failureOf(http.call(getThing, { params }));
    expect(error).toMatchObject({ code: 'network.dns' });
    expect(error.message).toContain('no-such-host.invalid');
    expect(http.clock.sleeps).toEqual([]);
  });

  describe('timeouts and aborts', () => {
    // Allow enough time for a loopback connection on a busy machine.
    const short = { requestTimeoutMs: 500, retries: 1 };

    test('end each attempt of a repeatable call at the request timeout if there is no response', async () => {
      server.otherwise(silence);
      const error = await failureOf(get(short));
      expect(error).toMatchObject({
        code: 'network.timeout',
        hint: expect.stringContaining('--request-timeout') as string,
      });
      expect(server.requests).toHaveLength(2);
    });

    test('leave the outcome of a write unknown if there is no response', async () => {
      server.otherwise(silence);
      expect(await failureOf(client(short).call(putThing, { params, body }))).toMatchObject({
        code: 'http.outcome_unknown',
        details: { cause: 'network.timeout' },
      });
      expect(server.requests).toHaveLength(1);
    });

    test('end a slow response at the request timeout', async () => {
      server.otherwise(drip());
      expect(await failureOf(get({ ...short, retries: 0 }))).toMatchObject({ code: 'network.timeout' });
    });

    test('do not prevent the retry of a trigger if its TLS connection is never established', async () => {
      server.otherwise(silence);
      const http = testClient(server.url.replace('http:', 'https:'), { engine, ...short });
      const error = await failureOf(http.call(triggerThing, { body }));
      expect(error).toMatchObject({ code: 'network.connect_timeout' });
      expect(server.connections).toBe(2);
    });

    test("end a call immediately with the abort's reason", async () => {
      const stop = new AbortController();
      const reason = new KnownError({ code: 'interrupted', message: 'Interrupted.' });
      server.otherwise(() => stop.abort(reason));
      expect(await failureOf(client({ signal: stop.signal }).call(getThing, { params }))).toBe(reason);
      expect(server.requests).toHaveLength(1);
    });

    test("leave the outcome of an aborted write unknown, with the abort's exit code", async () => {
      const stop = new AbortController();
      server.otherwise(() => stop.abort(new KnownError({ code: 'interrupted', message: 'Interrupted.' })));
      const error = await failureOf(client().call(putThing, { params, body, signal: stop.signal }));
      expect(error).toMatchObject({ code: 'http.outcome_unknown', exit: 'interrupted' });
    });
  });

  describe('unreadable responses', () => {
    const page = '<!DOCTYPE html><html><head><title>Sign in to\n the network</title></head></html>';
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const UNREADABLE: [string, Fault, RegExp][] = [
      [
        'a web page',
        answer({ headers: { 'content-type': 'text/html' }, body: page }),
        /web page \("Sign in to the network"\)/,
      ],
      [
        'a web page that calls itself JSON',
        answer({ headers: { 'content-type': 'application/json' }, body: page }),
        /web page/,
      ],
      ['an empty body', answer({ headers: { 'content-type': 'application/json' } }), /is empty/],
      ['truncated JSON', answer({ body: '{"id":"a"' }), /not usable JSON/],
      [
        'plain text',
        answer({ headers: { 'content-type': 'text/plain' }, body: 'It works!' }),
        /not usable JSON.* at character 0/,
      ],
      ['an unexpected shape', json({ id: 7 }), /the expected shape \(id must be a string/],
      ['a list instead of an object', json([]), /the expected shape/],
      ['200,000-deep JSON', answer({ body: deep }), /nested deeper/],
      ['too many values', answer({ body: `[${'{},'.repeat(600_000)}{}]` }), /has more values/],
      ['invalid UTF-8', answer({ body: Buffer.from('{"id":"\xe9"}', 'latin1') }), /not valid UTF-8/],
      [
        'text that is invalid in its charset',
        answer({
          headers: { 'content-type': 'application/json; charset=utf-16le' },
          body: Buffer.from('{"id":"\ud800"}', 'utf16le'),
        }),
        /not valid utf-16le/,
      ],
      [
        'an unknown compression',
        answer({ headers: { 'content-encoding': 'zstd-x' }, body: '{"id":"a"}' }),
        /unknown content encoding/,
      ],
      ['broken gzip', answer({ headers: { 'content-encoding': 'gzip' }, body: 'no gzip' }), /not valid gzip/],
      [
        'truncated gzip',
        answer({ headers: { 'content-encoding': 'gzip' }, body: gzipSync('{"id":"a"}').subarray(0, 20) }),
        /not valid gzip/,
      ],
      [
        'an unknown charset',
        answer({ headers: { 'content-type': 'application/json; charset=klingon' }, body: '{}' }),
        /unknown charset/,
      ],
    ];

    test.each(UNREADABLE)('are reported: %s', async (_name, fault, message) => {
      server.otherwise(fault);
      const error = await failureOf(get());
      expect(error).toMatchObject({ code: 'http.unreadable', status: 200 });
      expect(error.message).toMatch(message);
      expect(server.requests).toHaveLength(1);
      const write = await failureOf(client().call(putThing, { params, body }));
      expect(write).toMatchObject({ code: 'http.outcome_unknown', details: { cause: 'http.unreadable' } });
      expect(server.requests).toHaveLength(2);
    });

    test('are reported even if no body is expected: a web page', async () => {
      server.otherwise(answer({ headers: { 'content-type': 'text/html' }, body: page }));
      const deleted = await failureOf(client().call(deleteThing, { params }));
      expect(deleted).toMatchObject({ code: 'http.outcome_unknown', details: { cause: 'http.unreadable' } });
      const sender = await client().openSender(seedThings);
      const sent = await sender.send(Buffer.from('[]'), never);
      expect(sent).toMatchObject({ kind: 'lost', failure: { details: { cause: 'http.unreadable' } } });
    });

    const blanks = Buffer.alloc(64 << 20, ' ');
    const fastBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
    const bombs: [string, Fault][] = [
      ['300 MB by the header', answer({ headers: { 'content-length': '300000000' }, body: '[' })],
      ['300 MB in chunks', flood(Buffer.alloc(1 << 20, ' '), 300 << 20)],
      ['a gzip bomb', answer({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(blanks) })],
      [
        'a brotli bomb',
        answer({ headers: { 'content-encoding': 'br' }, body: brotliCompressSync(blanks, fastBrotli) }),
      ],
    ];
    test.each(bombs)('are limited to 16 MiB: %s', async (_name, fault) => {
      server.otherwise(fault);
      const error = await failureOf(get());
      expect(error).toMatchObject({ code: 'http.unreadable' });
      expect(error.message).toContain('is larger than 16 MiB');
      expect(server.requests).toHaveLength(1);
    });
  });

  describe('valid responses, including unusual ones', () => {
    const text = '{"id":"é😀","new_field":null}';
    const value = { id: 'é😀', new_field: null };
    const latin = Buffer.from('{"id":"é"}', 'latin1');
    const ODD: [string, Fault, unknown][] = [
      ['gzip', answer({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(text) }), value],
      ['x-gzip in chunks', chunked(gzipSync(text), { 'content-encoding': 'X-GZip' }), value],
      ['deflate', answer({ headers: { 'content-encoding': 'deflate' }, body: deflateSync(text) }), value],
      [
        'deflate without a header',
        answer({ headers: { 'content-encoding': 'deflate' }, body: deflateRawSync(text) }),
        value,
      ],
      ['brotli', answer({ headers: { 'content-encoding': 'br' }, body: brotliCompressSync(text) }), value],
      [
        'two encodings',
        answer({ headers: { 'content-encoding': 'gzip, br' }, body: brotliCompressSync(gzipSync(text)) }),
        value,
      ],
      ['chunks that split characters', chunked(text, {}, 1), value],
      ['a byte order mark', answer({ body: `\uFEFF${text}` }), value],
      ['no content type', answer({ body: text }), value],
      [
        'a long string with commas and quotes',
        json({ id: 'a, "b\\",'.repeat(200_000) }),
        { id: 'a, "b\\",'.repeat(200_000) },
      ],
      ['a different content type', answer({ headers: { 'content-type': 'text/plain' }, body: text }), value],
      ['a charset', answer({ headers: { 'content-type': 'application/json; charset="UTF-8"' }, body: text }), value],
      [
        'a different charset',
        answer({ headers: { 'content-type': 'application/json;charset=ISO-8859-1' }, body: latin }),
        { id: 'é' },
      ],
      [
        'a repeated content type',
        answer({
          headers: { 'content-type': 'application/json; charset=utf-8\r\ncontent-type: text/html' },
          body: text,
        }),
        value,
      ],
      ['a different 2xx status', answer({ status: 206, body: text }), value],
      ['a body that ends when the connection closes', raw('HTTP/1.1 200 OK\r\n\r\n', text), value],
      ['HTTP/1.0', raw('HTTP/1.0 200 OK\r\n\r\n', text), value],
      ['early hints', raw('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', text), value],
      ['an unrequested 100 Continue', raw('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', text), value],
      [
        'two 100 Continue responses with headers, byte by byte',
        byteByByte(
          `${'HTTP/1.1 100 Continue\r\nx-a: b\r\n\r\n'.repeat(2)}HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"id":"a"}`,
        ),
        { id: 'a' },
      ],
      [
        'a body that looks like an interim response',
        json({ id: 'HTTP/1.1 100 Continue\r\n\r\n' }),
        { id: 'HTTP/1.1 100 Continue\r\n\r\n' },
      ],
      ['a 102 Processing response', raw('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', text), value],
    ];
    test.each(ODD)('are accepted: %s', async (_name, fault, expected) => {
      server.otherwise(fault);
      await expect(get()).resolves.toEqual(expected);
      expect(server.requests).toHaveLength(1);
    });

    test('are accepted if no body is expected: a 204 and a body', async () => {
      server.next(answer({ status: 204 }), json({ id: 'a' }));
      for (let call = 0; call < 2; call++) expect(await client().call(deleteThing, { params })).toBeUndefined();
    });

    test('do not prevent the connection from being reused', async () => {
      const http = client();
      server.otherwise(VALID);
      for (let call = 0; call < 10; call++) await http.call(getThing, { params });
      // The undici pool sometimes opens a second connection before the first one is free again.
      expect(server.connections).toBeLessThanOrEqual(2);
    });

    test('do not cause a Node.js warning in twenty concurrent calls', async () => {
      const warnings: Error[] = [];
      const onWarning = (warning: Error): number => warnings.push(warning);
      process.on('warning', onWarning);
      onTestFinished(() => void process.off('warning', onWarning));
      const http = client();
      server.otherwise(VALID);
      await Promise.all(Array.from({ length: 20 }, () => http.call(getThing, { params })));
      expect(server.requests).toHaveLength(20);
      expect(warnings).toEqual([]);
    });
  });

  test('keeps 64-bit integers exact in both directions', async () => {
    server.next(answer({ body: '{"run":9223372036854775807,"small":1,"text":"9223372036854775807"}' }));
    const http = client();
    expect(await http.call(getNumber, {})).toEqual({
      run: 9223372036854775807n,
      small: 1,
      text: '9223372036854775807',
    });
    server.next(answer({ status: 202 }));
    await http.call(seedThings, { body: { xpid: 9223372036854775807n } });
    expect(server.requests.at(-1)?.body).toBe('{"xpid":9223372036854775807}');
  });

  describe.each([301, 302, 303, 307, 308])('redirect %d', (status) => {
    test('is not followed, and is reported with its target', async () => {
      const other = await opened(startFaultServer());
      server.otherwise(answer({ status, headers: { location: `${other.url}/elsewhere?token=x` } }));
      for (const call of [get(), client().call(putThing, { params, body })]) {
        const error = await failureOf(call);
        expect(error).toMatchObject({ code: 'http.redirect', status });
        expect(error.message).toContain(`redirect (${status}) to ${other.url};`);
      }
      expect(other.connections).toBe(0);
      expect(server.requests).toHaveLength(2);
    });
  });

  test('sends the URL, the headers and the credentials', async () => {
    server.otherwise(VALID);
    const http = testClient(`${server.url}/api/`, { engine });
    await http.call(getThing, { params: { thingId: 'a/b?c#d é' }, query: { filter: 'x&y=z +', page: 2n } });
    await http.call(putThing, { params, body });
    server.otherwise(answer({ status: 202 }));
    await http.call(seedThings, { body: { xpid: 1 } });
    const [read, write, seed] = server.requests;
    expect(read?.target).toBe('/api/things/a%2Fb%3Fc%23d%20%C3%A9?filter=x%26y%3Dz%20%2B&page=2');
    expect(read?.headers).toMatchObject({
      host: new URL(server.url).host,
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^cdpadm\/\d/) as string,
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      authorization: 'Bearer canary-access-token',
    });
    expect(read?.headers).not.toHaveProperty('content-type');
    expect(write?.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '10' });
    expect(seed?.target).toBe('/api/v2/things/');
    const basic = Buffer.from('canary-workspace-key:canary-workspace-sécret', 'utf8').toString('base64');
    expect(seed?.headers['authorization']).toBe(`Basic ${basic}`);
  });
});
