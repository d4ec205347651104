// The life cycle of data subject requests: admission, forwarding, pick-up, completion, cancellation, erasure, results.
import { createHash } from 'node:crypto';
import type { RequestStatus } from '../../contract/choices.ts';
import type { DsrRequest } from '../../contract/dsr.ts';
import { DSR_FAILURES } from '../../contract/failures.ts';
import { DSR_LIMITS } from '../../contract/limits.ts';
import { SLICE_MS, systemClock } from '../../kernel/clock.ts';
import { canonicalJson, stringifyJson } from '../../kernel/json.ts';
import { callbackBody } from './answers.ts';
import type { Fixtures } from '../fixtures/document.ts';
import type { CallbackStore } from '../stores/callbacks.ts';
import { type DsrStore, type DueStep, hasResults, type StoredRequest, type Forwarding } from '../stores/dsr.ts';
import type { Platform } from '../platform/area.ts';
import type { Subject } from '../stores/profiles.ts';
import { reject } from '../wire/platform-error.ts';

// Times are on the platform's clock (decision: D140).
const DAY_MS = 86_400_000;
const QUARTER_MS = DSR_LIMITS.callbackMinutes * 60_000;

/** Time from pick-up to completion. */
const WORK_MS = 2 * DAY_MS;

/** Time for which results are available. */
export const RESULTS_MS = DSR_LIMITS.resultsDays * DAY_MS;

export function createDsrLife(
  { db, profiles, names, fixtures: { partners } }: Platform,
  store: DsrStore,
  callbacks: CallbackStore,
) {
  /** Queues callbacks about the new status. They are due at the next quarter-hour. */
  function announce(request: StoredRequest, at: number): void {
    // The dispatcher adds the address of the results later, because the platform's address may change by then.
    const body = stringifyJson(callbackBody(request, ''));
    for (const url of request.body.status_callback_urls ?? []) {
      const { workspace, id: request_id, status } = request;
      const queued = { state: 'queued' as const, queued_at: at, due_at: nextQuarter(at), attempts: [] };
      callbacks.insert({ workspace, request_id, status, url, body, ...queued });
    }
  }

  function enter(request: StoredRequest, status: RequestStatus, at: number, fields: Partial<StoredRequest> = {}) {
    const changes = { ...fields, status, history: [...request.history, { status, at }] };
    store.requests.update({ seq: request.seq }, changes);
    const changed = { ...request, ...changes };
    announce(changed, at);
    return changed;
  }

  function collect({ workspace, body }: StoredRequest): string {
    return profiles
      .find(workspace, subjectOf(body))
      .map((profile) => `${stringifyJson(names.encode(profile, ['keys:', 'keys:identities']))}\n`)
      .join('');
  }

  function take({ at, step }: DueStep, request: StoredRequest): void {
    const { seq, forwarding } = request;
    switch (step) {
      case 'forward':
        if (!forwarding) break;
        store.requests.update({ seq }, { forwarding: finishForwarding(forwarding, request, partners) });
        break;
      case 'pick_up':
        if (request.body.subject_request_type === 'erasure') {
          profiles.erase(request.workspace, subjectOf(request.body));
        }
        enter(request, 'in_progress', at);
        store.steps.insert({ at: at + WORK_MS, request: seq, step: 'complete' });
        break;
      case 'complete': {
        const completed = enter(request, 'completed', at, { completed_at: at });
        if (!hasResults(completed)) break;
        const document = collect(completed);
        if (document === '') break;
        store.results.insert({ request: seq, document });
        store.steps.insert({ at: at + RESULTS_MS, request: seq, step: 'expire' });
        break;
      }
      case 'expire':
        store.results.remove({ request: seq });
        break;
    }
  }

  return {
    /** Throws 400 for a used id or a full group, and 409 while a request with the same type and identities is open. */
    admit: (workspace: number, body: DsrRequest, now: number): StoredRequest =>
      db.transaction(() => {
        const { subject_request_id: id, group_id = null } = body;
        if (store.requests.find({ workspace, id })) throw reject(DSR_FAILURES.exists);
        if (group_id !== null && store.requests.count({ workspace, group_id }) >= DSR_LIMITS.requestsPerGroup) {
          const most = DSR_LIMITS.requestsPerGroup;
          throw reject(DSR_FAILURES.invalid, `group_id already has ${most} requests; at most ${most} are allowed`);
        }
        const subject = fingerprint(body);
        if (store.hasOpen(workspace, subject)) throw reject(DSR_FAILURES.sameInProgress);
        const picked = pickUpTime(body, now);
        const forwarding = startForwarding(workspace, body, partners);
        const times = { expected_at: picked + WORK_MS, completed_at: null };
        const status = 'pending' as const;
        const added = { workspace, id, group_id, status, ...times, forwarding, history: [{ status, at: now }], body };
        const request = { seq: Number(store.requests.insert({ ...added, subject })), ...added };
        if (forwarding) store.steps.insert({ at: nextQuarter(now), request: request.seq, step: 'forward' });
        store.steps.insert({ at: picked, request: request.seq, step: 'pick_up' });
        announce(request, now);
        return request;
      }),
    /** Cancels a pending request, and returns it. Throws 400 for other requests. */
    cancel: (request: StoredRequest, now: number): StoredRequest => {
      if (request.status !== 'pending') {
        throw reject(DSR_FAILURES.notPending, `the subject request is ${request.status}, not pending`);
      }
      return db.transaction(() => {
        store.steps.remove({ request: request.seq });
        const forwarding = request.forwarding && cancelForwarding(request.forwarding);
        return enter(request, 'cancelled', now, { expected_at: null, forwarding });
      });
    },
    nextDue: (): number | undefined => store.nextStep()?.at,
    /** Runs the steps that are due by `now`, in order. Stops after a time limit, but runs at least one step. */
    catchUp: (now: number): void => {
      const until = systemClock.now() + SLICE_MS;
      db.transaction(() => {
        for (let due = store.nextStep(); due && due.at <= now; due = store.nextStep()) {
          store.steps.remove(due);
          const request = store.requests.find({ seq: due.request });
          if (request) take(due, request);
          if (systemClock.now() >= until) return;
        }
      });
    },
  };
}

