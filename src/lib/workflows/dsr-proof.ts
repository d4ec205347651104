// Proves that a request on the platform is the one that this machine sent, and that it is in the intended workspace.
import { isDeepStrictEqual } from 'node:util';
import type { DsrApi } from '../api/dsr.ts';
import { type CreateReply, DsrRequest, type RequestStatusReply } from '../contract/dsr.ts';
import { DSR_FAILURES } from '../contract/failures.ts';
import type { KnownError } from '../kernel/errors.ts';
import { isRecord, tryJson } from '../kernel/json.ts';
import { isoMillis, parseIso } from '../kernel/timestamps.ts';
import { listed } from '../kernel/words.ts';
import { isNotSubmitted } from '../domain/dsr/statuses.ts';
import type { LedgerNews, LedgerRequest, SubmittedNews } from '../domain/dsr/ledger.ts';
import { statusIn } from '../domain/dsr/outcome.ts';
import { fail } from '../errors/fail.ts';
import type { Doubt } from './confirm-write.ts';
import type { LedgerPort } from './dsr-ports.ts';

export function isSameId({ subject_request_id }: { subject_request_id: string }, id: string): boolean {
  return subject_request_id === id;
}

/**
 * Compares the `encoded_request` of a 201 with the body that was sent, both with wire names. Returns why the outcome is
 * unknown; undefined if both are the same, or if the response contains no request (decision: D434).
 */
export function differenceIn({ encoded_request: encoded }: CreateReply, sent: string): string | undefined {
  const text = encoded === null || encoded === undefined ? sent : Buffer.from(encoded, 'base64').toString('utf8');
  if (text === sent) return undefined;
  const echoed = tryJson(text);
  const fields = isRecord(echoed) ? fieldsThatDiffer(echoed, tryJson(sent)) : ['encoded_request'];
  if (fields.length === 0) return undefined;
  const names = listed([...new Set(fields)], 5);
  return `the request in the response differs from the one that was sent: ${names}; cancel it before you submit it again`;
}

/** Returns the ledger line that records such a difference (`reason`). */
export function markOf(id: string, reason: string, now: number): LedgerNews {
  return { event: 'marked', id, at: isoMillis(now), differs: true, reason };
}

/** Names only fields that were sent or that the specification lists, because any other name may be personal data. */
function fieldsThatDiffer(echoed: unknown, sent: unknown, path = ''): string[] {
  if (isRecord(echoed) && isRecord(sent)) {
    const names = Object.keys(path === '' ? DsrRequest.shape : { ...sent, ...echoed });
    const pathOf = (name: string) => (path === '' ? name : name in sent ? `${path}.${name}` : path);
    return names.flatMap((name) => fieldsThatDiffer(echoed[name], sent[name], pathOf(name)));
  }
  // Another notation of the same value is not a difference. Neither is an empty field instead of a missing one.
  const [one, other] = [echoed, sent].map((value) => {
    if (path === 'submitted_time') return parseIso(String(value));
    if (path === 'subject_request_id') return String(value).toLowerCase();
    return !value || (typeof value === 'object' && Object.keys(value).length === 0) ? undefined : value;
  });
  return isDeepStrictEqual(one, other) ? [] : [path];
}

/**
 * Compares this request with the platform's request that has the same id (decision: D211). `same`: the ledger has the
 * same request with this id. `other`: the ledger or the platform has a different request. `none`: the ledger has none.
 */
export function proofOf(
  found: RequestStatusReply,
  request: DsrRequest,
  news: SubmittedNews,
  entry: LedgerRequest | undefined,
): 'same' | 'other' | 'none' {
  if (found.group_id !== undefined && found.group_id !== (request.group_id ?? null)) return 'other';
  if (entry?.marks?.some(({ differs }) => differs)) return 'other';
  if (entry?.identities === undefined) return 'none';
  return isSameRequest(entry, news) ? 'same' : 'other';
}

function isSameRequest(entry: LedgerRequest, news: SubmittedNews): boolean {
  const partsOf = ({ identities, regulation, subject_request_type: type }: Partial<LedgerRequest>) => [
    identities,
    regulation,
    type,
  ];
  return isDeepStrictEqual(partsOf(entry), partsOf(news));
}

