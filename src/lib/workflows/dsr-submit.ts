// Submits one request: writes it to the ledger, sends the POST, and confirms it with the signed response or a GET.
import type { DsrRequest, RequestStatusReply } from '../contract/dsr.ts';
import { comparable, identitiesOf, skipsWaiting } from '../domain/dsr/normalize.ts';
import { isSamePerson, type LedgerRequest, personKeys, type SubmittedNews } from '../domain/dsr/ledger.ts';
import { isPhaseDue, statusIn } from '../domain/dsr/outcome.ts';
import { isNotSubmitted, NOT_SUBMITTED, REJECTED } from '../domain/dsr/statuses.ts';
import { groupBy } from '../kernel/group-by.ts';
import { type KnownError, ifFound } from '../kernel/errors.ts';
import { stringifyJson } from '../kernel/json.ts';
import { isoMillis } from '../kernel/timestamps.ts';
import { confirmWrite } from './confirm-write.ts';
import type { VerifiedMessage } from './verify-message.ts';
import type { DsrPorts, Submitter, VerifyMessage } from './dsr-ports.ts';
import { conflictWith, differenceIn, idTaken, isSameId, judgeMissing, markOf, proofOf } from './dsr-proof.ts';

export interface Submitted {
  subject_request_id: string;
  request_status: string;
  expected_completion_time: string | null;
  received_time: string | null;
  controller_id: string | null;
  /** Set if the request was submitted earlier: its deadline counts from that time. */
  submitted_time?: string | undefined;
  /** Verdict on the 201; undefined without a 201, or if it could not be checked. */
  verdict: VerifiedMessage | undefined;
}

/** Statuses of a rejection that only a read can explain: an intermediary may have rejected the POST. */
const EXPLAINED = [400, 401, 403, 409, 413, 422];

type SubmitPorts = DsrPorts & {
  verify: VerifyMessage;
  isNewId?: boolean;
  /** Throws if another process has recorded a duplicate in the meantime. Runs under the ledger's lock. */
  checkAgain?: ((news: SubmittedNews) => Promise<void>) | undefined;
};

/**
 * Sends one request after writing its id to the ledger. A signed 201 with the id confirms the request; otherwise a GET
 * does. `isNewId` means that this program generated the id, so no other request can have it. For an id from the user,
 * the platform is read first: "already exists" is a success only if the ledger has the same request under that id;
 * otherwise it is a conflict (6). Throws network (8) if the outcome remains unknown.
 */
export async function submitRequest(request: DsrRequest, ports: SubmitPorts): Promise<Submitted> {
  const { clock, keep, ledger, out } = ports;
  const id = request.subject_request_id;
  const news = await submittedEvent(request, ports.submitter, ledger, clock.now());
  const isNewId = ports.isNewId === true;
  let created: Awaited<ReturnType<typeof create>> | undefined;
  let sends = 0;
  // Once the id is known to be free, only this write can have used it.
  let isFree = isNewId;
  const outcome = await confirmWrite<Submitted, RequestStatusReply | undefined>(
    {
      subject: `the submission of request ${id}`,
      hint: [
        { text: 'To check whether it arrived:', command: `cdpadm dsr status ${id}` },
        `The same command with --request-id ${id} cannot create a second request.`,
      ],
      explained: EXPLAINED,
      ...(!isNewId && { doubt: { wasSent: false } }),
      notes: {
        lost: 'The response does not confirm the request; checking whether the platform has it.',
        arrived: () => 'The platform did receive the request.',
      },
      send: async (attempt) => {
        if (attempt === 1)
          await ledger.record([news], async () => {
            const conflict = isNewId ? undefined : conflictWith((await ledger.find([id])).get(id), news);
            if (conflict) throw conflict;
            await ports.checkAgain?.(news);
          });
        sends = attempt;
        created = await create(request, ports);
        return created.result;
      },
      isOurs: () => created?.isConfirmed === true,
      read: async () => (created?.difference === undefined ? await readIfThere(id, ports) : undefined),
      isAbout: (found) => found === undefined || isSameId(found, id),
      judge: async (found, doubt) => {
        if (created?.difference !== undefined)
          return { unknown: created.difference, hint: { text: 'To cancel it:', command: `cdpadm dsr cancel ${id}` } };
        if (found === undefined) {
          isFree = true;
          return judgeMissing(doubt, isNewId);
        }
        if (!isFree) {
          // Only an id from the user can already be in the ledger.
          const entry = (await ledger.find([id])).get(id);
          const proof = proofOf(found, request, news, entry);
          if (proof !== 'same') return idTaken(id, proof);
          out.note('The platform already has this request.');
          return { done: { ...submittedFrom(found), submitted_time: entry?.submitted_time } };
        }
        return { done: submittedFrom(found) };
      },
    },
    ports,
  );
  if (outcome.state === 'done') {
    // The response to a read has no signature.
    if (!created) out.warn('No signed response confirms the request, so no signature was checked.');
    const result = { ...outcome.result, verdict: outcome.result.verdict ?? created?.result.verdict };
    const { expected_completion_time, received_time, request_status: status, verdict } = result;
    const facts = {
      ...(verdict?.signature && { signature: verdict.signature }),
      expected_completion_time,
      received_time,
    };
    const state = { event: 'state', id, at: isoMillis(clock.now()), status, source: 'submit', ...facts } as const;
    await keep(() => ledger.record([state]));
    return result;
  }
  const { error, state } = outcome;
  const { difference } = created ?? {};
  if (difference !== undefined) await keep(() => ledger.record([markOf(id, difference, clock.now())]));
  if (state === 'not-done' && sends === 1) await recordAbsence(error, news, ports);
  if (error.status !== 409) throw error;
  throw error.with({
    hint: {
      text: 'There is already an open request for the same identities. Submit yours after it finishes. To list the requests from this machine:',
      command: 'cdpadm dsr list',
    },
  });
}

