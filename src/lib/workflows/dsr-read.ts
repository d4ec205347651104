// Reads requests from the platform, joins them with the ledger, and records changes in the ledger.
import type { Dated } from '../api/dsr.ts';
import type { RequestStatusReply } from '../contract/dsr.ts';
import { DSR_LIMITS } from '../contract/limits.ts';
import type { LedgerRequest } from '../domain/dsr/ledger.ts';
import { foldEvent } from '../domain/dsr/ledger-fold.ts';
import { dueFirst, type RequestOverview, overviewOf } from '../domain/dsr/overview.ts';
import { isAdvance, isNotSubmitted, NOT_SUBMITTED } from '../domain/dsr/statuses.ts';
import { fail } from '../errors/fail.ts';
import { isNotFound, KnownError } from '../kernel/errors.ts';
import { isoMillis, parseIso } from '../kernel/timestamps.ts';
import type { DsrPorts } from './dsr-ports.ts';

/** Number of concurrent reads, low enough not to exhaust the rate limit for a list of requests. */
const AT_ONCE = 4;

/** Current state of a request. `date` is the platform's time, or undefined if the state comes from the ledger. */
type Read = Dated<RequestStatusReply>;

/** Returns the requests with these ids, in the same order. Throws the first failure, such as not found (5). */
export async function readRequests(ids: readonly string[], ports: DsrPorts): Promise<RequestOverview[]> {
  const replies = await mapConcurrently(ids, (id) => ports.api.get(id, ports.signal));
  return await joined(replies, ports);
}

/** Returns the requests of a group. Throws failed (1) if a listed request has a different group id (decision: D432). */
export async function readGroup(groupId: string, ports: DsrPorts): Promise<RequestOverview[]> {
  const { body, date } = await ports.api.list(groupId, ports.signal);
  const other = body.find(({ group_id }) => group_id !== groupId);
  if (other)
    throw fail('http.unreadable', {
      message: `The platform's list for the group id ${groupId} contains request ${other.subject_request_id}, which is not in this group.`,
    });
  const replies = body.map((reply) => ({ body: reply, date }));
  return await joined(replies, ports);
}

/** Failures of unreadable requests, by id. `recent` contains the failures since the last success. */
export type ListPorts = DsrPorts & { unread: Map<string, KnownError>; recent: KnownError[] };

/**
 * Reads the requests that can still change, and updates the ledger. A request that the platform does not have keeps its
 * state in the ledger, unless it was lost (decision: D386). A request that cannot be read, or that the platform had a
 * day ago, also keeps its state, and is added to `unread` (decision: D416).
 */
export async function refreshRequests(entries: readonly LedgerRequest[], ports: ListPorts): Promise<RequestOverview[]> {
  const { clock, ledger, unread } = ports;
  const missing: string[] = [];
  const replies = await mapConcurrently(entries, async (entry): Promise<Read> => {
    const known = { body: replyFrom(entry), date: undefined };
    if (isAtEnd(entry, clock.now())) return known;
    const found = await readOrNote(entry, ports);
    if (found === 'missing' && isLost(entry, clock.now())) missing.push(entry.id);
    return typeof found === 'string' ? known : found;
  });
  // Another process may have resent a request in the meantime.
  const now = missing.length > 0 && (await isOurWorkspace(ports)) ? await ledger.find(missing) : undefined;
  for (const { body } of replies)
    if (isLost(now?.get(body.subject_request_id), clock.now())) body.request_status = NOT_SUBMITTED;
  const requests = await joined(replies, ports, new Map(entries.map((entry) => [entry.id, entry])));
  return requests.map((request) => ({ ...request, stale: unread.has(request.subject_request_id) }));
}

/** Stops sending after several failures in a row, because the platform then probably rejects or delays all. */
async function readOrNote(entry: LedgerRequest, { api, clock, recent, signal, unread }: ListPorts) {
  const { id } = entry;
  try {
    const [first] = recent;
    if (first && recent.length >= AT_ONCE) throw first;
    const found = await api.get(id, signal);
    recent.length = 0;
    return found;
  } catch (error) {
    if (signal.aborted || !(error instanceof KnownError)) throw error;
    const isMissing = isNotFound(error);
    if (!isMissing) recent.push(error);
    if (!isMissing || (entry.status !== undefined && isOld(entry, clock.now()))) unread.set(id, error);
    return isMissing ? 'missing' : 'unread';
  }
}

/** True if, for a day, nothing has shown that the platform has the request. */
function isLost(entry: LedgerRequest | undefined, now: number): boolean {
  return entry?.status === undefined && isOld(entry, now);
}

