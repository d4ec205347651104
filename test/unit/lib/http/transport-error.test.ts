// Classifies failures below HTTP by the system error code, the phase of the request, and whether a response has
// started.
import { describe, expect, it } from 'vitest';
import {
  type Phase,
  TransportError,
  type TransportKind,
  transportErrorOf,
} from '../../../../src/lib/http/transport-error.ts';

const coded = (code: string): Error => Object.assign(new Error(`said ${code}`), { code });
const kindOf = (code: string, phase: Phase = 'perhaps-delivered', began = false): TransportKind =>
  transportErrorOf(coded(code), phase, began).kind;

describe('transportErrorOf', () => {
  it.each<[TransportKind, string[]]>([
    ['refused', ['ECONNREFUSED']],
    ['dns', ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']],
    ['unreachable', ['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL']],
    [
      'certificate',
      [
        'DEPTH_ZERO_SELF_SIGNED_CERT',
        'SELF_SIGNED_CERT_IN_CHAIN',
        'ERR_TLS_CERT_ALTNAME_INVALID',
        'UND_ERR_PRX_TLS',
        'HOSTNAME_MISMATCH',
        'INVALID_CA',
        'INVALID_PURPOSE',
        'PATH_LENGTH_EXCEEDED',
        'CERT_HAS_EXPIRED',
        'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
        'CRL_HAS_EXPIRED',
        'ERROR_IN_CERT_NOT_BEFORE_FIELD',
      ],
    ],
    ['tls', ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_TLS_HANDSHAKE_TIMEOUT']],
    ['connect-timeout', ['UND_ERR_CONNECT_TIMEOUT']],
    ['malformed', ['UND_ERR_HEADERS_OVERFLOW', 'HPE_INVALID_CONSTANT']],
    ['reset', ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'MY_CERT_', 'NO_HPE_X', 'X_EAI_Y']],
  ])('recognizes the error codes of the kind `%s`', (kind, codes) => {
    for (const code of codes) {
      const error = transportErrorOf(coded(code), 'not-delivered', false);
      expect(error).toMatchObject({ kind, phase: 'not-delivered', code, message: `said ${code}` });
      expect(error.cause).toMatchObject({ code });
    }
  });

  it('classifies a failure during a response as truncated', () => {
    expect(kindOf('ECONNRESET', 'perhaps-delivered', true)).toBe('truncated');
    expect(transportErrorOf(new Error('ended'), 'perhaps-delivered', true).kind).toBe('truncated');
  });

  it('classifies a system timeout by the phase of the request', () => {
    expect(kindOf('ETIMEDOUT', 'not-delivered')).toBe('connect-timeout');
    expect(kindOf('ETIMEDOUT')).toBe('reset');
    expect(kindOf('ETIMEDOUT', 'perhaps-delivered', true)).toBe('reset');
  });

  it('recognizes a parser error by its name if no response has started', () => {
    const cause = Object.assign(new Error('bad'), { name: 'HTTPParserError' });
    expect(transportErrorOf(cause, 'perhaps-delivered', false).kind).toBe('malformed');
    expect(transportErrorOf(cause, 'perhaps-delivered', true).kind).toBe('truncated');
    expect(transportErrorOf({ name: 'HTTPParserError' }, 'perhaps-delivered', false).kind).toBe('reset');
  });

  it('accepts any thrown value', () => {
    const error = transportErrorOf('no error at all', 'perhaps-delivered', false);
    expect(error).toMatchObject({ name: 'TransportError', kind: 'reset', message: 'reset', code: undefined });
  });
});

it.each<[TransportKind, string | undefined, string]>([
  ['certificate', 'CERT_HAS_EXPIRED', 'permanent'],
  ['proxy', undefined, 'permanent'],
  ['dns', 'ENOTFOUND', 'permanent'],
  ['dns', 'EAI_AGAIN', 'temporary'],
  ['refused', 'ENOTFOUND', 'temporary'],
  ['tls', undefined, 'temporary'],
  ['timeout', undefined, 'temporary'],
])('treats the kind `%s` with the code %s as %s', (kind, code, duration) => {
  expect(new TransportError(kind, 'not-delivered', code && coded(code)).permanent).toBe(duration === 'permanent');
});
