// Converts an HTTP response to an error: code, message and hint.
import { exitOf, fail } from '../../errors/fail.ts';
import type { Endpoint, Safety } from '../../contract/endpoint.ts';
import { isServerTrouble } from '../../contract/failures.ts';
import type { ErrorCode } from '../../errors/registry.ts';
import type { KnownError, KnownErrorOptions, FailedRequest, Hints } from '../../kernel/errors.ts';
import { type Answer, htmlTitle, isHtml, readEnvelope } from './answer.ts';
import { OutcomeUnknownError } from './network-failure.ts';

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

function failure(call: FailedCall, code: Code, message: string, options: Partial<KnownErrorOptions>): KnownError {
  return fail(code, { ...options, message, request: call.request });
}

function codeOf(call: FailedCall, status: number): Code {
  if (call.endpoint.service === 'auth') {
    if (status === 401) return 'auth.client_refused';
    if (status === 403) return 'auth.audience_refused';
    // These codes would refer to the resource of the call that needs the token.
    if (status === 404 || status === 409 || status === 410) return 'http.refused';
  }
  return CODE_OF_STATUS[status] ?? (isServerTrouble(status) ? 'http.unavailable' : 'http.refused');
}

function isBasic({ endpoint: { auth } }: FailedCall): boolean {
  return auth === 'dsr-basic' || auth === 'seeding-basic';
}

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
