// What `--debug` and `--trace-file` record about an exchange.
import { describe, expect, it } from 'vitest';
import { oauthEndpoints } from '../../../../src/lib/contract/oauth.ts';
import { type Attempted, traceAttempt } from '../../../../src/lib/http/call/wire.ts';
import { TransportError } from '../../../../src/lib/http/transport-error.ts';
import { createRedactor } from '../../../../src/lib/kernel/redact.ts';
import { TEST_TIME } from '../../../helpers/clock.ts';
import { responseWith } from './calls.ts';
import { putThing } from './endpoints.ts';

const SECRET = 'canary-of-the-trace';

const attempted: Attempted = {
  endpoint: putThing,
  id: 'id-1',
  attempt: 2,
  request: { method: 'PUT', origin: 'https://api.example', path: `/things/${SECRET}`, query: '?a=b', body: undefined },
  headers: { accept: 'application/json', authorization: 'Bearer x' },
  startedAt: TEST_TIME,
  endedAt: TEST_TIME + 34,
  result: responseWith('{}'),
};

function traced(parts: Partial<Attempted>): { debug: string[]; traces: Record<string, unknown>[] } {
  const redactor = createRedactor();
  redactor.add(SECRET);
  const debug: string[] = [];
  const traces: Record<string, unknown>[] = [];
  traceAttempt(
    { ...attempted, ...parts },
    { redactor, onDebug: (text) => debug.push(text), onTrace: (exchange) => traces.push(exchange) },
  );
  return { debug, traces };
}
/** Returns the body of a request as it appears in a trace. */
const kept = (body: string | undefined, parts: Partial<Attempted> = {}): unknown => {
  const { traces } = traced({ request: { ...attempted.request, body }, result: responseWith('{}'), ...parts });
  return (traces[0]?.['request'] as { body: unknown }).body;
};

describe('traceAttempt', () => {
  it('records a response', () => {
    const answer = responseWith('{"id":"a"}', { status: 201, headers: { 'x-a': 'b' }, size: 10 });
    const { debug, traces } = traced({ result: answer });
    expect(debug).toEqual([
      'PUT https://api.example/things/********?a=b -> 201, 10 bytes, 34 ms (attempt 2, request id-1)',
    ]);
    expect(traces).toEqual([
      {
        at: '2026-11-21T08:00:00.000Z',
        id: 'id-1',
        attempt: 2,
        method: 'PUT',
        url: 'https://api.example/things/********?a=b',
        status: 201,
        ms: 34,
        request: { headers: { accept: 'application/json', authorization: '********' }, body: null },
        response: { headers: { 'x-a': 'b' }, body: { id: 'a' } },
        error: null,
      },
    ]);
  });

  it('records a network failure, with its code if it has one', () => {
    const cause = Object.assign(new Error(SECRET), { code: 'ECONNRESET' });
    const { debug, traces } = traced({ result: new TransportError('reset', 'perhaps-delivered', cause) });
    expect(debug[0]).toContain(' -> no response: reset ECONNRESET, 34 ms (');
    expect(traces[0]).toMatchObject({
      status: null,
      response: null,
      error: { kind: 'reset', code: 'ECONNRESET', phase: 'perhaps-delivered' },
    });
    const silent = traced({ result: new TransportError('timeout', 'perhaps-delivered') });
    expect(silent.debug[0]).toContain(' -> no response: timeout, 34 ms (');
    expect(silent.traces[0]).toMatchObject({ error: { kind: 'timeout', code: null } });
  });

  it.each(['onDebug', 'onTrace'] as const)('records an exchange if only %s is set', (only) => {
    let calls = 0;
    traceAttempt(attempted, { redactor: createRedactor(), [only]: () => calls++ });
    expect(calls).toBe(1);
  });
});

describe('a traced body', () => {
  it.each<[string, string | undefined, unknown]>([
    ['no body', undefined, null],
    ['an empty body', '', null],
    ['JSON', '{"a":[1,"x"]}', { a: [1, 'x'] }],
    ['JSON with secrets', `{"password":"x","a":"${SECRET}"}`, { password: '********', a: '********' }],
    ['text', `no JSON, ${SECRET}`, 'no JSON, ********'],
  ])('is correct for %s', (_name, body, expected) => {
    expect(kept(body)).toEqual(expected);
  });

  it('is omitted for token requests and responses', () => {
    const { traces } = traced({
      endpoint: oauthEndpoints.token,
      request: { ...attempted.request, body: '{"a":1}' },
      result: responseWith('{"access_token":"x"}'),
    });
    expect(traces[0]).toMatchObject({ request: { body: '(not kept)' }, response: { body: '(not kept)' } });
  });

  it('is truncated after masking if it is long', () => {
    const limit = 64 * 1024;
    const exact = 'x'.repeat(limit);
    expect(kept(exact)).toBe(exact);
    const long = `${'x'.repeat(limit - 4)}${SECRET}`;
    expect(kept(long)).toBe(`${'x'.repeat(limit - 4)}****… (cut: ${long.length} characters)`);
  });

  it.each<[string, unknown, unknown]>([
    [
      'masks the subject of a request',
      { subject_identities: { email: { value: 'a@b.example', encoding: 'raw' } } },
      { subject_identities: { email: { value: '********', encoding: 'raw' } } },
    ],
    [
      'masks a nested subject',
      [{ extensions: { 'opendsr.x': { subject_identities: { xpid: { value: '7' } } } } }],
      [{ extensions: { 'opendsr.x': { subject_identities: { xpid: { value: '********' } } } } }],
    ],
    [
      'does not mask an unexpected shape',
      { subject_identities: { a: null, c: { other: 1 } }, d: { value: 'shown' } },
      { subject_identities: { a: null, c: { other: 1 } }, d: { value: 'shown' } },
    ],
    [
      'masks the user of a row to seed',
      [{ xpid: 7, identities: { email: 'a@b.example' } }],
      [{ xpid: 7, identities: { email: '********' } }],
    ],
    [
      'masks the user of an event',
      { user_identities: { email: 'a@b.example' } },
      { user_identities: { email: '********' } },
    ],
    ['does not mask an empty field', { subject_identities: null }, { subject_identities: null }],
    ['does not mask a string', { subject_identities: 'a' }, { subject_identities: 'a' }],
  ])('%s', (_name, body, expected) => {
    expect(kept(JSON.stringify(body))).toEqual(expected);
  });

  it.each([
    ['in the same spelling', 'Jane.Roe@Example.org'],
    ['in lower case', 'jane.roe@example.org'],
    ['in a URL', 'Jane.Roe%40example.org'],
  ])('masks an identity from the request if the response quotes the identity %s', (_name, quoted) => {
    const body = JSON.stringify({ subject_identities: { email: { value: 'Jane.Roe@Example.org', encoding: 'raw' } } });
    for (const text of [`{"message":"no ${quoted}"}`, `no ${quoted}`]) {
      const result = responseWith(text, { status: 422, headers: { 'x-reason': quoted } });
      const { traces } = traced({ request: { ...attempted.request, body }, result });
      expect(JSON.stringify(traces[0]?.['response'])).not.toMatch(/roe/i);
    }
  });

  it('masks identities under a deployment-specific name', () => {
    const traces: unknown[] = [];
    const request = { ...attempted.request, body: '{"people":{"email":"a@b.example"}}' };
    const names = { identities: 'people' };
    traceAttempt({ ...attempted, request }, { names, redactor: createRedactor(), onTrace: (one) => traces.push(one) });
    expect(traces).toMatchObject([{ request: { body: { people: { email: '********' } } } }]);
  });
});
