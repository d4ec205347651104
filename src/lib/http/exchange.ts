// One exchange on the wire: what is sent, what comes back, and their limits.
import type { Sink } from './types.ts';

export interface Exchange {
  method: string;
  /** Scheme, host and port: `https://host:port`. */
  origin: string;
  /** Path and query, percent-encoded; sent unchanged. */
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
  /** Milliseconds from the start of the connection to the last byte of the response. */
  timeoutMs: number;
  signal: AbortSignal;
  /** Receives the body of a 2xx response instead of `RawReply.body`. */
  sink?: Sink | undefined;
}

export interface RawReply {
  status: number;
  /** Names in lower case; repeated headers are joined by commas. */
  headers: Record<string, string>;
  /** Possibly compressed. Empty when a sink received it, or when it exceeds MAX_ANSWER_BYTES. */
  body: Buffer;
  /** Bytes of the body as they were sent. */
  size: number;
  tooLarge: boolean;
}

/** No response of the platform comes near it, and parsing one of this size needs less than the promised 300 MB. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export const CONNECT_TIMEOUT_MS = 10_000;
