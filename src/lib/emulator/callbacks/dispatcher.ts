// Sends status callbacks: signs what is ready, calls receivers in order, keeps what came of it (decision: D143).
import { PROCESSOR_DOMAIN_HEADER, type RequestStatusReply, SIGNATURE_HEADER } from '../../contract/dsr.ts';
import { systemClock, waitAtMost } from '../../kernel/clock.ts';
import { parseJson, stringifyJson } from '../../kernel/json.ts';
import { isoMillis } from '../../kernel/timestamps.ts';
import type { PlatformClock } from '../base/clock.ts';
import { nextQuarter } from '../dsr/schedule.ts';
import type { Signer } from '../platform/signing.ts';
import type { Callback } from '../base/embedding.ts';
import type { CallbackStore, StoredCallback } from '../stores/callbacks.ts';
import type { ClientRequest } from 'node:http';
import { systemErrorCode } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/address.ts';

export type CallbackDispatcher = ReturnType<typeof createCallbackDispatcher>;

type Attempt = Callback['attempts'][number];

interface Surroundings {
  store: CallbackStore;
  clock: PlatformClock;
  /** The processor domain. */
  domain: string;
  signer(): Promise<Signer>;
  /** The address of the data subject requests. */
  base(): string;
}

/** Once every quarter of an hour for a day. */
const MOST_ATTEMPTS = 96;

/** Receivers that are called at the same time; each gets its own one by one. */
const LANES = 8;
const BATCH = 1000;

/** How long an ending platform waits for receivers that are being called. */
const GRACE_MS = 500;

export function createCallbackDispatcher({ store, clock, domain, signer, base }: Surroundings) {
  const stopping = new AbortController();
  /** What is sent although an earlier one of its request waits. */
  const forced = new Set<number>();
  let round: Promise<void> | undefined;
  let again = false;

  async function send(callback: StoredCallback): Promise<Attempt> {
    const at = isoMillis(clock.now());
    try {
      const status = parseJson(callback.body) as RequestStatusReply;
      const { results_url } = status;
      const body = stringifyJson({ ...status, results_url: results_url && base() + results_url });
      const headers = {
        [PROCESSOR_DOMAIN_HEADER]: domain,
        [SIGNATURE_HEADER]: await (await signer()).sign(body),
      };
      return { at, ...(await callReceiver(callback.url, body, headers, stopping.signal)) };
    } catch (error) {
      stopping.signal.throwIfAborted();
      return { at, status: null, error: (error as Error).message };
    }
  }

  /**
   * A receiver's callbacks, one after the other: what follows one that did not arrive waits with it. A receiver that
   * does not answer at all is `deaf` and not called for every other request too.
   */
  async function follow(lane: readonly StoredCallback[], deaf: Set<string>): Promise<void> {
    for (const callback of lane) {
      const { id, url, attempts } = callback;
      const later = nextQuarter(clock.now());
      const isBehind = !forced.delete(id) && store.isBehind(callback);
      if (isBehind || deaf.has(url)) {
        store.record(id, 'queued', later, attempts);
        continue;
      }
      const attempt = await send(callback);
      const tried = [...attempts, attempt];
      if (attempt.status === 202) {
        store.record(id, 'delivered', callback.due_at, tried);
        continue;
      }
      store.record(id, tried.length < MOST_ATTEMPTS ? 'queued' : 'failed', later, tried);
      if (attempt.status === null) deaf.add(url);
    }
  }

  async function work(): Promise<void> {
    const deaf = new Set<string>();
    for (;;) {
      const lanes = byReceiver(store.outbox(BATCH));
      if (lanes.length === 0) return;
      const worker = async (): Promise<void> => {
        for (let lane = lanes.shift(); lane; lane = lanes.shift()) await follow(lane, deaf);
      };
      const ends = await Promise.allSettled(Array.from({ length: LANES }, worker));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    }
  }

  /** Sends what is ready, without being waited for. */
  function wake(): void {
    if (stopping.signal.aborted) return;
    again = round !== undefined;
    // What cannot be written down (a full disk, an ending platform) stays in the outbox for the next round.
    round ??= work()
      .catch(() => undefined)
      .finally(() => {
        round = undefined;
        // Something became ready when this round had looked for the last time.
        if (again) wake();
      });
  }

  return {
    wake,
    /** Sends these, whatever became of them and of those before them. Resolves once their receivers were called. */
    sendNow: async (ids: readonly number[]): Promise<void> => {
      for (const id of ids) forced.add(id);
      store.resend(ids, clock.now());
      wake();
      while (round) await round;
    },
    /** Ends; what is under way has a moment left, and is sent again at the next opening. */
    stop: async (): Promise<void> => {
      if (round) await waitAtMost(round, GRACE_MS, systemClock);
      // Nothing is begun any more either: another area may still be catching up.
      stopping.abort();
      await round;
    },
  };
}

function byReceiver(callbacks: readonly StoredCallback[]): StoredCallback[][] {
  const lanes = new Map<string, StoredCallback[]>();
  for (const callback of callbacks) {
    const lane = lanes.get(callback.url);
    if (lane) lane.push(callback);
    else lanes.set(callback.url, [callback]);
  }
  return [...lanes.values()];
}

/** A receiver that has not answered by then is called again later. */
const TIMEOUT_MS = 5000;

/** Posts JSON and gives back the status, or why there is none. Redirects are not followed. Rejects only when aborted. */
export async function callReceiver(
  url: string,
  body: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Omit<Attempt, 'at'>> {
  const { protocol, hostname } = new URL(url);
  const secure = protocol === 'https:';
  if (!secure && !isLoopback(hostname)) return { status: null, error: 'it is not called without TLS' };
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const { request } = await (secure ? import('node:https') : import('node:http'));
  try {
    const status = await post(
      request(url, {
        method: 'POST',
        agent: false,
        // Said outright, because the environment could otherwise turn the check of certificates off.
        ...(secure && { rejectUnauthorized: true }),
        headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers },
        signal: AbortSignal.any([signal, limit]),
      }),
      body,
    );
    return { status, error: null };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return { status: null, error: `no answer within ${TIMEOUT_MS / 1000} seconds` };
    // An error of several addresses at once has no message of its own.
    return { status: null, error: (error as Error).message || (systemErrorCode(error) ?? 'no connection') };
  }
}

function post(request: ClientRequest, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      // What it says beyond the status does not matter; if it has no end, the limit ends it.
      response.on('error', () => undefined);
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.end(body);
  });
}
