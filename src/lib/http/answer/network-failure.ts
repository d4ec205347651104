// Messages for requests without a response: what failed, where, and how to fix it.
import { capitalized } from '../../kernel/words.ts';
import { CliError, exitOf, fail, type FailureParts } from '../../errors/fail.ts';
import { type ErrorCode, ERRORS } from '../../errors/registry.ts';
import { type FailedRequest, KnownError, systemErrorCode } from '../../kernel/errors.ts';
import { formatDuration } from '../../kernel/timestamps.ts';
import { CONNECT_TIMEOUT_MS } from '../types.ts';
import type { TransportError, TransportKind } from '../transport-error.ts';
import { isLoopback } from '../../kernel/address.ts';

export interface LostExchange {
  request: FailedRequest;
  origin: string;
  /** The proxy that was used, without its credentials. */
  proxy: string | undefined;
  requestTimeoutMs: number;
}

/** Returns the error `network.<kind>` (8) or, for an aborted request, `interrupted` with the signal's exit code. */
export function networkFailure(lost: LostExchange, error: TransportError): KnownError {
  const code = (error.kind === 'aborted' ? 'interrupted' : `network.${error.kind.replace('-', '_')}`) as ErrorCode;
  const words = WORDS[error.kind](lost, error);
  const { message, hint } = typeof words === 'string' ? { message: words, hint: ERRORS[code].fix } : words;
  const reason: unknown = error.kind === 'aborted' ? error.cause : undefined;
  return fail(code, {
    message,
    hint,
    ...(reason instanceof KnownError && { exit: exitOf(reason) }),
    request: lost.request,
    cause: error,
  });
}

/** The message for each kind of failure, and a hint if the registry's hint does not fit. */
const WORDS: Record<
  TransportKind,
  (lost: LostExchange, error: TransportError) => string | { message: string; hint: string }
> = {
  refused: (lost) => `Connection refused: nothing is listening at ${peer(lost)}.`,
  dns: (lost, { code }) => `The host name of ${peer(lost)} could not be resolved (${code ?? 'DNS'}).`,
  unreachable: (lost, { code }) => `${capitalized(peer(lost))} cannot be reached from here (${code ?? 'no route'}).`,
  certificate: (lost, error) => ({
    message: `The certificate of ${hostOf(lost)} is not trusted: ${error.message.replace(/\.$/, '')} (${error.code ?? 'TLS'}).`,
    hint: certificateHint(hostOf(lost), error),
  }),
  tls: (lost, error) =>
    answeredPlainly(error)
      ? plainAnswer(lost.origin)
      : `The TLS connection to ${hostOf(lost)} failed (${error.code ?? 'TLS'}).`,
  proxy: (lost, error) => `The proxy ${lost.proxy ?? ''} did not connect to ${hostOf(lost)}${statusOf(error)}.`,
  'connect-timeout': (lost, { code }) =>
    `Could not connect to ${peer(lost)} ${code === 'ETIMEDOUT' ? 'in time' : `within ${formatDuration(Math.min(lost.requestTimeoutMs, CONNECT_TIMEOUT_MS))}`}.`,
  timeout: (lost) =>
    `${hostOf(lost)} did not send a complete response within ${formatDuration(lost.requestTimeoutMs)}.`,
  idle: (lost) => `The response from ${hostOf(lost)} stalled.`,
  reset: (lost, { code }) =>
    `The connection to ${hostOf(lost)} was closed before a response arrived${code ? ` (${code})` : ''}.`,
  truncated: (lost) => `The response from ${hostOf(lost)} was cut off.`,
  malformed: (lost, { code }) => `The response from ${hostOf(lost)} is not valid HTTP (${code ?? 'malformed'}).`,
  aborted: () => ({ message: 'The request was interrupted.', hint: 'Run the command again.' }),
};

/** An expired or not yet valid certificate needs its own hint: trusting another authority does not help. */
function certificateHint(host: string, { code }: TransportError): string {
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `Check this machine's clock. If it is correct, the operator of ${host} must renew the certificate. Nothing was sent.`;
  return 'If your own certificate authority signed it, pass its certificate with --ca-file FILE or CDPADM_CA_FILE. Nothing was sent.';
}

function hostOf({ origin }: LostExchange): string {
  return new URL(origin).host;
}

function peer({ origin, proxy }: LostExchange): string {
  if (proxy !== undefined) return `the proxy ${hostWithPort(proxy)}`;
  return hostWithPort(origin);
}

function hostWithPort(address: string): string {
  const url = new URL(address);
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
}

function statusOf(error: TransportError): string {
  const status = /\((\d{3})\)/.exec(error.message)?.[1];
  return status ? ` (it responded with ${status})` : '';
}

/** Thrown by writes. `workflows/confirm-write.ts` resolves it with a read; otherwise the outcome is unknown (8). */
export class OutcomeUnknownError extends CliError {
  constructor(options: FailureParts) {
    super({ exit: 'network', ...options, code: 'http.outcome_unknown' });
    this.name = 'OutcomeUnknownError';
  }
}

/** The code EPROTO alone is ambiguous; the message and the newer codes are not. */
const PLAIN_ANSWER = /wrong version number|packet length too long|WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/;

export function answeredPlainly(error: unknown): boolean {
  return error instanceof Error && PLAIN_ANSWER.test(`${systemErrorCode(error) ?? ''} ${error.message}`);
}

/** Plain HTTP is allowed only on this machine, so for any other host, the hint says to check the port. */
export function plainAnswer(address: string): { message: string; hint: string } {
  const { host, hostname } = new URL(address);
  return {
    message: `${host} does not use TLS, but the address starts with https://.`,
    hint: isLoopback(hostname)
      ? `Write the address with http:// (${address.replace(/^https:/, 'http:')}).`
      : 'Check the port. Plain HTTP is allowed only for connections to this machine.',
  };
}
