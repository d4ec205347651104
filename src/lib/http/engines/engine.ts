// The interface of an engine: a complete exchange within its limits, or a TransportError with its phase.
import { type Exchange, MAX_ANSWER_BYTES, CONNECT_TIMEOUT_MS, type RawReply, type Sink } from '../types.ts';
import { type Phase, TransportError, transportErrorOf, type TransportKind } from '../transport-error.ts';
import type { SecureContext } from 'node:tls';
import { usageError } from '../../kernel/errors.ts';

export interface Engine {
  /** Rejects with TransportError, or with KnownError (usage) for an invalid proxy or authority. */
  send(exchange: Exchange): Promise<RawReply>;
  close(): Promise<void>;
}

/** The longest pause within a response. Before the response starts, only the total timeout applies. */
const IDLE_TIMEOUT_MS = 15_000;

/** An unused connection is closed before common servers would close it, which is after five seconds. */
export const KEEP_ALIVE_MS = 4_000;

/** The events of an exchange that an engine reports. Events after the end of the exchange are ignored. */
export type Progress = Pick<ExchangeMonitor, 'sending' | 'answered' | 'received' | 'ended' | 'failed'>;

/** Applies the same limits and phases for all engines. `start` starts the work and returns a function that stops it. */
export function followExchange(exchange: Exchange, start: (progress: Progress) => () => void): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const monitor = new ExchangeMonitor(exchange, resolve, reject);
    if (exchange.signal.aborted) monitor.aborted();
    else monitor.start(start);
  });
}

type Stage = 'connecting' | 'sent' | 'answering' | 'over';

class ExchangeMonitor {
  readonly #exchange: Exchange;
  readonly #resolve: (reply: RawReply) => void;
  readonly #reject: (error: unknown) => void;
  readonly #total: NodeJS.Timeout;
  #pause: NodeJS.Timeout;
  #stage: Stage = 'connecting';
  #stop: (() => void) | undefined;
  #reply = { status: 0, headers: {} as Record<string, string>, size: 0 };
  #sink: Sink | undefined;
  #chunks: Buffer[] = [];

  constructor(exchange: Exchange, resolve: (reply: RawReply) => void, reject: (error: unknown) => void) {
    this.#exchange = exchange;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#total = setTimeout(() => {
      this.#abandon(this.#stage === 'connecting' ? 'connect-timeout' : 'timeout');
    }, exchange.timeoutMs);
    this.#pause = setTimeout(() => this.#abandon('connect-timeout'), CONNECT_TIMEOUT_MS);
    exchange.signal.addEventListener('abort', this.aborted, { once: true });
  }

  start(start: (progress: Progress) => () => void): void {
    try {
      this.#stop = start(this);
    } catch (error) {
      this.#finish();
      throw error;
    }
  }

  aborted = (): void => this.#abandon('aborted', this.#exchange.signal.reason);

  /** The connection is open. From now on, the platform may receive the request. */
  sending = (): void => {
    if (this.#stage !== 'connecting') return;
    this.#stage = 'sent';
    clearTimeout(this.#pause);
  };

  answered = (status: number, headers: Record<string, string | string[] | undefined>): void => {
    if (this.#stage === 'over') return;
    this.#stage = 'answering';
    this.#reply = { status, headers: joinHeaders(headers), size: 0 };
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#abandon('idle'), IDLE_TIMEOUT_MS);
    if (status >= 200 && status < 300) this.#sink = this.#exchange.sink;
    if (this.#sink) this.#feed((sink) => sink.begin(this.#reply.headers));
    else if (Number(this.#reply.headers['content-length']) > MAX_ANSWER_BYTES) this.#tooLarge();
  };

  received = (chunk: Buffer): void => {
    if (this.#stage === 'over') return;
    this.#pause.refresh();
    this.#reply.size += chunk.length;
    if (this.#sink) {
      this.#feed((sink) => sink.write(chunk));
      return;
    }
    this.#chunks.push(chunk);
    if (this.#reply.size > MAX_ANSWER_BYTES) this.#tooLarge();
  };

  ended = (): void => {
    if (this.#finish()) this.#resolve({ ...this.#reply, body: Buffer.concat(this.#chunks), tooLarge: false });
  };

  failed = (error: unknown): void => {
    const isKnown = error instanceof TransportError;
    this.#fail(isKnown ? error : transportErrorOf(error, this.#phase(), this.#stage === 'answering'));
  };

  #phase(): Phase {
    return this.#stage === 'connecting' ? 'not-delivered' : 'perhaps-delivered';
  }

  #finish(): boolean {
    if (this.#stage === 'over') return false;
    this.#stage = 'over';
    clearTimeout(this.#total);
    clearTimeout(this.#pause);
    this.#exchange.signal.removeEventListener('abort', this.aborted);
    return true;
  }

  #abandon(kind: TransportKind, cause?: unknown): void {
    this.#fail(new TransportError(kind, this.#phase(), cause));
  }

  #fail(error: unknown): void {
    if (!this.#finish()) return;
    this.#stop?.();
    this.#reject(error);
  }

  #tooLarge(): void {
    if (!this.#finish()) return;
    this.#stop?.();
    this.#resolve({ ...this.#reply, body: Buffer.alloc(0), tooLarge: true });
  }

  /** An error of the sink is not a failure of the connection, so it is thrown unchanged. */
  #feed(work: (sink: Sink) => void): void {
    try {
      if (this.#sink) work(this.#sink);
    } catch (error) {
      this.#fail(error);
    }
  }
}

function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

/** Trusts Node's roots and `pem`. Throws KnownError (usage) for text without a certificate, which Node would ignore. */
export async function trustedContext(pem: string | undefined): Promise<SecureContext | undefined> {
  if (pem === undefined) return undefined;
  const [{ X509Certificate }, { createSecureContext, rootCertificates }] = await Promise.all([
    import('node:crypto'),
    import('node:tls'),
  ]);
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
