// Proves that a request on the platform is the one that this machine sent.
import { isDeepStrictEqual } from 'node:util';
import type { DsrRequest, RequestStatusReply } from '../contract/dsr.ts';
import type { KnownError } from '../kernel/errors.ts';
import type { LedgerRequest, SubmittedNews } from '../domain/dsr/ledger.ts';
import { fail } from '../errors/fail.ts';

/** True if a response is about the request `id`. */
export function isSameId({ subject_request_id }: { subject_request_id: string }, id: string): boolean {
  return subject_request_id.toLowerCase() === id;
}

/** Same type and identities: the platform compares these before it answers 409. */
export function isSameSubject(
  before: Pick<LedgerRequest, 'subject_request_type' | 'identities'>,
  news: SubmittedNews,
): boolean {
  return (
    before.subject_request_type === news.subject_request_type && isDeepStrictEqual(before.identities, news.identities)
  );
}

/**
 * Compares this request with the one that the platform has under its id (decision: D211). `same`: the ledger has this id for
 * the same request. `other`: the ledger or the platform shows another request.
 */
export function proofOf(
  found: RequestStatusReply,
  request: DsrRequest,
  news: SubmittedNews,
  entry: LedgerRequest | undefined,
): 'same' | 'other' | 'none' {
  if (found.group_id !== undefined && found.group_id !== (request.group_id ?? null)) return 'other';
  if (entry?.identities === undefined) return 'none';
  return isSameSubject(entry, news) && entry.regulation === news.regulation ? 'same' : 'other';
}

/** The conflict (6) for an id that another request has, or may have. */
export function idTaken(id: string, proof: 'other' | 'none'): KnownError {
  return fail('dsr.id_taken', {
    message:
      proof === 'other'
        ? `Conflict: the platform already has another request with the id ${id}.`
        : `Conflict: the platform already has a request with the id ${id}, and there is no proof that it is this one.`,
    hint: 'Omit the id to submit this request with a new one.',
  });
}
