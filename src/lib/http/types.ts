// Types of the HTTP client: options, calls, results, and a single exchange with its limits.
import type * as z from 'zod/mini';
import type { Endpoint, ParamsOf, Service } from '../contract/endpoint.ts';
import type { NamesMap } from '../contract/names.ts';
import type { CacheFiles } from '../kernel/cache-files.ts';
import type { Clock } from '../kernel/clock.ts';
import type { KnownError } from '../kernel/errors.ts';
import type { Redactor } from '../kernel/redact.ts';
import type { ProxySettings } from './engines/proxy.ts';

export interface AnyInput {
  params?: Record<string, string | number | bigint> | undefined;
  query?: Record<string, string | number | bigint | boolean | undefined> | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** True if `reserve` has already taken a slot of the shared rate budget for this call. */
  reserved?: boolean | undefined;
  /**
   * Called before a retry after a 429 or a 401. False prevents the retry, because the first request may have had an
   * effect. `'never'` means that no read can show such an effect, so the call fails with the rejection.
   */
  mayRepeat?: (() => Promise<boolean>) | 'never' | undefined;
  /** Called right before each retry, after all pauses. An error that it throws prevents the retry. */
  beforeRetry?: (() => Promise<void>) | undefined;
}

/** The input of a call. Only the parts that the endpoint defines are allowed. */
export type CallInput<E extends Endpoint> = (E extends Endpoint<infer Path, infer _Body, infer _Reply>
  ? keyof ParamsOf<Path> extends never
    ? { params?: undefined }
    : { params: ParamsOf<Path> }
  : never) &
  ([NonNullable<E['body']>] extends [never]
    ? { body?: undefined }
    : { body: NonNullable<E['body']> extends infer Body extends z.ZodMiniType ? z.infer<Body> : never }) &
  Omit<AnyInput, 'params' | 'body'>;

export type ReplyOf<E extends Endpoint> = [NonNullable<E['reply']>] extends [never]
  ? undefined
  : NonNullable<E['reply']> extends infer Schema extends z.ZodMiniType
    ? z.infer<Schema>
    : never;

export interface DescribedRequest {
  method: string;
  url: string;
  body?: unknown;
}

export interface Reply<T> {
  status: number;
  headers: Record<string, string>;
  /** The decompressed body. Signatures are computed over this text. */
  text: string;
  body: T;
}

export interface Link {
  url: string;
  /** The link must be under this service's address and gets its credentials. If absent: any address, no credentials. */
  service?: 'dsr';
  accept: string;
  headers?: Record<string, string>;
  /** True for a stored object, whose `Content-Encoding` describes its own bytes: they are not decoded. */
  isStored?: boolean;
}

export interface Sink {
  /** Called when a 2xx response starts. Discards an earlier attempt's chunks. `headers` have lowercase names. */
  begin(headers: Record<string, string>, status: number): void;
  write(chunk: Buffer): void;
}

export type SendOutcome<Body> =
  /** A complete 2xx response that passed the endpoint's schema check. */
  | ({ kind: 'accepted'; slowDown: boolean } & Reply<Body>)
  /** Any other status. `retryAfterMs` is the platform's Retry-After; `messages` are the platform's error messages. */
  | { kind: 'rejected'; status: number; retryAfterMs: number | undefined; messages: string[]; failure: KnownError }
  /** No complete response, or an invalid 2xx. `permanent`: a retry cannot help. `wasSent`: it may have arrived. */
  | { kind: 'lost'; permanent: boolean; wasSent: boolean; failure: KnownError };

/** Sends many bodies to one endpoint, each once and unchanged. The caller retries. */
export interface Sender<Body> {
  /** `params` fill in the path. Rejects with the signal's reason if the signal is aborted. */
  send(body: Buffer | undefined, signal: AbortSignal, params?: Record<string, string>): Promise<SendOutcome<Body>>;
}

