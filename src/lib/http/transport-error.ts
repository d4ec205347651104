// A failure below HTTP: no complete response arrived. Records what failed, and whether the request may have arrived.
import { systemErrorCode } from '../kernel/errors.ts';

/** Whether the platform may have received the request; this determines whether a retry is allowed. */
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
  /** Code from the system or from TLS: `ECONNREFUSED`, `CERT_HAS_EXPIRED`. */
  readonly code: string | undefined;

  constructor(kind: TransportKind, phase: Phase, cause?: unknown) {
    super(cause instanceof Error ? cause.message : kind, { cause });
    this.name = 'TransportError';
    this.kind = kind;
    this.phase = phase;
    this.code = systemErrorCode(cause);
  }

  /** True if a retry within seconds cannot help: unknown host, untrusted certificate, proxy error. */
  get permanent(): boolean {
    return this.kind === 'certificate' || this.kind === 'proxy' || (this.kind === 'dns' && this.code === 'ENOTFOUND');
  }
}

const KINDS: readonly [RegExp, TransportKind][] = [
  [/^ECONNREFUSED$/, 'refused'],
  [/^E(HOST|NET)(UNREACH|DOWN)$|^EADDRNOTAVAIL$/, 'unreachable'],
  [/^UND_ERR_CONNECT_TIMEOUT$/, 'connect-timeout'],
  [/^HPE_|^UND_ERR_HEADERS_OVERFLOW$/, 'malformed'],
  [/^(ENOTFOUND|EAI_)/, 'dns'],
  [/^(CERT_|UNABLE_TO_|CRL_|ERROR_IN_CERT_|INVALID_(CA|PURPOSE)$)|SELF_SIGNED_CERT|^HOSTNAME_MISMATCH$/, 'certificate'],
  [/^(PATH_LENGTH_EXCEEDED|ERR_TLS_CERT_ALTNAME_INVALID|UND_ERR_PRX_TLS)$/, 'certificate'],
  [/^(EPROTO$|ERR_SSL_|ERR_TLS_)/, 'tls'],
];

/** Classifies an engine's error. `phase` and `answerBegan` state how far the exchange got. */
export function transportErrorOf(cause: unknown, phase: Phase, answerBegan: boolean): TransportError {
  const code = systemErrorCode(cause) ?? '';
  const known = KINDS.find(([pattern]) => pattern.test(code))?.[1];
  if (known !== undefined) return new TransportError(known, phase, cause);
  // undici's parser errors have no code. During a response, they usually mean that the response was cut off.
  if (!answerBegan && cause instanceof Error && cause.name === 'HTTPParserError')
    return new TransportError('malformed', phase, cause);
  if (code === 'ETIMEDOUT')
    return new TransportError(phase === 'not-delivered' ? 'connect-timeout' : 'reset', phase, cause);
  return new TransportError(answerBegan ? 'truncated' : 'reset', phase, cause);
}