/** True if the request was last sent more than a day ago. Until then, the platform may not show it yet. */
function isOld(entry: LedgerRequest | undefined, now: number): boolean {
  return Date.parse(entry?.resent_at ?? entry?.at ?? '') < now - DAY_MS;
}

/** True if the credentials can read a request of this workspace: they can never read one of another workspace. */
async function isOurWorkspace({ api, ledger, signal }: DsrPorts): Promise<boolean> {
  const { requests } = await ledger.newest(100);
  const known = requests.find(({ status }) => status !== undefined && !isNotSubmitted(status));
  return known !== undefined && (await api.get(known.id, signal).catch(() => undefined)) !== undefined;
}

const DAY_MS = 86_400_000;

/** True if a request, and the link to its results, can no longer change. The extra day allows for clock skew. */
function isAtEnd({ states, status, subject_request_type: type }: LedgerRequest, now: number): boolean {
  if (status === 'cancelled' || isNotSubmitted(status)) return true;
  if (status !== 'completed') return false;
  const seen = parseIso(states.find((state) => state.status === 'completed')?.at) ?? 0;
  return type === 'erasure' || now > seen + (DSR_LIMITS.resultsDays + 1) * DAY_MS;
}

function replyFrom(entry: LedgerRequest): RequestStatusReply {
  return {
    subject_request_id: entry.id,
    controller_id: entry.workspace_id ?? null,
    expected_completion_time: entry.expected_completion_time ?? null,
    group_id: entry.group_id ?? null,
    request_status: entry.status ?? 'unknown',
  };
}

/** `known` contains the ledger's requests, if they have already been read. */
async function joined(
  replies: readonly Read[],
  ports: DsrPorts,
  known?: ReadonlyMap<string, LedgerRequest>,
): Promise<RequestOverview[]> {
  const now = ports.clock.now();
  const entries = known ?? (await ports.ledger.find(replies.map(({ body }) => body.subject_request_id)));
  const news = replies.flatMap(({ body }) => {
    const { expected_completion_time: expected, request_status: status, subject_request_id: id } = body;
    const entry = entries.get(id);
    // The ledger records only requests from this machine.
    if (entry === undefined || status === 'unknown' || !isAdvance(entry.status, status)) return [];
    const times = expected !== undefined && { expected_completion_time: expected };
    return [{ event: 'state' as const, id, at: isoMillis(now), status, source: 'status' as const, ...times }];
  });
  if (news.length > 0) await ports.keep(() => ports.ledger.record(news));
  const seen = new Map(news.map((state) => [state.id, state]));
  return replies.map(({ body, date }) => {
    const { subject_request_id: id } = body;
    const [entry, state] = [entries.get(id), seen.get(id)];
    const remembered = state ? (foldEvent(entry, { ...state, ...ports.ledger.actor }) ?? entry) : entry;
    return overviewOf(body, remembered, { now, platformNow: date ?? now });
  });
}

/** Runs `work` for a few items at a time, and keeps their order. Stops at the first failure, and rejects with it. */
async function mapConcurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = [...items.entries()].reverse();
  const lane = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane)).finally(() => (left.length = 0));
  return results;
}

const FEWEST = 4;
/** A search ends after this many finished requests. The ledger records their states, so the next search skips them. */
const ENDED_AT_MOST = 1000;

/**
 * Returns the most urgent requests. A request that turns out to be finished is replaced by the next one. `until` (ms)
 * is the latest deadline or expiry of results to include. With `isPatient`, finished requests never stop the search.
 * `left` is the number of requests that were not read or not returned.
 */
export async function dueRequests(
  { isPatient, limit, until }: { limit: number; until: number; isPatient: boolean },
  ports: ListPorts,
) {
  const found: RequestOverview[] = [];
  let [asked, ended, rest] = [0, 0, 0];
  for await (const { left, requests } of ports.ledger.byUrgency(until, () => Math.max(FEWEST, limit - found.length))) {
    const due = dueFirst(await refreshRequests(requests, ports));
    found.push(...due.filter((request) => isWithin(request, until)));
    asked += requests.length;
    ended += requests.length - due.length;
    rest = left;
    if (found.length >= limit || (!isPatient && ended >= ENDED_AT_MOST)) break;
  }
  const due = dueFirst(found);
  return { requests: due.slice(0, limit), asked, left: rest + Math.max(0, due.length - limit) };
}

export function isWithin({ deadline, due, results_expire_at: expiry }: RequestOverview, until: number): boolean {
  const [last, lost] = [deadline, expiry].map((time) => parseIso(time) ?? Infinity);
  return deadline === null || Math.min(last ?? 0, due ? (lost ?? 0) : Infinity) <= until;
}
