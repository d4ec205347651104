// Converts a response, or a request without a response, to an error: code, message and hint.
import type { Endpoint, Safety } from '../../contract/endpoint.ts';
import { isServerTrouble } from '../../contract/failures.ts';
import {
  type FailedRequest,
  type Hints,
  KnownError,
  type KnownErrorOptions,
  systemErrorCode,
} from '../../kernel/errors.ts';
import { type Answer, htmlTitle, isHtml, readEnvelope } from './answer.ts';
import { capitalized } from '../../kernel/words.ts';
import { CliError, exitOf, fail, type FailureParts } from '../../errors/fail.ts';
import { type ErrorCode, ERRORS } from '../../errors/registry.ts';
import { formatDuration } from '../../kernel/timestamps.ts';
import { CONNECT_TIMEOUT_MS } from '../types.ts';
import type { TransportError, TransportKind } from '../transport-error.ts';
import { isLoopback } from '../../kernel/address.ts';

export interface FailedCall {
  endpoint: Endpoint;
  request: FailedRequest;
  origin: string;
  /** True if the user provided the access token, which cannot be renewed. */
  readyToken: boolean;
  redact(text: string): string;
}

type Code = Extract<ErrorCode, `http.${string}` | 'auth.client_refused' | 'auth.audience_refused'>;

const CODE_OF_STATUS: Record<number, Code> = {
  400: 'http.bad_request',
  401: 'http.unauthorized',
  403: 'http.forbidden',
  404: 'http.not_found',
  409: 'http.conflict',
  410: 'http.gone',
  413: 'http.too_large',
  422: 'http.unprocessable',
  429: 'http.rate_limited',
  505: 'http.warehouse_unreachable',
};

export function rejectionOf(call: FailedCall, answer: Answer): KnownError {
  const { status } = answer;
  if (status >= 300 && status < 400) return redirect(call, answer);
  // A 404 page from a proxy does not prove that the resource does not exist.
  if ((status === 404 || status === 410) && isHtml(answer)) return unreadable(call, answer, '');
  const envelope = readEnvelope(answer, call.redact);
  const code = codeOf(call, status);
  const said = envelope.sentences.join('; ').replace(/\.$/, '');
  const limit = status === 429 ? exceededLimit(answer) : undefined;
  const needsCredentials = call.endpoint.auth === 'none' && (code === 'http.unauthorized' || code === 'http.forbidden');
  const isToken = call.endpoint.service === 'auth';
  const words = needsCredentials ? ANONYMOUS : isToken && code === 'http.refused' ? NO_TOKEN_SERVICE : WORDS[code];
  const service = isToken ? 'The token service' : 'The platform';
  const { hint, subject = `${service} rejected the request` } = words ?? {};
  const what = isServerTrouble(status) ? `${service} reports a server error` : subject;
  const detail = [said, limit && call.redact(limit)].filter(Boolean).join('; ');
  return failure(call, code, `${what} (${status})${detail ? `: ${detail}` : ''}.`, {
    status,
    hint: typeof hint === 'function' ? hint(call) : hint,
    ...(envelope.errors.length > 0 && { details: { errors: envelope.errors } }),
  });
}

/** Returns the error for a response that is a web page or has a problem. `problem` completes "the response …". */
export function unreadable(call: FailedCall, answer: Answer, problem: string): KnownError {
  const html = isHtml(answer);
  const title = html ? htmlTitle(answer.text, call.redact) : '';
  // A link can lead to content of any type.
  const wanted = call.endpoint.id === 'link' ? '' : ', not JSON';
  const seen = html ? `is a web page${title ? ` ("${title}")` : ''}${wanted}` : problem;
  const { method, path } = call.request;
  return failure(call, 'http.unreadable', `Unreadable response to ${method} ${path}: it ${call.redact(seen)}.`, {
    status: answer.status,
    hint: html
      ? `A proxy or a login page may have responded: check ${call.origin}, the proxy settings and the network login.`
      : `Check that ${call.origin} is the right address. Pass --trace-file FILE to save the whole exchange.`,
  });
}

const AFTER_LOSS: Readonly<Record<Safety, string>> = {
  repeat: 'Run the command again. Sending the same body twice is harmless.',
  confirm: 'Check the current state before you run the command again.',
  once: 'The request was not sent again, because the platform may have processed it. Check its effect before you run the command again.',
};

/** Returns the error for a write that may have taken effect. `cause` is the failure that hides the outcome. */
export function outcomeUnknown(call: FailedCall, cause: KnownError): OutcomeUnknownError {
  const { method, path } = call.request;
  const happened = cause.message.charAt(0).toLowerCase() + cause.message.slice(1);
  return new OutcomeUnknownError({
    message: `The outcome of ${method} ${path} is unknown: ${happened}`,
    hint: AFTER_LOSS[call.endpoint.safety],
    request: call.request,
    ...(cause.status !== undefined && { status: cause.status }),
    ...(cause.code === 'interrupted' && { exit: exitOf(cause) }),
    details: { cause: cause.code },
    cause,
  });
}

