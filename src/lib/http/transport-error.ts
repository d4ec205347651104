// A failure below HTTP: no complete response arrived. Records the kind, and whether the platform may have acted.
import { systemErrorCode } from '../kernel/errors.ts';

/** Retries depend on this: can the platform have received the request? */
export type Phase = 'not-delivered' | 'perhaps-delivered';

export type TransportKind =
  | 'refused'
  | 'dns'
  | 'unreachable'
  | 'certificate'
  | 'tls'
  | 'proxy'
  | 'connect-timeout'
  | 'timeout'
  | 'idle'
  | 'reset'
  | 'truncated'
  | 'malformed'
  | 'aborted';

export class TransportError extends Error {
  readonly kind: TransportKind;
  readonly phase: Phase;
  /** The code of the system or of TLS: `ECONNREFUSED`, `CERT_HAS_EXPIRED`. */
  readonly code: string | undefined;

  constructor(kind: TransportKind, phase: Phase, cause?: unknown) {
    super(cause instanceof Error ? cause.message : kind, { cause });
    this.name = 'TransportError';
    this.kind = kind;
    this.phase = phase;
    this.code = systemErrorCode(cause);
  }

  /** A retry within seconds cannot help: unknown host, untrusted certificate, proxy error. */
  get permanent(): boolean {
    return this.kind === 'certificate' || this.kind === 'proxy' || (this.kind === 'dns' && this.code === 'ENOTFOUND');
  }
}

const KINDS: Record<string, TransportKind> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EPROTO: 'tls',
  UND_ERR_CONNECT_TIMEOUT: 'connect-timeout',
  UND_ERR_HEADERS_OVERFLOW: 'malformed',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate',
  UND_ERR_PRX_TLS: 'certificate',
  HOSTNAME_MISMATCH: 'certificate',
  INVALID_CA: 'certificate',
  INVALID_PURPOSE: 'certificate',
  PATH_LENGTH_EXCEEDED: 'certificate',
};

const KIND_PATTERNS: readonly [RegExp, TransportKind][] = [
  [/^(ENOTFOUND|EAI_)/, 'dns'],
  [/^(CERT_|UNABLE_TO_|CRL_|ERROR_IN_CERT_)/, 'certificate'],
  [/^(ERR_SSL_|ERR_TLS_)/, 'tls'],
  [/^HPE_/, 'malformed'],
];

/** Classifies an engine's error. `phase` and `answerBegan` say how far the exchange got. */
export function transportErrorOf(cause: unknown, phase: Phase, answerBegan: boolean): TransportError {
  const code = systemErrorCode(cause) ?? '';
  const known = KINDS[code] ?? KIND_PATTERNS.find(([pattern]) => pattern.test(code))?.[1];
  if (known !== undefined) return new TransportError(known, phase, cause);
  // undici's parser errors have no code. During a response, the usual cause is that the response was cut off.
  if (!answerBegan && cause instanceof Error && cause.name === 'HTTPParserError') {
    return new TransportError('malformed', phase, cause);
  }
  if (code === 'ETIMEDOUT')
    return new TransportError(phase === 'not-delivered' ? 'connect-timeout' : 'reset', phase, cause);
  return new TransportError(answerBegan ? 'truncated' : 'reset', phase, cause);
}