/** Returns the conflict (6) if this machine sent a different request with the id, and it may arrive (decision: D211). */
export function conflictWith(entry: LedgerRequest | undefined, news: SubmittedNews): KnownError | undefined {
  const isOther = entry?.identities !== undefined && !isNotSubmitted(entry.status) && !isSameRequest(entry, news);
  return isOther ? idTaken(news.id, 'sent') : undefined;
}

/** Returns the requests in the ledger whose outcome is unknown, by id. */
export async function readUnresolved(ledger: LedgerPort): Promise<ReadonlyMap<string, LedgerRequest>> {
  const sent = await ledger.submissions(({ id }) => ({ id }));
  return await ledger.find(sent.flatMap(({ id, phase }) => (statusIn(phase) === undefined ? [id] : [])));
}

/** Returns the conflict (6) for an id that belongs, or may belong, to another request. */
export function idTaken(id: string, proof: 'other' | 'none' | 'sent'): KnownError {
  const what = {
    other: `the platform already has a different request with the id ${id}`,
    none: `the platform already has a request with the id ${id}, and there is no proof that it is this one`,
    sent: `this machine has already sent a different request with the id ${id}`,
  };
  return fail('dsr.id_taken', {
    message: `Conflict: ${what[proof]}.`,
    hint: 'Omit the id to submit this request with a new one.',
  });
}

/**
 * Judges a read that does not find the request. If an earlier send may have arrived, a 400 or 409 may be about that
 * send, and the read may be outdated. The same applies to a first 400 if this program generated the id and the
 * message reports that the id exists; the specification has no code for this case (decision: D432).
 */
export function judgeMissing({ rejection, wasSent }: Doubt, isNewId: boolean): 'not-done' | { unknown: string } {
  const { message = '', status } = rejection ?? {};
  const isTaken = status === DSR_FAILURES.exists.status && message.toLowerCase().includes('already exists');
  const isRepeat = status === DSR_FAILURES.exists.status || status === DSR_FAILURES.sameInProgress.status;
  if (!(wasSent ? isRepeat : isNewId && isTaken)) return 'not-done';
  return { unknown: 'the platform reports that the request already exists, but does not show it' };
}

type Controlled = Pick<RequestStatusReply, 'subject_request_id' | 'controller_id'>;

/** Throws conflict (6) unless `controller_id` is the workspace. Users of senders check this themselves. */
export function ofWorkspace(api: DsrApi, workspace: string): DsrApi {
  const check = <T extends Controlled>(reply: T): T => checkWorkspace(reply, workspace);
  const checked = async <T extends { body: Controlled | Controlled[] }>(sent: Promise<T>): Promise<T> => {
    const reply = await sent;
    [reply.body].flat().forEach(check);
    return reply;
  };
  return {
    ...api,
    create: async (body, signal) => {
      const reply = await api.create(body, signal);
      // The body of a different request proves nothing, not even the workspace of this one.
      if (isSameId(reply.body, body.subject_request_id)) check(reply.body);
      return reply;
    },
    get: (id, signal) => checked(api.get(id, signal)),
    list: (groupId, signal) => checked(api.list(groupId, signal)),
    cancel: async (id, signal) => check(await api.cancel(id, signal)),
  };
}

/** Throws conflict (6) if the request is in another workspace. */
export function checkWorkspace<T extends Controlled>(reply: T, workspace: string): T {
  const { controller_id: actual, subject_request_id: id } = reply;
  if (actual === null || actual === undefined || String(actual) === workspace) return reply;
  throw fail('dsr.other_workspace', {
    message: `Conflict: the credentials belong to workspace ${actual}, but the target is workspace ${workspace}. The platform has request ${id} in workspace ${actual}.`,
    hint: [
      `Use the key and secret of workspace ${workspace}, or --workspace ${actual}.`,
      {
        text: `A request that was just submitted is now in workspace ${actual}. To cancel it:`,
        command: `cdpadm dsr cancel ${id} --workspace ${actual}`,
      },
    ],
  });
}
