// Signs status callbacks, sends them in order and stores the results (decision: D143). Also answers control calls.
import { groupBy } from '../../kernel/group-by.ts';
import { PROCESSOR_DOMAIN_HEADER, type RequestStatusReply, SIGNATURE_HEADER } from '../../contract/dsr.ts';
import { systemClock, waitAtMost } from '../../kernel/clock.ts';
import { parseJson, stringifyJson } from '../../kernel/json.ts';
import { isoMillis } from '../../kernel/timestamps.ts';
import { nextQuarter } from '../dsr/life.ts';
import type { Callback } from '../base/embedding.ts';
import { verify, X509Certificate } from 'node:crypto';
import type { CallbackStore, StoredCallback } from '../stores/callbacks.ts';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { systemErrorCode } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/address.ts';
import * as z from 'zod/mini';
import { messageRule } from '../../contract/shared.ts';
import type { ControlRoutes, Platform } from '../platform/area.ts';
import { answer, rejection } from '../wire/platform-error.ts';
import { checkBody } from '../wire/request-body.ts';
import { SERVICE_PATHS } from '../wire/service-paths.ts';

type CallbackDispatcher = ReturnType<typeof createCallbackDispatcher>;

type Attempt = Callback['attempts'][number];

/** One attempt every 15 minutes for a day. */
const MOST_ATTEMPTS = 96;

/** Maximum number of callbacks to read at once. */
const BATCH = 1000;

/** Maximum number of receivers to call at once: each needs a socket, and systems limit the number of open files. */
export const MOST_RECEIVERS = 64;

/** Maximum time that a closing platform waits for its receivers. */
const GRACE_MS = 500;

export function createCallbackDispatcher(
  store: CallbackStore,
  { clock, fixtures, signing, baseUrl }: Pick<Platform, 'clock' | 'fixtures' | 'signing' | 'baseUrl'>,
) {
  const domain = fixtures.processor_domain;
  const stopping = new AbortController();
  /** Callbacks to send even if an earlier callback of the same request is waiting. */
  const forced = new Set<number>();
  let round: Promise<void> | undefined;
  let again = false;
  /** Quarter-hour at which an advancing clock stopped; undefined if the clock does not wait. */
  let quarter: number | undefined;
  const time = (): number => quarter ?? clock.now();

  async function messageOf(callback: StoredCallback): Promise<CallbackMessage> {
    const status = parseJson(callback.body) as RequestStatusReply;
    const { results_url } = status;
    const body = stringifyJson({ ...status, results_url: results_url && baseUrl() + SERVICE_PATHS.dsr + results_url });
    return {
      body,
      headers: {
        [PROCESSOR_DOMAIN_HEADER]: domain,
        [SIGNATURE_HEADER]: await (await signing.signer(domain)).sign(body),
      },
    };
  }

  async function send(callback: StoredCallback): Promise<Attempt> {
    const at = isoMillis(time());
    try {
      const { body, headers } = await messageOf(callback);
      return { at, ...(await callReceiver(callback.url, body, headers, stopping.signal)) };
    } catch (error) {
      stopping.signal.throwIfAborted();
      return { at, status: null, error: (error as Error).message };
    }
  }

  /**
   * Sends a receiver's callbacks in order. After a failed callback, later callbacks of the same request also wait. A
   * receiver that does not respond is `deaf`, and gets no more callbacks in this round.
   */
  async function follow(lane: readonly StoredCallback[], deaf: Set<string>): Promise<void> {
    for (const callback of lane) {
      const { id, url } = callback;
      const isBehind = !forced.delete(id) && store.isBehind(callback);
      if (isBehind || deaf.has(url)) {
        store.update({ id }, { state: 'queued', due_at: nextQuarter(time()) });
        continue;
      }
      const attempt = await send(callback);
      const attempts = [...callback.attempts, attempt];
      if (attempt.status === 202) {
        store.update({ id }, { state: 'delivered', attempts });
        continue;
      }
      const state = attempts.length < MOST_ATTEMPTS ? 'queued' : 'failed';
      // The clock may have advanced during the attempt.
      store.update({ id }, { state, due_at: nextQuarter(time()), attempts });
      if (attempt.status === null) deaf.add(url);
    }
  }

  async function work(): Promise<void> {
    const deaf = new Set<string>();
    for (;;) {
      const due = store.list({ state: 'sending' }, `ORDER BY due_at, id LIMIT ${BATCH}`);
      if (due.length === 0) return;
      const lanes = groupBy(due, ({ url }) => url).values();
      // The workers share the iterator, so each takes the next receiver when it has finished with one.
      const worker = async (): Promise<void> => {
        for (const lane of lanes) await follow(lane, deaf);
      };
      const ends = await Promise.allSettled(Array.from({ length: MOST_RECEIVERS }, worker));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    }
  }

  /** Starts sending in the background. `at` is the quarter-hour at which the clock stops to wait for `sent`. */
  function wake(at?: number): void {
    if (stopping.signal.aborted) return;
    quarter = at;
    again = round !== undefined;
    // After a failed write (full disk, closing platform), the callback stays in the outbox for the next round.
    round ??= work()
      .catch(() => undefined)
      .finally(() => {
        round = undefined;
        // A callback may have become ready after this round's last check.
        if (again) wake(quarter);
      });
  }

  const sent = async (): Promise<void> => {
    while (round) await round;
  };

  return {
    wake,
    /** Waits at most `ms` until the receivers have been called. */
    sent: async (ms: number): Promise<void> => {
      await waitAtMost(sent(), ms, systemClock);
      quarter = undefined;
    },
    /** Performs a receiver's four checks of a callback, and returns the results. */
    check: async (callback: StoredCallback): Promise<CallbackCheck[]> =>
      checkMessage(await messageOf(callback), (await signing.signer(domain)).chain, domain),
    /** Sends these callbacks, whatever their state. Resolves once their receivers have been called. */
    sendNow: async (ids: readonly number[]): Promise<void> => {
      for (const id of ids) {
        forced.add(id);
        store.update({ id }, { state: 'sending', due_at: clock.now() });
      }
      wake();
      await sent();
    },
    /** Waits briefly for the current round, and stops. Unfinished callbacks are sent again on the next start. */
    stop: async (): Promise<void> => {
      if (round) await waitAtMost(round, GRACE_MS, systemClock);
      // Abort even if no round is active: another area may still be processing due work, which could start one.
      stopping.abort();
      await round;
    },
  };
}

