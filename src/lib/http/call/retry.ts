// Determines whether and when a failed request is retried. One pure function decides for every call.
import type { Safety } from '../../contract/endpoint.ts';
import { isServerTrouble } from '../../contract/failures.ts';
import type { Answer } from '../answer/answer.ts';
import { TransportError } from '../transport-error.ts';

const BACKOFF_BASE_MS = 500;
const BACKOFF_CAP_MS = 30_000;

export interface Circumstances {
  safety: Safety;
  /** Number of the failed attempt, counted from 1. */
  attempt: number;
  attempts: number;
  /** The server's time in milliseconds since the epoch, to interpret a date in `Retry-After`. */
  now: number;
  random(): number;
}

export type RetryDecision =
  | { act: 'again'; afterMs: number }
  | { act: 'give-up' }
  /** Do not retry: the platform may have executed the request. */
  | { act: 'unknown' };

export function decide(
  result: Pick<Answer, 'status' | 'headers'> | TransportError,
  circumstances: Circumstances,
): RetryDecision {
  const harmless = circumstances.safety === 'repeat';
  if (result instanceof TransportError) {
    if (result.phase === 'perhaps-delivered' && !harmless) return { act: 'unknown' };
    return result.permanent ? { act: 'give-up' } : again(circumstances, undefined);
  }
  const retryAfter = result.headers['retry-after'];
  // A call that was rejected with 429 normally changed nothing, so it may be retried whatever its `safety`.
  if (result.status === 429) return again(circumstances, retryAfter);
  if (!isServerTrouble(result.status)) return { act: 'give-up' };
  return harmless ? again(circumstances, retryAfter) : { act: 'unknown' };
}

function again(circumstances: Circumstances, retryAfter: string | undefined): RetryDecision {
  const { attempt, attempts, now, random } = circumstances;
  if (attempt >= attempts) return { act: 'give-up' };
  const asked = parseRetryAfter(retryAfter ?? '', now);
  if (asked === undefined) return { act: 'again', afterMs: random() * backoffCeiling(attempt) };
  // Add jitter, because other clients may have been given the same time. Never retry before that time.
  return { act: 'again', afterMs: asked + random() * BACKOFF_BASE_MS };
}

/** Returns the maximum pause after an attempt; with full jitter, the pause is a random fraction of it. */
export function backoffCeiling(attempt: number): number {
  return Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (attempt - 1));
}

/** Matches `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete forms with `Sunday, 06-Nov-94` and of `asctime`. */
const HTTP_DATE =
  /^(?:[a-z]{3,9}, \d\d[ -][a-z]{3}[ -](?:\d{4}|\d\d) (?!24)\d\d:\d\d:[0-5]\d GMT|[a-z]{3} [a-z]{3} [ \d]\d (?!24)\d\d:\d\d:[0-5]\d \d{4})$/i;

/** Returns the delay from `now` in milliseconds, with no upper limit; 0 for a past date, undefined for invalid text. */
export function parseRetryAfter(value: string, now: number): number | undefined {
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text) * 1000), Number.MAX_SAFE_INTEGER);
  const at = parseHttpDate(text);
  return at === undefined ? undefined : Math.max(0, at - now);
}

/** Returns the server's time, from which a date in its `Retry-After` counts: our clock may be wrong. */
export function serverTime(headers: Readonly<Record<string, string>>, now: number): number {
  return parseHttpDate(headers['date'] ?? '') ?? now;
}

function parseHttpDate(text: string): number | undefined {
  const ms = HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
