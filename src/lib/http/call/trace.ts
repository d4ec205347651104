// Traces an exchange for `--debug` and `--trace-file`: everything but secrets.
import type { Endpoint } from '../../contract/endpoint.ts';
import { JsonError, parseJson } from '../../kernel/json.ts';
import { MASK, type Redactor } from '../../kernel/redact.ts';
import { isoMillis } from '../../kernel/timestamps.ts';
import type { Answer } from '../answer/answer.ts';
import { type BuiltRequest, urlOf } from './request.ts';
import type { TransportError } from '../transport-error.ts';
import type { HttpOptions } from '../types.ts';

const MAX_TRACED_BODY = 64 * 1024;

/** One attempt with its response, or its failure below HTTP. */
export interface Attempted {
  endpoint: Endpoint;
  id: string;
  attempt: number;
  request: BuiltRequest;
  /** As sent, credentials included. */
  headers: Record<string, string>;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt: number;
  answer?: Answer;
  error?: TransportError;
}

/** Writes the attempt to `onDebug` and `onTrace`. */
export function traceAttempt(
  attempted: Attempted,
  { onDebug, onTrace, redactor }: Pick<HttpOptions, 'onDebug' | 'onTrace' | 'redactor'>,
): void {
  // Masking would double the CPU time of a short call.
  if (!onDebug && !onTrace) return;
  const { answer, attempt, endpoint, endedAt, error, headers, id, request, startedAt } = attempted;
  const url = redactor.text(urlOf(request));
  const ms = endedAt - startedAt;
  const size = answer && `${answer.size} bytes`;
  const result = answer
    ? `${answer.status}, ${size}`
    : redactor.text(`no response: ${error?.kind} ${error?.code ?? ''}`.trim());
  onDebug?.(`${request.method} ${url} -> ${result}, ${ms} ms (attempt ${attempt}, request ${id})`);
  onTrace?.({
    at: isoMillis(startedAt),
    id,
    attempt,
    method: request.method,
    url,
    status: answer?.status ?? null,
    ms,
    request: { headers: redactor.headers(headers), body: tracedBody(request.body?.toString(), endpoint, redactor) },
    response: answer
      ? { headers: redactor.headers(answer.headers), body: tracedBody(answer.text, endpoint, redactor) }
      : null,
    error: error ? { kind: error.kind, code: error.code ?? null, phase: error.phase } : null,
  });
}

function tracedBody(text: string | undefined, endpoint: Endpoint, redactor: Redactor): unknown {
  if (text === undefined || text === '') return null;
  // Request and response of the token call contain only secrets.
  if (endpoint.service === 'auth') return '(not kept)';
  if (text.length > MAX_TRACED_BODY) {
    // Masked before it is cut: a part of a secret is not recognized.
    return `${redactor.text(text).slice(0, MAX_TRACED_BODY)}… (cut: ${text.length} characters)`;
  }
  try {
    return redactor.value(withoutIdentities(parseJson(text)));
  } catch (error) {
    if (error instanceof JsonError) return redactor.text(text);
    throw error;
  }
}

/** Masks the subjects of a request (decision: D11), in place: the value was parsed for the trace alone. */
function withoutIdentities(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, item] of Object.entries(value as Record<string, unknown>)) {
    if (key !== 'subject_identities' || typeof item !== 'object' || item === null) withoutIdentities(item);
    else for (const entry of Object.values(item)) if (isIdentity(entry)) entry.value = MASK;
  }
  return value;
}

function isIdentity(entry: unknown): entry is { value: unknown } {
  return typeof entry === 'object' && entry !== null && 'value' in entry;
}
