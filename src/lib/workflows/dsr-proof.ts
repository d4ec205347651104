// Proves that a request on the platform is the one that this machine sent, and that it is in the intended workspace.
import { isDeepStrictEqual } from 'node:util';
import type { DsrApi } from '../api/dsr.ts';
import type { DsrRequest, RequestStatusReply } from '../contract/dsr.ts';
import type { KnownError } from '../kernel/errors.ts';
import type { LedgerRequest, SubmittedNews } from '../domain/dsr/ledger.ts';
import { fail } from '../errors/fail.ts';
import type { Doubt } from './confirm-write.ts';

export function isSameId({ subject_request_id }: { subject_request_id: string }, id: string): boolean {
  return subject_request_id === id;
}

/** True if the type and identities are the same. The platform also compares both before it returns a 409. */
export function isSameSubject(
  before: Pick<LedgerRequest, 'subject_request_type' | 'identities'>,
  news: SubmittedNews,
): boolean {
  return (
    before.subject_request_type === news.subject_request_type && isDeepStrictEqual(before.identities, news.identities)
  );
}

/**
 * Compares this request with the platform's request that has the same id (decision: D211). `same`: the ledger has this
 * id for the same request. `other`: the ledger or the platform has a different one. `none`: the ledger has no record.
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

/** Returns the conflict (6) for an id that belongs, or may belong, to another request. */
export function idTaken(id: string, proof: 'other' | 'none'): KnownError {
  return fail('dsr.id_taken', {
    message:
      proof === 'other'
        ? `Conflict: the platform already has a different request with the id ${id}.`
        : `Conflict: the platform already has a request with the id ${id}, and there is no proof that it is this one.`,
    hint: 'Omit the id to submit this request with a new one.',
  });
}

/**
 * Judges a read that does not find the request. The outcome is unknown if the platform rejected an id that only this
 * request can have, because the id already exists: the read may be late (decision: D432).
 */
export function judgeMissing({ rejection, wasSent }: Doubt, isNewId: boolean): 'not-done' | { unknown: string } {
  const isTaken = rejection?.status === 400 && rejection.message.toLowerCase().includes('already exists');
  if (!isTaken || !(wasSent || isNewId)) return 'not-done';
  return { unknown: 'the platform reports that the request already exists, but does not show it' };
}

type Controlled = Pick<RequestStatusReply, 'subject_request_id' | 'controller_id'>;

/**
 * Wraps the calls so that each response must have the workspace as its `controller_id` (specification, "C"). Callers of
 * `openCreate` check this themselves. Throws conflict (6) for a response from another workspace.
 */
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
    openGet: async () => {
      const sender = await api.openGet();
      return {
        ...sender,
        send: async (...args) => {
          const outcome = await sender.send(...args);
          if (outcome.kind === 'accepted') check(outcome.body);
          return outcome;
        },
      };
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
        text: `A request that was just submitted is in workspace ${actual} now. To cancel it:`,
        command: `cdpadm dsr cancel ${id} --workspace ${actual}`,
      },
    ],
  });
}
