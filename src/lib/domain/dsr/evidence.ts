// Evidence for a request: its history, its signatures, and whether the deadline was met.
import * as z from 'zod/mini';
import { ForwardingEntry, RequestStatusReply, SIGNATURE_HEADER } from '../../contract/dsr.ts';
import { explain } from '../../contract/explain.ts';
import { readRecord } from '../../kernel/json.ts';
import { parseIso } from '../../kernel/timestamps.ts';
import type { HeaderLines } from '../callbacks/verify.ts';
import { daysLate } from './deadlines.ts';
import { answeredAt, deadlineOfRequest, type LedgerRequest } from './ledger.ts';
import { isNotSubmitted, REJECTED } from './statuses.ts';

export interface RequestEvidence {
  request: LedgerRequest;
  /** Deadline that counts. */
  deadline: string | null;
  original_deadline: string | null;
  /** Last extension recorded by a user. It does not count if the deadline had already passed. */
  extended_deadline: string | null;
  /** When the subject got the answer or the erasure was completed; null if the request is open or was not submitted. */
  finished_at: string | null;
  /** Null for an open request before its deadline, without a deadline, and for a request that was not submitted. */
  deadline_met: boolean | null;
  days_late: number;
}

/** `now` is in milliseconds since the epoch. */
export function evidenceOf(request: LedgerRequest, now: number): RequestEvidence {
  const deadline = deadlineOfRequest(request) ?? null;
  const end = request.states.find(({ status }) =>
    request.subject_request_type === 'erasure' ? ['completed', 'cancelled'].includes(status) : status === 'cancelled',
  );
  const finished = answeredAt(request) ?? end?.at ?? null;
  const until = parseIso(finished ?? '') ?? now;
  const isOver = isNotSubmitted(request.status);
  const late = isOver ? 0 : daysLate(parseIso(deadline ?? '') ?? until, until);
  return {
    request,
    deadline,
    original_deadline: deadlineOfRequest({ ...request, marks: [] }) ?? null,
    extended_deadline: request.marks?.findLast(({ extended }) => extended !== undefined)?.extended ?? null,
    finished_at: finished,
    deadline_met: deadline === null || isOver || (finished === null && late === 0) ? null : late === 0,
    days_late: late,
  };
}

/** Returns everything that happened to a request, oldest first. */
export function historyOf(request: LedgerRequest) {
  const { at, downloads = [], marks = [], no_results = [], states } = request;
  const line = (it: { at: string; by?: string; host?: string }, what: string) => {
    return { at: it.at, what, by: [it.by, it.host].filter(Boolean).join(' on ') };
  };
  const lines = [
    ...(at === undefined ? [] : [line({ ...request, at }, sentText(request))]),
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

/** Returns a status, and how this machine learned of it. */
export function stateText({ http_status: code, source, status }: LedgerRequest['states'][number]): string {
  return `${status} (${code === undefined ? '' : `${code}, `}${SOURCES[source] ?? source})`;
}

/** Returns the state of a request whose deadline is neither met nor missed. */
export function openText({ finished_at, request: { states, status } }: RequestEvidence): string {
  if (isNotSubmitted(status)) {
    const code = states.at(-1)?.http_status;
    return `not submitted${status === REJECTED ? `: rejected by the platform${code === undefined ? '' : ` (${code})`}` : ''}`;
  }
  if (finished_at !== null) return 'finished, deadline unknown';
  return status === undefined ? 'outcome unknown' : 'open, not late';
}

function markText({ answered, extended, reason }: { answered?: boolean; extended?: string; reason?: string }): string {
  const parts = [
    ...(answered === undefined ? [] : [answered ? 'marked as answered' : 'marked as not answered']),
    ...(extended === undefined ? [] : [`deadline extended to ${extended}`]),
  ];
  return parts.join(', ') + (reason === undefined ? '' : `: ${reason}`);
}

/** True unless a body is exactly a request's status, as in callbacks. Responses to submissions contain identities. */
export function mayHaveIdentities(body: Buffer): boolean {
  const extensions = z.nullish(z.array(z.strictObject(ForwardingEntry.shape)));
  const status = z.strictObject({ ...RequestStatusReply.shape, extensions });
  return explain(status, readRecord(body.toString('utf8'))).length > 0;
}

/** Returns a message's signature bytes, for `openssl dgst -verify`. */
export function signatureOf(headers: HeaderLines): Buffer | undefined {
  const text = headers.find(([name]) => name.toLowerCase() === SIGNATURE_HEADER)?.[1];
  return text === undefined ? undefined : Buffer.from(text, 'base64');
}