/** Records that the platform does not have the request, if that is certain (decision: D386). */
async function recordAbsence(error: KnownError, { at, id }: SubmittedNews, ports: DsrPorts): Promise<void> {
  const { clock, keep, ledger, signal } = ports;
  const { code, status = 0 } = error;
  const isUnsent = status === 0 && /^(auth|network|secrets)\./.test(code);
  if (signal.aborted || status === 429 || (status < 400 && !isUnsent)) return;
  if ((await ledger.find([id])).get(id)?.at !== at) return;
  const what = isUnsent ? { status: NOT_SUBMITTED } : { status: REJECTED, http_status: status };
  await keep(() => ledger.record([{ event: 'state', id, at: isoMillis(clock.now()), source: 'submit', ...what }]));
}

async function create(request: DsrRequest, { api, signal, verify }: SubmitPorts) {
  const reply = await api.create(request, signal);
  const verdict = await verify(Object.entries(reply.headers), Buffer.from(reply.text, 'utf8'));
  const { received_time = null } = reply.body;
  const result: Submitted = { ...submittedFrom(reply.body), request_status: 'pending', received_time, verdict };
  const isOurs = isSameId(reply.body, request.subject_request_id);
  const difference = isOurs ? differenceIn(reply.body, stringifyJson(api.describeCreate(request).body)) : undefined;
  const isConfirmed = isOurs && reply.status === 201 && difference === undefined && verdict?.valid !== false;
  return { result, difference, isConfirmed };
}

/** Returns the ledger line for a request that is about to be sent. */
export async function submittedEvent(
  request: DsrRequest,
  submitter: Submitter,
  ledger: Pick<DsrPorts['ledger'], 'hash'>,
  now: number,
): Promise<SubmittedNews> {
  const hash = async (identities: [string, string][]): Promise<Record<string, string>> =>
    Object.fromEntries(
      await Promise.all(identities.map(async ([type, value]) => [type, await ledger.hash(type, value)] as const)),
    );
  const identities = identitiesOf(request);
  const compared = identities.map(([type, value]): [string, string] => [type, comparable(type, value)]);
  const others = compared.filter(([, value], index) => value !== identities[index]?.[1]);
  return {
    event: 'submitted',
    id: request.subject_request_id,
    at: isoMillis(now),
    profile: submitter.profile,
    regulation: request.regulation,
    subject_request_type: request.subject_request_type,
    submitted_time: request.submitted_time,
    skip_waiting_period: skipsWaiting(request),
    group_id: request.group_id ?? null,
    identities: await hash(identities),
    ...(others.length > 0 && { compared: await hash(others) }),
    request_digest: await ledger.hash('request', stringifyJson(request)),
  };
}

