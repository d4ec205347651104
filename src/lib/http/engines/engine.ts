// What an engine is: one exchange on the wire, whole, within its limits, or a TransportError that says how far it came.
import { type Exchange, MAX_ANSWER_BYTES, CONNECT_TIMEOUT_MS, type RawReply } from '../exchange.ts';
import type { Sink } from '../types.ts';
import { TransportError, transportErrorOf } from '../transport-error.ts';

export interface Engine {
  /** Rejects with TransportError; with KnownError (usage) where proxy or authorities are set wrongly. */
  send(exchange: Exchange): Promise<RawReply>;
  /** Drops all connections. */
  close(): Promise<void>;
}

/** An answer that has begun may pause so long; before it begins, the platform may think as long as the total allows. */
const IDLE_TIMEOUT_MS = 15_000;

/** How long an unused connection is kept: below the five seconds after which common servers drop theirs. */
export const KEEP_ALIVE_MS = 4_000;

/** What an engine reports while an exchange goes on. Reports after the end are ignored. */
export interface Progress {
  /** The connection stands; from here on the request may reach the platform. */
  sending(): void;
  answered(status: number, headers: Record<string, string | string[] | undefined>): void;
  received(chunk: Buffer): void;
  ended(): void;
  failed(error: unknown): void;
}

/**
 * Follows one exchange: time limits, size cap, abortion and phase are kept here, so that all engines keep them alike.
 * `begin` starts the engine's work and gives back how to stop it.
 */
export function followExchange(exchange: Exchange, begin: (progress: Progress) => () => void): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    let stage: 'connecting' | 'sent' | 'answering' | 'over' = 'connecting';
    let stop: (() => void) | undefined;
    let status = 0;
    let headers: Record<string, string> = {};
    let size = 0;
    let sink: Sink | undefined;
    const chunks: Buffer[] = [];

    const phase = () => (stage === 'connecting' ? 'not-delivered' : 'perhaps-delivered');
    const total = setTimeout(() => {
      abandon(new TransportError(stage === 'connecting' ? 'connect-timeout' : 'timeout', phase()));
    }, exchange.timeoutMs);
    let pause = setTimeout(() => {
      abandon(new TransportError('connect-timeout', 'not-delivered'));
    }, CONNECT_TIMEOUT_MS);

    function finish(): boolean {
      if (stage === 'over') return false;
      stage = 'over';
      clearTimeout(total);
      clearTimeout(pause);
      exchange.signal.removeEventListener('abort', aborted);
      return true;
    }
    function abandon(error: unknown): void {
      if (!finish()) return;
      stop?.();
      reject(error);
    }
    /** What the sink throws is no failure of the wire. */
    function feed(work: () => void): void {
      try {
        work();
      } catch (error) {
        abandon(error);
      }
    }
    function aborted(): void {
      abandon(new TransportError('aborted', phase(), exchange.signal.reason));
    }
    function tooLarge(): void {
      if (!finish()) return;
      stop?.();
      resolve({ status, headers, body: Buffer.alloc(0), size, tooLarge: true });
    }

    exchange.signal.addEventListener('abort', aborted, { once: true });
    if (exchange.signal.aborted) {
      aborted();
      return;
    }
    const progress: Progress = {
      sending: () => {
        if (stage !== 'connecting') return;
        stage = 'sent';
        clearTimeout(pause);
      },
      answered: (answerStatus, answerHeaders) => {
        if (stage === 'over') return;
        stage = 'answering';
        status = answerStatus;
        headers = joinHeaders(answerHeaders);
        clearTimeout(pause);
        pause = setTimeout(() => {
          abandon(new TransportError('idle', phase()));
        }, IDLE_TIMEOUT_MS);
        if (status >= 200 && status < 300) sink = exchange.sink;
        if (sink) feed(() => sink?.begin(headers));
        else if (Number(headers['content-length']) > MAX_ANSWER_BYTES) tooLarge();
      },
      received: (chunk) => {
        if (stage === 'over') return;
        pause.refresh();
        size += chunk.length;
        if (sink) {
          feed(() => sink?.write(chunk));
          return;
        }
        chunks.push(chunk);
        if (size > MAX_ANSWER_BYTES) tooLarge();
      },
      ended: () => {
        if (finish()) resolve({ status, headers, body: Buffer.concat(chunks), size, tooLarge: false });
      },
      failed: (error) => {
        const known = error instanceof TransportError;
        abandon(known ? error : transportErrorOf(error, phase(), stage === 'answering'));
      },
    };
    try {
      stop = begin(progress);
    } catch (error) {
      finish();
      throw error;
    }
  });
}

function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
