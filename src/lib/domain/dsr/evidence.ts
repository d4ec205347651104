// Evidence for a request: its history, its signatures, and whether the deadline was met.
import { X509Certificate } from 'node:crypto';
import * as z from 'zod/mini';
import { ForwardingEntry, RequestStatusReply, SIGNATURE_HEADER } from '../../contract/dsr.ts';
import { explain } from '../../contract/explain.ts';
import { readRecord } from '../../kernel/json.ts';
import { counted } from '../../kernel/words.ts';
import { checkSignature, type HeaderLines } from '../callbacks/verify.ts';
import { deadlineFrom, exceededLimit, isoOrNull } from './deadlines.ts';
import type { LedgerRequest } from './ledger.ts';
import { outcomeOf } from './outcome.ts';
import { isNotSubmitted, REJECTED } from './statuses.ts';

export type RequestEvidence = ReturnType<typeof evidenceOf>;

/** `now` is in milliseconds since the epoch. */
export function evidenceOf(request: LedgerRequest, now: number) {
  const { deadline = null, marks, regulation, submitted_time } = request;
  return {
    request,
    deadline,
    original_deadline: isoOrNull(deadlineFrom(regulation, submitted_time)),
    /** Last extension recorded by a user. It does not count if the deadline had already passed. */
    extended_deadline: marks?.findLast(({ extended }) => extended !== undefined)?.extended ?? null,
    /** Last legal day, if the deadline was extended beyond it. */
    exceeded_limit: (deadline === null ? undefined : exceededLimit(request, deadline)) ?? null,
    ...outcomeOf(request, now),
  };
}

export function historyOf(request: LedgerRequest) {
  const { at, downloads = [], marks = [], no_results = [], resent_at: again, states } = request;
  const line = (it: { at: string; by?: string; host?: string }, what: string) => {
    return { at: it.at, what, by: [it.by, it.host].filter(Boolean).join(' on ') };
  };
  const lines = [
    ...(at === undefined ? [] : [line({ ...request, at }, sentText(request))]),
    ...(again === undefined ? [] : [line({ at: again }, 'sent again, because its outcome was unknown')]),
    ...states.map((it) => line(it, stateText(it))),
    ...downloads.map((it) => line(it, `results downloaded: ${it.bytes} bytes, SHA-256 ${it.sha256}`)),
    ...no_results.map((it) => {
      const what = it.http_status === 404 ? 'no records match the identities' : 'the results have expired';
      return line(it, `${what} (${it.http_status})`);
    }),
    ...marks.map((it) => line(it, markText(it))),
  ];
  return lines.sort((a, b) => a.at.localeCompare(b.at));
}

/** The ledger records a request just before it is sent. */
function sentText({ status }: LedgerRequest): string {
  if (isNotSubmitted(status)) return 'recorded on this machine, but not submitted';
  return status === undefined ? 'recorded on this machine; no response confirms it' : 'submitted from this machine';
}

const SOURCES: Readonly<Record<string, string>> = {
  submit: 'recorded at submission',
  status: 'recorded at a status check',
  cancel: 'recorded at cancellation',
  callback: 'received in a callback',
};

/** Returns a status and how this machine learned of it. */
export function stateText({ http_status: code, source, status }: LedgerRequest['states'][number]): string {
  return `${status} (${code === undefined ? '' : `${code}, `}${SOURCES[source] ?? source})`;
}

/** Describes whether the deadline was met. Mentions a cancellation, because a cancelled request was not answered. */
export function outcomeText(evidence: RequestEvidence): string {
  const { days_late, deadline_met: met, exceeded_limit: limit, finished, request } = evidence;
  const late = counted(days_late, 'day');
  const isCancelled = finished === 'cancelled';
  const texts = {
    null: unprovenText(evidence),
    true: isCancelled ? 'cancelled before the deadline' : 'deadline met',
    false: `${request.status === undefined ? 'outcome unknown, ' : ''}${isCancelled ? `cancelled ${late} after the deadline` : `${late} late`}`,
  };
  return texts[`${met}`] + (limit === null ? '' : `, but the extension exceeds the legal limit (${limit})`);
}

/** Describes a request if nothing proves that its deadline was met or missed. */
function unprovenText({ deadline, finished, finished_at, request: { states, status } }: RequestEvidence): string {
  if (isNotSubmitted(status)) {
    const code = states.at(-1)?.http_status;
    return `not submitted${status === REJECTED ? `: rejected by the platform${code === undefined ? '' : ` (${code})`}` : ''}`;
  }
  if (finished !== null) {
    if (deadline === null) return `${finished}, deadline unknown`;
    return `${finished}, ${finished_at === null ? 'time unknown' : 'first seen after the deadline'}`;
  }
  if (status === undefined) return 'outcome unknown';
  return deadline === null ? 'open, deadline unknown' : 'open, not late';
}

/** Describes when a request was answered or finished, and whether that time is exact. */
export function finishedText({ finished, finished_at, is_first_seen }: RequestEvidence): string {
  if (finished === null) return 'not yet';
  if (finished_at === null) return `${finished}, time unknown`;
  return is_first_seen ? `first seen as ${finished} on ${finished_at}; the exact time is unknown` : finished_at;
}

function markText({ answered, extended, reason }: { answered?: boolean; extended?: string; reason?: string }): string {
  const parts = [
    ...(answered === undefined ? [] : [answered ? 'marked as answered' : 'marked as not answered']),
    ...(extended === undefined ? [] : [`deadline extended to ${extended}`]),
  ];
  return [parts.join(', '), reason].filter(Boolean).join(': ');
}

/** True unless a body is exactly a request's status, as in callbacks. Responses to submissions contain identities. */
export function mayHaveIdentities(body: Buffer): boolean {
  const extensions = z.nullish(z.array(z.strictObject(ForwardingEntry.shape)));
  const status = z.strictObject({ ...RequestStatusReply.shape, extensions });
  return explain(status, readRecord(body.toString('utf8'))).length > 0;
}

export function signatureOf(headers: HeaderLines): Buffer | undefined {
  const text = headers.find(([name]) => name.toLowerCase() === SIGNATURE_HEADER)?.[1];
  return text === undefined ? undefined : Buffer.from(text, 'base64');
}

/** False if the certificate is available and the signature is not valid: the headers may have changed. */
export function isSignedBy(pem: string | undefined, headers: HeaderLines, body: Buffer): boolean {
  return pem === undefined || checkSignature(headers, body, new X509Certificate(pem).publicKey).ok;
}