/** Returns a function that finds a person's due access and portability requests, whose data an erasure deletes. */
export async function readUnanswered(ledger: DsrPorts['ledger'], only?: SubmittedNews): Promise<FindAll | undefined> {
  const belongs = (event: SubmittedNews): boolean =>
    event.subject_request_type !== 'erasure' && (only === undefined || isSamePerson(event, only));
  const find = await byPerson(ledger, belongs, isPhaseDue);
  return find && ((news) => (news.subject_request_type === 'erasure' ? find(news) : []));
}

/** The part of an earlier request that a search keeps in memory. */
type Earlier = Pick<SubmittedNews, 'at' | 'id' | 'subject_request_type'> & { phase: string | undefined };
export type EarlierRequest = Pick<LedgerRequest, 'at' | 'id' | 'status' | 'subject_request_type'>;
type FindAll = (news: SubmittedNews) => Earlier[];

/** Returns a function that finds a person's selected requests, newest first; undefined if no request is selected. */
async function byPerson(
  ledger: DsrPorts['ledger'],
  belongs: (event: SubmittedNews) => boolean,
  isSelected: (phase: string | undefined) => boolean,
): Promise<FindAll | undefined> {
  const sent = await ledger.submissions((event) => {
    const { at, id, subject_request_type } = event;
    return belongs(event) ? { at, id, subject_request_type, keys: personKeys(event) } : undefined;
  });
  const selected = sent.filter(({ phase }) => isSelected(phase));
  if (selected.length === 0) return undefined;
  const index = groupBy(
    selected.flatMap(({ keys, ...earlier }) => keys.map((key) => ({ key, earlier }))),
    ({ key }) => key,
  );
  return (news) => {
    const found = new Set(personKeys(news).flatMap((key) => index.get(key)?.map(({ earlier }) => earlier) ?? []));
    return [...found].sort((a, b) => b.at.localeCompare(a.at));
  };
}

async function readIfThere(id: string, { api, signal }: DsrPorts): Promise<RequestStatusReply | undefined> {
  return (await ifFound(api.get(id, signal)))?.body;
}

function submittedFrom(found: Partial<RequestStatusReply> & Pick<RequestStatusReply, 'subject_request_id'>): Submitted {
  const { controller_id: controller = null, expected_completion_time = null, request_status = 'pending' } = found;
  return {
    subject_request_id: found.subject_request_id.toLowerCase(),
    controller_id: controller === null ? null : String(controller),
    request_status,
    received_time: null,
    expected_completion_time,
    verdict: undefined,
  };
}

export function duplicateText({ at = 'an earlier day', id, status, subject_request_type: type = '' }: EarlierRequest) {
  const state = status === undefined ? 'its outcome is not known yet' : `it is ${status}`;
  return `The ${type} request ${id} from ${at} is for the same person; ${state}`;
}

/** Finds the newest request of the same type for the same person. With `isQuick`, does not call the platform. */
export type FindDuplicate = (news: SubmittedNews, isQuick?: boolean) => Promise<EarlierRequest | undefined>;

/** How long a request without an outcome may still be in flight. */
const SENDING_MS = 30_000;

/**
 * Returns a duplicate search over the requests submitted between `from` and `to` (milliseconds), except cancelled and
 * rejected ones. A request with an unknown outcome counts if the platform has it, or if another process may be sending
 * it. `only` limits the search to duplicates of one request. Returns undefined if there are no such requests.
 */
export async function readRecent(
  ports: DsrPorts,
  { from, to }: { from: number; to: number },
  only?: SubmittedNews,
): Promise<FindDuplicate | undefined> {
  const belongs = (event: SubmittedNews): boolean =>
    Date.parse(event.at) >= from && Date.parse(event.at) < to && (only === undefined || isSamePerson(event, only));
  const find = await byPerson(ports.ledger, belongs, (phase) => {
    const status = statusIn(phase);
    return status !== 'cancelled' && !isNotSubmitted(status);
  });
  return (
    find &&
    (async (news, isQuick) => {
      for (const { phase, ...earlier } of find(news)) {
        const known = { ...earlier, status: statusIn(phase) };
        if (known.id === news.id || known.subject_request_type !== news.subject_request_type) continue;
        const isYoung = Date.parse(known.at) > ports.clock.now() - SENDING_MS;
        if (known.status !== undefined || isYoung || (!isQuick && (await readIfThere(known.id, ports)))) return known;
      }
      return undefined;
    })
  );
}