interface CallbackMessage {
  body: string;
  headers: Record<string, string>;
}

interface CallbackCheck {
  name: 'domain' | 'certificate_fetched' | 'certificate' | 'signature';
  ok: boolean;
  detail: string;
}

/**
 * Performs a receiver's four checks, in the specification's order ("Events", 5), for the console. Shares no code with
 * the client's checks, so that it can reveal bugs in them. `chain` is the platform's PEM text: the certificates of the
 * processor and its authority.
 */
function checkMessage({ body, headers }: CallbackMessage, chain: string, domain: string): CallbackCheck[] {
  const sender = headers[PROCESSOR_DOMAIN_HEADER] ?? '';
  const second = chain.indexOf('-----BEGIN', 1);
  const certificate = new X509Certificate(chain.slice(0, second));
  const authority = new X509Certificate(chain.slice(second));
  const isValid = certificate.verify(authority.publicKey) && certificate.checkHost(domain) !== undefined;
  const signature = Buffer.from(headers[SIGNATURE_HEADER] ?? '', 'base64');
  const isSigned = verify('sha256', Buffer.from(body, 'utf8'), certificate.publicKey, signature);
  return [
    { name: 'domain', ok: sender === domain, detail: `the header contains ${sender}` },
    { name: 'certificate_fetched', ok: second > 0, detail: 'served by this platform' },
    { name: 'certificate', ok: isValid, detail: `issued for ${domain}, valid until ${certificate.validTo}` },
    { name: 'signature', ok: isSigned, detail: `${isSigned ? 'valid' : 'not valid'} for the body` },
  ];
}

/** A receiver that does not respond in time is called again later. */
const TIMEOUT_MS = 5000;

/** Posts JSON without following redirects. Returns the status, or why there is none. Rejects only if aborted. */
export async function callReceiver(
  url: string,
  body: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Omit<Attempt, 'at'>> {
  const { protocol, hostname } = new URL(url);
  const secure = protocol === 'https:';
  if (!secure && !isLoopback(hostname)) return { status: null, error: 'TLS is required for this address' };
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const { request } = await (secure ? import('node:https') : import('node:http'));
  try {
    const calling = request(url, {
      method: 'POST',
      agent: false,
      // Set explicitly, because an environment variable could otherwise disable the certificate check.
      ...(secure && { rejectUnauthorized: true }),
      headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers },
      signal: AbortSignal.any([signal, limit]),
    }).end(body);
    const [response] = (await once(calling, 'response')) as [IncomingMessage];
    // Only the status matters. The time limit also stops an endless body.
    for (const stream of [calling, response]) stream.on('error', () => undefined);
    response.resume();
    const status = response.statusCode ?? 0;
    return { status, error: null };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return { status: null, error: `no response within ${TIMEOUT_MS / 1000} seconds` };
    // An AggregateError (thrown if a host has several addresses) has an empty message.
    return { status: null, error: (error as Error).message || (systemErrorCode(error) ?? 'no connection') };
  }
}

/** Selects the callbacks to resend; if no field is set, all undelivered ones. */
const Resend = z
  .strictObject({ id: z.optional(z.int()), subject_request_id: z.optional(z.string()) })
  .check(
    messageRule(({ id, subject_request_id }) =>
      id !== undefined && subject_request_id !== undefined ? 'pass either id or subject_request_id' : undefined,
    ),
  );

/** `resend` and `flush` wait until every receiver has been called, and return the selected callbacks, sent or not. */
export function callbackRoutes(store: CallbackStore, dispatcher: CallbackDispatcher): ControlRoutes {
  async function send(chosen: readonly Callback[]) {
    const ids = new Set(chosen.map(({ id }) => id));
    await dispatcher.sendNow([...ids]);
    return answer(
      200,
      store.entries().filter(({ id }) => ids.has(id)),
    );
  }

  return {
    'GET /callbacks': () => answer(200, store.entries()),
    'GET /callbacks/checks': async (_body, query) => {
      const callback = store.find({ id: Number(query.get('id')) });
      if (!callback) throw rejection(404, `Not found: no callback has the id ${query.get('id') ?? ''}`);
      return answer(200, await dispatcher.check(callback));
    },
    'POST /callbacks/resend': (body) => {
      const { id, subject_request_id } = checkBody(Resend, body ?? {});
      const wanted = subject_request_id?.toLowerCase();
      const all = id === undefined && wanted === undefined;
      const isWanted = (entry: Callback): boolean =>
        all ? entry.state !== 'delivered' : entry.id === id || entry.subject_request_id === wanted;
      const about = wanted === undefined ? `id ${String(id)}` : `request id ${wanted}`;
      const chosen = store.entries().filter(isWanted);
      if (chosen.length === 0 && !all) throw rejection(404, `Not found: no callback has the ${about}`);
      return send(chosen);
    },
    'POST /callbacks/flush': () =>
      send(store.entries().filter(({ state }) => state === 'queued' || state === 'sending')),
  };
}
