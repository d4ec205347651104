// Proof that a request on the platform is the one sent from here: its id, and what the ledger and the platform show.
import { isDeepStrictEqual } from 'node:util';
import type { DsrRequest, RequestStatusReply } from '../contract/dsr.ts';
import type { KnownError } from '../kernel/errors.ts';
import type { LedgerRequest, SubmittedNews } from '../domain/dsr/ledger.ts';
import { fail } from '../errors/fail.ts';

/** Whether an answer is about the request `id`. */
export function isSameId({ subject_request_id }: { subject_request_id: string }, id: string): boolean {
  return subject_request_id.toLowerCase() === id;
}

/** Same type and identities: what the platform compares before it answers 409. */
export function isSameSubject(
  before: Pick<LedgerRequest, 'subject_request_type' | 'identities'>,
  news: SubmittedNews,
): boolean {
  return (
    before.subject_request_type === news.subject_request_type && isDeepStrictEqual(before.identities, news.identities)
  );
}

/**
 * Whether a request that the platform already has under a given id is this one (decision: D211). `same`: the ledger has
 * this id for the same request. `other`: the ledger or the platform shows another one.
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

/** The conflict (6) of an id that another request has, or one of which nothing proves that it is this one. */
export function idTaken(id: string, proof: 'other' | 'none'): KnownError {
  return fail('dsr.id_taken', {
    message:
      proof === 'other'
        ? `Conflict: the platform already has another request with the id ${id}.`
        : `Conflict: the platform already has a request with the id ${id}, and nothing proves that it is this one.`,
    hint: 'Submit this request with a new id: leave the id out.',
  });
}
