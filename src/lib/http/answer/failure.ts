// The one place where HTTP becomes an error of ours: code, sentence, exit code and what to do.
import { exitOf } from '../../errors/exit.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { isServerTrouble } from '../../contract/failures.ts';
import { fail } from '../../errors/fail.ts';
import type { ErrorCode } from '../../errors/registry.ts';
import type { KnownError, KnownErrorOptions, FailedRequest } from '../../kernel/errors.ts';
import type { Hints } from '../../kernel/hint.ts';
import type { Answer } from './answer.ts';
import { htmlTitle, isHtml, readEnvelope } from './envelope.ts';
import { OutcomeUnknownError } from './network-failure.ts';

/** The call that failed, as far as a message needs it. */
export interface FailedCall {
  endpoint: Endpoint;
  request: FailedRequest;
  origin: string;
  /** Whether the access token was given ready-made and so could not be renewed. */
  readyToken: boolean;
  /** Takes secrets out of what the platform or a proxy said. */
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

/** The error for an answer whose status is not 2xx. */
export function refusal(call: FailedCall, answer: Answer): KnownError {
  const { status } = answer;
  if (status >= 300 && status < 400) return redirect(call, answer);
  // That a page of something in between was not found says nothing of the resource.
  if ((status === 404 || status === 410) && isHtml(answer)) return unreadable(call, answer, '');
  const envelope = readEnvelope(answer, call.redact);
  const code = codeOf(call, status);
  const said = envelope.sentences.join('; ').replace(/\.$/, '');
  const limit = status === 429 ? exceededLimit(answer) : undefined;
  const subject = isServerTrouble(status) ? 'The platform is in trouble' : subjectOf(code);
  const detail = [said, limit && call.redact(limit)].filter(Boolean).join('; ');
  return failure(call, code, `${subject} (${status})${detail ? `: ${detail}` : ''}.`, {
    status,
    hint: hintOf(call, code),
    ...(envelope.errors.length > 0 && { details: { errors: envelope.errors } }),
  });
}

/** The error for a 2xx answer that is not what the endpoint answers; `problem` ends the sentence "the answer …". */
export function unreadable(call: FailedCall, answer: Answer, problem: string): KnownError {
  const html = isHtml(answer);
  const title = html ? htmlTitle(answer.text, call.redact) : '';
  const seen = html ? `is a web page${title ? ` ("${title}")` : ''}, not JSON` : problem;
  const { method, path } = call.request;
  return failure(call, 'http.unreadable', `Unreadable answer: what ${method} ${path} answered ${call.redact(seen)}.`, {
    status: answer.status,
    hint: html
      ? `Something other than the platform may have answered: check ${call.origin}, the proxy settings and the network's login page.`
      : `Check that ${call.origin} is the right address; with --trace-file FILE the whole exchange is kept.`,
  });
}

/** The error for a write that may or may not have been carried out; `cause` is what happened to it. */
export function outcomeUnknown(call: FailedCall, cause: KnownError): OutcomeUnknownError {
  const { method, path } = call.request;
  const happened = cause.message.charAt(0).toLowerCase() + cause.message.slice(1);
  return new OutcomeUnknownError({
    message: `The outcome of ${method} ${path} is unknown: ${happened}`,
    hint:
      call.endpoint.safety === 'repeat'
        ? 'Run the command again: sending the same body twice is harmless.'
        : 'Check the current state before you run the command again.',
    request: call.request,
    ...(cause.status !== undefined && { status: cause.status }),
    ...(cause.code === 'interrupted' && { exit: exitOf(cause) }),
    details: { cause: cause.code },
    cause,
  });
}

type Options = Pick<KnownErrorOptions, 'status' | 'hint' | 'details'>;

function failure(call: FailedCall, code: Code, message: string, options: Options): KnownError {
  return fail(code, { ...options, message, request: call.request });
}

function codeOf(call: FailedCall, status: number): Code {
  if (call.endpoint.service === 'auth') {
    if (status === 401) return 'auth.client_refused';
    if (status === 403) return 'auth.audience_refused';
  }
  return CODE_OF_STATUS[status] ?? (isServerTrouble(status) ? 'http.unavailable' : 'http.refused');
}

function subjectOf(code: Code): string {
  switch (code) {
    case 'auth.client_refused':
      return 'The token service does not accept the client id or the client secret';
    case 'auth.audience_refused':
      return 'The token service gives no token for this audience';
    case 'http.unauthorized':
      return 'The platform does not accept the credentials';
    case 'http.forbidden':
      return 'The credentials do not allow this';
    case 'http.not_found':
      return 'The platform does not find it';
    case 'http.gone':
      return 'It is no longer there';
    case 'http.conflict':
      return 'It is in conflict with what is there';
    case 'http.rate_limited':
      return 'Too many requests';
    case 'http.warehouse_unreachable':
      return 'The platform could not connect to the warehouse account';
    default:
      return 'The platform refused the request';
  }
}

function hintOf(call: FailedCall, code: Code): Hints | undefined {
  const basic = call.endpoint.auth === 'dsr-basic' || call.endpoint.auth === 'seeding-basic';
  switch (code) {
    case 'auth.client_refused':
      return tried('Check CDPADM_CLIENT_ID and CDPADM_CLIENT_SECRET, or the secrets of the profile.');
    case 'auth.audience_refused':
      return 'Set the audience that belongs to these credentials (`audience` of the profile, or CDPADM_AUDIENCE); without it the base address is used.';
    case 'http.unauthorized':
      if (basic) return tried('Check CDPADM_WORKSPACE_KEY and CDPADM_WORKSPACE_SECRET, or the secrets of the profile.');
      return call.readyToken
        ? 'The token of CDPADM_ACCESS_TOKEN is wrong or has expired: set a new one, or unset it and give a client id and secret.'
        : 'A fresh token was refused as well: check that the credentials belong to this platform address and audience.';
    case 'http.forbidden':
      return basic
        ? tried('Check that the workspace key and secret belong to this workspace.')
        : 'Check that the API credentials include this API (for roles: the custom roles permission) and belong to this organization.';
    case 'http.not_found':
      return {
        text: 'Check the ids in the command and the organization, account and workspace in use:',
        command: 'cdpadm profile show --origin',
      };
    case 'http.rate_limited':
      return 'Wait a minute and repeat the command; other programs may be using the same limit.';
    case 'http.unavailable':
      return 'Repeat the command later; --retries N tries more often.';
    case 'http.warehouse_unreachable':
      return 'Check account, region, warehouse, database and credentials of the connection; the platform itself is well.';
    default:
      return undefined;
  }
}

function tried(check: string): Hints {
  return [check, { text: 'To try them:', command: 'cdpadm auth test' }];
}

function redirect(call: FailedCall, answer: Answer): KnownError {
  const location = answer.headers['location'] ?? '';
  const base = call.origin + call.request.path;
  const target = URL.canParse(location, base) ? new URL(location, base).origin : undefined;
  const message = `The platform answered with a redirect (${answer.status})${target ? ` to ${call.redact(target)}` : ''}, which is not followed.`;
  const hint =
    target === undefined || target === call.origin
      ? 'Check the configured addresses; credentials are never carried along a redirect.'
      : `If ${call.redact(target)} is the platform's address now, configure it; nothing was sent there.`;
  return failure(call, 'http.redirect', message, { status: answer.status, hint });
}

/** `x-rate-limit-exceeded: requests_per_minute`: which limit was hit (decision: D7). */
function exceededLimit(answer: Answer): string | undefined {
  const header = Object.entries(answer.headers).find(([name]) => name.endsWith('rate-limit-exceeded'));
  return header && `${header[0]}: ${header[1]}`;
}