export interface Client {
  /** Sends one call: adds credentials, respects the budget, retries, and checks the response. Throws KnownError. */
  call<E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<ReplyOf<E>>;
  exchange<E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<Reply<ReplyOf<E>>>;
  /** Downloads a link without following redirects. Throws KnownError for a forbidden link, before anything is sent. */
  download(link: Link, sink: Sink, signal?: AbortSignal): Promise<void>;
  /** Returns the request that `call` would send, without sending anything or resolving credentials. */
  describe<E extends Endpoint>(endpoint: E, input: CallInput<E>): DescribedRequest;
  /** Takes `count` slots of the budget, and waits until that many requests may be sent without pauses between them. */
  reserve(endpoint: Endpoint, count: number, signal?: AbortSignal): Promise<void>;
  prepare(endpoint: Endpoint, signal?: AbortSignal): Promise<void>;
  /** Opens a sender for many calls to an endpoint, with its own connections. */
  openSender<E extends Endpoint>(endpoint: E): Promise<Sender<ReplyOf<E>>>;
  close(): Promise<void>;
}

export interface BearerCredentials {
  clientId: string;
  /** Called only if a new token is needed, because it may run a command or open a keychain prompt. */
  clientSecret(): Promise<string>;
}

/** Resolves credentials once, as late as possible, and only the kind that a call needs. */
export interface CredentialSource {
  /** Returns an access token from the environment, which is never renewed. */
  accessToken(): Promise<string | undefined>;
  bearer(): Promise<BearerCredentials>;
  basic(): Promise<{ key: string; secret: string }>;
}

/** A request that may change the platform. `body` is undefined in a bulk run. */
export interface SentWrite {
  id: string;
  method: string;
  path: string;
  body?: string | Buffer | undefined;
}

export interface Wait {
  /** A sentence without its final period. */
  text: string;
  /** True if the platform or the budget requires a wait of more than a second. Such a wait is printed as a line. */
  isRequested?: boolean;
  /** True if another process holds the lock. Such a wait is printed as a line. */
  isLock?: boolean;
}

export interface HttpOptions {
  /** Returns a base address without a trailing slash. Throws KnownError (usage) if it is not configured. */
  address(service: Service): string;
  audience(): string;
  /** Returns a key for cached data. For the embedded platform, the key does not depend on the port. */
  lastingAddress(service: Service): string;
  lastingAudience(): string;
  credentials: CredentialSource;
  cacheFiles: CacheFiles;
  tokenFolder: string;
  freshToken?: boolean | undefined;
  budgetFolder: string;
  /** The profile's rates, keyed by area, such as `{warehouse: '60/m'}`. */
  limits?: Readonly<Record<string, string>> | undefined;
  /** Maps neutral words to the deployment's words, for the keys and values that the contract marks. */
  names?: NamesMap | undefined;
  requestTimeoutMs: number;
  retries: number;
  proxy: ProxySettings;
  /** PEM authorities, trusted in addition to Node's own roots. */
  extraAuthorities?: string | undefined;
  /** `node` means `node:http(s)`, for one or a few calls; `pool` means undici, for many calls. */
  engine: 'node' | 'pool';
  clock: Clock;
  /** Returns uniformly distributed numbers in [0, 1), for jitter. */
  random(): number;
  redactor: Redactor;
  /** Called before anything is sent for a write. Throws if writes are not allowed. */
  allowWrite?: (() => void) | undefined;
  /** Called just before a write is sent; the write waits for the returned promise. A retry has the original id. */
  onWrite?: ((write: SentWrite) => unknown) | undefined;
  onAccepted?: (() => void) | undefined;
  onDecision(text: string): void;
  onWait?(wait: Wait): () => void;
  /** `call` is the method, the path and the query. */
  onResponse?: ((call: string, text: string) => void) | undefined;
  onDebug?: ((text: string) => void) | undefined;
  /** `--trace-file`: receives one redacted exchange as a plain object. */
  onTrace?: ((exchange: Record<string, unknown>) => void) | undefined;
  /** `--curl`: receives the command, and nothing is sent. The call then throws `CurlPrinted`. */
  onCurl?: ((command: string) => void) | undefined;
  signal: AbortSignal;
}

export interface Exchange {
  method: string;
  origin: string;
  /** Percent-encoded path and query, sent unchanged. */
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
  /** Headers with lowercase names. The values of repeated headers are joined by commas. */
  headers: Record<string, string>;
  /** The body, possibly compressed. Empty if a sink received it, or if it exceeds MAX_ANSWER_BYTES. */
  body: Buffer;
  size: number;
  tooLarge: boolean;
}

/** No platform response is nearly this large, and parsing this much takes less than the promised 300 MB of memory. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export const CONNECT_TIMEOUT_MS = 10_000;