/** Returns the next quarter-hour, when callbacks, forwarding, and a pick-up without a waiting period are due. */
export function nextQuarter(time: number): number {
  return (Math.floor(time / QUARTER_MS) + 1) * QUARTER_MS;
}

/** Returns the time when the platform picks up a request. Erasures wait, unless they skip the waiting period. */
function pickUpTime(request: DsrRequest, received: number): number {
  const skips = Object.values(request.extensions ?? {}).some((extension) => extension.skip_waiting_period === true);
  const waits = request.subject_request_type === 'erasure' && !skips;
  return waits ? received + DSR_LIMITS.waitingDays * DAY_MS : nextQuarter(received);
}

/** Returns the identities of the subject, who owns every profile with at least one of them (decision: D142). */
function subjectOf(body: DsrRequest): Subject {
  const { xpid, ...identities } = identitiesIn(body);
  return { ...(xpid !== undefined && { xpid: BigInt(xpid) }), identities };
}

function identitiesIn({ subject_identities = {}, extensions = {} }: DsrRequest): Record<string, string> {
  const all = [subject_identities, ...Object.values(extensions).map((it) => it.subject_identities ?? {})];
  return Object.fromEntries(all.flatMap((one) => Object.entries(one)).map(([type, { value }]) => [type, value]));
}

/** Returns a fingerprint of a request's type, identities and extensions, which does not depend on their notation. */
function fingerprint({ subject_request_type, subject_identities = {}, extensions = {} }: DsrRequest): string {
  const normalized = Object.entries(extensions).map(
    ([key, { skip_waiting_period = false, subject_identities: own }]) => [
      key,
      { skip_waiting_period, subject_identities: own ?? {} },
    ],
  );
  const text = canonicalJson([subject_request_type, subject_identities, Object.fromEntries(normalized)]);
  return createHash('sha256').update(text).digest('base64url');
}

const SKIPPED_MESSAGE = 'the request has none of the identities that the partner needs';

/** Returns each partner's initial status (skipped if it needs other identities), or null if nothing is forwarded. */
function startForwarding(workspace: number, body: DsrRequest, partners: Fixtures['partners']): Forwarding[] | null {
  const own = partners.filter((partner) => partner.workspace_id === undefined || partner.workspace_id === workspace);
  if (body.subject_request_type !== 'erasure' || own.length === 0) return null;
  const given = identitiesIn(body);
  return own.map(({ domain, name, identity_types: needed }) =>
    needed && !needed.some((type) => Object.hasOwn(given, type))
      ? { domain, name, status: 'skipped', status_message: SKIPPED_MESSAGE }
      : { domain, name, status: 'pending' },
  );
}

function finishForwarding(
  entries: readonly Forwarding[],
  { workspace }: StoredRequest,
  partners: Fixtures['partners'],
): Forwarding[] {
  return entries.map((entry) => {
    if (entry.status !== 'pending') return entry;
    const partner = partners.find(
      ({ domain, name, workspace_id }) =>
        domain === entry.domain && name === entry.name && (workspace_id ?? workspace) === workspace,
    );
    // The fixtures may have changed since the request arrived.
    if (!partner) return { ...entry, status: 'failed', status_message: 'the partner is no longer configured' };
    const { status, status_message } = partner;
    return { ...entry, status, ...(status_message !== undefined && { status_message }) };
  });
}

/** Skips pending partners and keeps the status of the others. */
function cancelForwarding(entries: readonly Forwarding[]): Forwarding[] {
  return entries.map((entry) =>
    entry.status === 'pending'
      ? { ...entry, status: 'skipped', status_message: 'the request was cancelled before it was forwarded' }
      : entry,
  );
}
