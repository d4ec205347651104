// Errors without a response: what failed, the hosts involved, and a stable code for scripts.
import { describe, expect, it } from 'vitest';
import { type LostExchange, networkFailure } from '../../../../src/lib/http/answer/failure.ts';
import { TransportError, type TransportKind } from '../../../../src/lib/http/transport-error.ts';
import { CliError } from '../../../../src/lib/errors/fail.ts';
import type { KnownError } from '../../../../src/lib/kernel/errors.ts';

const lost: LostExchange = {
  request: { id: 'id-1', method: 'GET', path: '/a' },
  origin: 'https://api.example',
  proxy: undefined,
  requestTimeoutMs: 60_000,
};
const coded = (code: string, message = code): Error => Object.assign(new Error(message), { code });
const UNTRUSTED = 'The certificate of api.example is not trusted: ';
const failed = (kind: TransportKind, cause?: unknown, circumstances: Partial<LostExchange> = {}): KnownError =>
  networkFailure({ ...lost, ...circumstances }, new TransportError(kind, 'not-delivered', cause));

describe('a network error', () => {
  it.each<[string, TransportKind, Error | undefined]>([
    ['Connection refused: nothing is listening at api.example:443.', 'refused', coded('ECONNREFUSED')],
    ['The host name of api.example:443 could not be resolved (ENOTFOUND).', 'dns', coded('ENOTFOUND')],
    ['The host name of api.example:443 could not be resolved (DNS).', 'dns', undefined],
    ['Api.example:443 cannot be reached from here (EHOSTUNREACH).', 'unreachable', coded('EHOSTUNREACH')],
    ['Api.example:443 cannot be reached from here (no route).', 'unreachable', undefined],
    [`${UNTRUSTED}It ended. Long ago (X_CERT).`, 'certificate', coded('X_CERT', 'It ended. Long ago.')],
    [`${UNTRUSTED}odd (TLS).`, 'certificate', new Error('odd')],
    ['The TLS connection to api.example failed (EPROTO).', 'tls', coded('EPROTO')],
    ['The TLS connection to api.example failed (TLS).', 'tls', undefined],
    ['Could not connect to api.example:443 within 10s.', 'connect-timeout', undefined],
    ['Could not connect to api.example:443 in time.', 'connect-timeout', coded('ETIMEDOUT')],
    ['api.example did not send a complete response within 1m.', 'timeout', undefined],
    ['The response from api.example stalled.', 'idle', undefined],
    ['The connection to api.example was closed before a response arrived (ECONNRESET).', 'reset', coded('ECONNRESET')],
    ['The connection to api.example was closed before a response arrived.', 'reset', undefined],
    ['The response from api.example was cut off.', 'truncated', undefined],
    [
      'The response from api.example is not valid HTTP (HPE_INVALID_CONSTANT).',
      'malformed',
      coded('HPE_INVALID_CONSTANT'),
    ],
    ['The response from api.example is not valid HTTP (malformed).', 'malformed', undefined],
  ])('has the message "%s" and a code for the kind `%s`', (message, kind, cause) => {
    const code = `network.${kind.replace('-', '_')}`;
    expect(failed(kind, cause)).toMatchObject({ code, message, request: lost.request, cause: { kind } });
  });

  it.each<[string, string]>([
    [
      'EPROTO',
      'write EPROTO C0:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../ssl3_record.c:355:',
    ],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'wrong version number'],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'packet length too long'],
  ])('explains that %s means a port without TLS, and suggests http:// only for this machine', (code, message) => {
    const near = failed('tls', coded(code, message), { origin: 'https://127.0.0.1:4010' });
    expect(near.message).toBe('127.0.0.1:4010 does not use TLS, but the address starts with https://.');
    expect(near.hint).toBe('Write the address with http:// (http://127.0.0.1:4010).');
    const far = failed('tls', coded(code, message));
    expect(far.message).toBe('api.example does not use TLS, but the address starts with https://.');
    expect(far.hint).not.toContain('http://');
    expect(far.hint).toContain('port');
  });

  it.each<[TransportKind, string]>([
    ['refused', 'Check the address and port'],
    ['dns', 'spelling of the name, the network and the DNS'],
    ['unreachable', 'HTTPS_PROXY, NO_PROXY'],
    ['certificate', '--ca-file FILE or CDPADM_CA_FILE. Nothing was sent.'],
    ['tls', 'use https'],
    ['connect-timeout', 'firewalls'],
    ['timeout', '--request-timeout 2m'],
    ['idle', 'Run the command again'],
    ['reset', 'Run the command again'],
    ['truncated', 'Run the command again'],
    ['malformed', 'belong to the platform'],
  ])('suggests a fix for the kind `%s`', (kind, hint) => {
    expect(failed(kind).hint).toContain(hint);
  });

  it('names the proxy and its default port if the connection to the proxy failed', () => {
    const proxy = 'http://proxy.example';
    expect(failed('refused', undefined, { proxy }).message).toContain(
      'nothing is listening at the proxy proxy.example:80.',
    );
    expect(failed('unreachable', undefined, { proxy }).message).toMatch(/^The proxy proxy\.example:80 cannot/);
    expect(failed('dns', undefined, { proxy: 'https://proxy.example' }).message).toContain('proxy.example:443');
    expect(failed('connect-timeout', undefined, { proxy: 'http://[::1]:3128' }).message).toContain('[::1]:3128');
    expect(failed('timeout', undefined, { proxy }).message).not.toContain('proxy');
  });

  it('reports the status if a proxy rejected the connection', () => {
    const proxy = 'http://proxy.example:3128';
    const rejected = failed('proxy', new Error('Proxy response (407) !== 200'), { proxy });
    expect(rejected.message).toBe(`The proxy ${proxy} did not connect to api.example (it responded with 407).`);
    expect(rejected.hint).toContain('NO_PROXY');
    expect(failed('proxy', new Error('closed'), { proxy }).message).toBe(
      `The proxy ${proxy} did not connect to api.example.`,
    );
  });

  it('reports the connect timeout, which is at most the request timeout', () => {
    expect(failed('connect-timeout', undefined, { requestTimeoutMs: 3000 }).message).toContain('within 3s');
  });

  it("keeps an interruption's reason", () => {
    const terminated = new CliError({ code: 'interrupted', message: 'Terminated.', exit: 'terminated' });
    expect(failed('aborted', terminated)).toMatchObject({ code: 'interrupted', exit: 'terminated' });
    expect(failed('aborted', new Error('stop'))).toMatchObject({
      code: 'interrupted',
      message: 'The request was interrupted.',
      hint: 'Run the command again.',
    });
  });
});
