// One exchange on the wire: what is sent, what comes back, and their limits.
import type { Sink } from './types.ts';

export interface Exchange {
  method: string;
  /** Scheme, host and port: `https://host:port`. */
  origin: string;
  /** Path and query, percent-encoded; sent as it stands. */
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
  /** Milliseconds from the beginning of the connection to the last byte of the answer. */
  timeoutMs: number;
  signal: AbortSignal;
  /** Takes the body of a 2xx answer instead of `RawReply.body`. */
  sink?: Sink | undefined;
}

export interface RawReply {
  status: number;
  /** Names in lower case; what came several times is joined by commas. */
  headers: Record<string, string>;
  /** As sent: perhaps compressed. Empty when a sink took it, and when it was larger than MAX_ANSWER_BYTES. */
  body: Buffer;
  /** Bytes of the body as they were sent. */
  size: number;
  tooLarge: boolean;
}

/** No answer of the platform comes near it, and parsing one of this size stays below the promised 300 MB of memory. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export const CONNECT_TIMEOUT_MS = 10_000;