const failure = (call: FailedCall, code: Code, message: string, options: Partial<KnownErrorOptions>): KnownError =>
  fail(code, { ...options, message, request: call.request });

function codeOf(call: FailedCall, status: number): Code {
  if (call.endpoint.service === 'auth') {
    if (status === 401) return 'auth.client_refused';
    if (status === 403) return 'auth.audience_refused';
    // These codes would refer to the resource of the call that needs the token.
    if (status === 404 || status === 409 || status === 410) return 'http.refused';
  }
  return CODE_OF_STATUS[status] ?? (isServerTrouble(status) ? 'http.unavailable' : 'http.refused');
}

const isBasic = ({ endpoint: { auth } }: FailedCall): boolean => auth === 'dsr-basic' || auth === 'seeding-basic';

interface Words {
  subject?: string;
  hint?: Hints | ((call: FailedCall) => Hints);
}

const NO_TOKEN_SERVICE: Words = {
  hint: { text: 'Check the address of the token service (`auth_url`):', command: 'cdpadm profile show --origin' },
};

const WORDS: Partial<Record<Code, Words>> = {
  'auth.client_refused': {
    subject: 'The token service rejected the client id or the client secret',
    hint: checkThenTest("Check CDPADM_CLIENT_ID and CDPADM_CLIENT_SECRET, or the profile's secrets."),
  },
  'auth.audience_refused': {
    subject: 'The token service does not issue tokens for this audience',
    hint: 'Set the audience of these credentials (`audience` in the profile, or CDPADM_AUDIENCE). The default is the base address.',
  },
  'http.unauthorized': {
    subject: 'The platform rejected the credentials',
    hint: (call) => {
      if (isBasic(call))
        return checkThenTest("Check CDPADM_WORKSPACE_KEY and CDPADM_WORKSPACE_SECRET, or the profile's secrets.");
      return call.readyToken
        ? 'The token in CDPADM_ACCESS_TOKEN is wrong or has expired. Set a new one, or unset it and pass a client id and secret.'
        : 'A new token was rejected too. Check that the credentials belong to this platform address and audience.';
    },
  },
  'http.forbidden': {
    subject: 'The credentials do not have permission',
    hint: (call) =>
      isBasic(call)
        ? checkThenTest('Check that the workspace key and secret belong to this workspace.')
        : 'Check that the API credentials include this API (for roles: the custom roles permission) and belong to this organization.',
  },
  'http.not_found': {
    subject: 'Not found',
    hint: {
      text: 'Check the ids in the command and the organization, account and workspace in use:',
      command: 'cdpadm profile show --origin',
    },
  },
  'http.gone': { subject: 'The resource no longer exists' },
  'http.conflict': { subject: 'Conflict with the current state' },
  'http.rate_limited': {
    subject: 'Too many requests',
    hint: 'Wait a minute, then run the command again. Other programs may use the same limit.',
  },
  'http.unavailable': { hint: 'Run the command again later, or pass --retries N to allow more retries.' },
  'http.warehouse_unreachable': {
    subject: 'The platform could not connect to the warehouse account',
    hint: 'Check the account, region, warehouse, database and credentials of the connection. The platform itself is available.',
  },
};

const ANONYMOUS: Words = {
  subject: 'The server rejected a request without credentials',
  hint: ({ origin }) => `No credentials are sent to ${origin}. Check that the address is right and needs no sign-in.`,
};

function checkThenTest(check: string): Hints {
  return [check, { text: 'To test them:', command: 'cdpadm auth test' }];
}

function redirect(call: FailedCall, answer: Answer): KnownError {
  const location = answer.headers['location'] ?? '';
  const base = call.origin + call.request.path;
  const target = URL.canParse(location, base) ? new URL(location, base).origin : undefined;
  const message = `The platform sent a redirect (${answer.status})${target ? ` to ${call.redact(target)}` : ''}; cdpadm does not follow redirects.`;
  const hint =
    target === undefined || target === call.origin
      ? 'Check the configured addresses. Credentials are never sent to a redirect target.'
      : `If ${call.redact(target)} is the platform's new address, configure it. Nothing was sent there.`;
  return failure(call, 'http.redirect', message, { status: answer.status, hint });
}

/** Returns the exceeded limit, from `x-rate-limit-exceeded: requests_per_minute` (decision: D7). */
function exceededLimit(answer: Answer): string | undefined {
  const header = Object.entries(answer.headers).find(([name]) => name.endsWith('rate-limit-exceeded'));
  return header && `${header[0]}: ${header[1]}`;
}

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
  const words = NETWORK_WORDS[error.kind](lost, error);
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
const NETWORK_WORDS: Record<
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

const hostOf = ({ origin }: LostExchange): string => new URL(origin).host;

const peer = ({ origin, proxy }: LostExchange): string =>
  proxy === undefined ? hostWithPort(origin) : `the proxy ${hostWithPort(proxy)}`;

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
