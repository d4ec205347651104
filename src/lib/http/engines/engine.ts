// The interface of an engine, which completes an exchange within its limits or rejects with a TransportError.
import { type Exchange, MAX_ANSWER_BYTES, CONNECT_TIMEOUT_MS, type RawReply, type Sink } from '../types.ts';
import { type Phase, TransportError, transportErrorOf, type TransportKind } from '../transport-error.ts';
import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import type { SecureContext } from 'node:tls';
import { onAbort } from '../../kernel/clock.ts';
import { usageError } from '../../kernel/errors.ts';

export interface Engine {
  /** Rejects with TransportError, the sink's error, or KnownError (usage) for an invalid proxy or authority. */
  send(exchange: Exchange): Promise<RawReply>;
  close(): Promise<void>;
}

/** Maximum pause within a response. Before the response, only the connect timeout and the total timeout apply. */
const IDLE_TIMEOUT_MS = 15_000;

/**
 * If a host has several addresses, Node abandons each after this time, by default after 250 ms. A slow network or a
 * busy machine needs longer: the system repeats a lost packet after a second.
 */
const ADDRESS_TIMEOUT_MS = 2_500;
setDefaultAutoSelectFamilyAttemptTimeout(Math.max(ADDRESS_TIMEOUT_MS, getDefaultAutoSelectFamilyAttemptTimeout()));

/** Common servers close an idle connection after five seconds. We close ours earlier. */
export const KEEP_ALIVE_MS = 4_000;

/** Events that an engine reports during an exchange. Events after the end of the exchange are ignored. */
export interface Progress {
  /** The connection is open. From now on, the platform may receive the request. */
  sending: () => void;
  answered: (status: number, headers: Record<string, string | string[] | undefined>) => void;
  received: (chunk: Buffer) => void;
  ended: () => void;
  failed: (error: unknown) => void;
}

/** Applies the same limits and phases to all engines. `start` starts the work and returns a function that stops it. */
export function followExchange(exchange: Exchange, start: (progress: Progress) => () => void): Promise<RawReply> {
  const { signal, timeoutMs } = exchange;
  return new Promise((resolve, reject) => {
    let stage: 'connecting' | 'sent' | 'answering' | 'over' = 'connecting';
    let stop: (() => void) | undefined;
    let reply = { status: 0, headers: {} as Record<string, string>, size: 0 };
    let sink: Sink | undefined;
    const chunks: Buffer[] = [];

    const phase = (): Phase => (stage === 'connecting' ? 'not-delivered' : 'perhaps-delivered');
    const abandon = (kind: TransportKind, cause?: unknown): void => fail(new TransportError(kind, phase(), cause));
    const aborted = (): void => abandon('aborted', signal.reason);
    const total = setTimeout(() => abandon(stage === 'connecting' ? 'connect-timeout' : 'timeout'), timeoutMs);
    let pause = setTimeout(() => abandon('connect-timeout'), CONNECT_TIMEOUT_MS);
    const ignoreAbort = onAbort(signal, aborted);

    function finish(conclude: () => void, isComplete = false): void {
      if (stage === 'over') return;
      stage = 'over';
      clearTimeout(total);
      clearTimeout(pause);
      ignoreAbort();
      if (!isComplete) stop?.();
      conclude();
    }

    const fail = (error: unknown): void => finish(() => reject(error as Error));
    const tooLarge = (): void => finish(() => resolve({ ...reply, body: Buffer.alloc(0), tooLarge: true }));

    /** An error from the sink is not a connection failure, so the exchange rejects with it unchanged. */
    function feed(work: () => void): void {
      try {
        work();
      } catch (error) {
        fail(error);
      }
    }

    const progress: Progress = {
      sending: () => {
        if (stage !== 'connecting') return;
        stage = 'sent';
        clearTimeout(pause);
      },
      answered: (status, headers) => {
        if (stage === 'over') return;
        stage = 'answering';
        reply = { status, headers: joinHeaders(headers), size: 0 };
        clearTimeout(pause);
        pause = setTimeout(() => abandon('idle'), IDLE_TIMEOUT_MS);
        if (status >= 200 && status < 300) ({ sink } = exchange);
        if (sink) feed(() => sink?.begin(reply.headers, status));
        else if (Number(reply.headers['content-length']) > MAX_ANSWER_BYTES) tooLarge();
      },
      received: (chunk) => {
        if (stage === 'over') return;
        pause.refresh();
        reply.size += chunk.length;
        if (sink) return feed(() => sink?.write(chunk));
        chunks.push(chunk);
        if (reply.size > MAX_ANSWER_BYTES) tooLarge();
      },
      ended: () => finish(() => resolve({ ...reply, body: Buffer.concat(chunks), tooLarge: false }), true),
      failed: (error) => {
        fail(error instanceof TransportError ? error : transportErrorOf(error, phase(), stage === 'answering'));
      },
    };

    if (signal.aborted) return aborted();
    try {
      stop = start(progress);
    } catch (error) {
      fail(error);
    }
  });
}

/** Headers with a single value, which a proxy may repeat. The first value counts, because a joined value is invalid. */
const SINGLE = /^(?:content-(?:type|length)|date|etag|last-modified|location|retry-after)$/i;

function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') joined[name.toLowerCase()] = value;
    else if (value) joined[name.toLowerCase()] = (SINGLE.test(name) ? value.slice(0, 1) : value).join(', ');
  }
  return joined;
}

/** Creates a context that trusts Node's roots and `pem`; undefined without `pem`. Throws usage (2) for invalid text. */
export async function trustedContext(pem: string | undefined): Promise<SecureContext | undefined> {
  if (pem === undefined) return undefined;
  const { X509Certificate } = await import('node:crypto');
  const { createSecureContext, rootCertificates } = await import('node:tls');
  try {
    new X509Certificate(pem);
  } catch (error) {
    throw usageError(
      `The certificate authority file contains no PEM certificate (${(error as Error).message}).`,
      'Pass a file with one or more "-----BEGIN CERTIFICATE-----" blocks with --ca-file or CDPADM_CA_FILE.',
    );
  }
  return createSecureContext({ ca: [...rootCertificates, pem] });
}
