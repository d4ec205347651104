// What the HTTP core is given and what it gives back.
import type { infer as Infer, ZodMiniType } from 'zod/mini';
import type { Endpoint, ParamsOf, Service } from '../contract/endpoint.ts';
import type { NamesMap } from '../contract/names.ts';
import type { CacheFiles } from '../kernel/cache-files.ts';
import type { Clock } from '../kernel/clock.ts';
import type { KnownError } from '../kernel/errors.ts';
import type { Redactor } from '../kernel/redact.ts';

/** Input of one call, as far as the endpoint has such parts. */
export type CallInput<E extends Endpoint> = (E extends Endpoint<infer Path, infer _Body, infer _Reply>
  ? keyof ParamsOf<Path> extends never
    ? { params?: undefined }
    : { params: ParamsOf<Path> }
  : never) &
  ([NonNullable<E['body']>] extends [never]
    ? { body?: undefined }
    : { body: NonNullable<E['body']> extends infer Body extends ZodMiniType ? Infer<Body> : never }) & {
    query?: Record<string, string | number | bigint | boolean | undefined>;
    signal?: AbortSignal | undefined;
    /** The slot of the shared rate budget was taken beforehand by `reserve`: do not wait for another. */
    reserved?: boolean;
    /**
     * Called before a repeat after a 429 or a 401. False: the first one may have arrived, so nothing is repeated. `'never'`: no
     * read can decide, so the rejection itself is the result.
     */
    mayRepeat?: (() => Promise<boolean>) | 'never';
  };

export type ReplyOf<E extends Endpoint> = [NonNullable<E['reply']>] extends [never]
  ? undefined
  : NonNullable<E['reply']> extends infer Schema extends ZodMiniType
    ? Infer<Schema>
    : never;

/** A request as it would be sent: for dry runs, with the body unmasked and no credentials in it. */
export interface DescribedRequest {
  method: string;
  url: string;
  body?: unknown;
}

export interface Reply<T> {
  status: number;
  headers: Record<string, string>;
  /** The body as it came, decompressed: what a signature is over. */
  text: string;
  body: T;
}

/** A link that an answer gave. */
export interface Link {
  url: string;
  /** Below whose base address it must lie, and whose credentials it gets; without, it may lead anywhere and gets none. */
  service?: 'dsr';
  /** The `accept` header. */
  accept: string;
  /** Further headers, such as a range. */
  headers?: Record<string, string>;
}

/** Takes what a link holds while it comes in, so that its size does not matter. What it throws ends the download. */
export interface Sink {
  /** The answer of an attempt begins; what an earlier one wrote is void. `headers` have lower-case names. */
  begin(headers: Record<string, string>): void;
  write(chunk: Buffer): void;
}

/** How one sending of a body ended. */
export type SendOutcome<Body> =
  /** A complete 2xx response that the endpoint's schema has checked. */
  | ({ kind: 'accepted'; slowDown: boolean } & Reply<Body>)
  /** Any other status; `retryAfterMs` when the platform said how long to wait, `messages` what it said of the body. */
  | { kind: 'refused'; status: number; retryAfterMs: number | undefined; messages: string[]; failure: KnownError }
  /** No complete response, or a 2xx that proves nothing. `permanent`: trying again within seconds cannot help. */
  | { kind: 'lost'; permanent: boolean; failure: KnownError };

/** A lower door for many bodies to one endpoint: each is sent once, as it is; repeating is the caller's affair. */
export interface Sender<Body> {
  /**
   * Sends bytes that are JSON already; none for a call without a body. `params` fill the path's placeholders. Throws the
   * signal's reason once it is aborted.
   */
  send(body: Buffer | undefined, signal: AbortSignal, params?: Record<string, string>): Promise<SendOutcome<Body>>;
}

/** The one door to the wire. */
export interface Client {
  /** One call: credentials, budget, retries, errors and the reply's check included. Throws KnownError. */
  call<E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<ReplyOf<E>>;
  /** The same with status and headers. */
  exchange<E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<Reply<ReplyOf<E>>>;
  /**
   * GETs a link into a sink, with retries and errors as `call`; redirects are not followed. Throws KnownError, and sends
   * nothing, for a link that leads where it must not.
   */
  download(link: Link, sink: Sink, signal?: AbortSignal): Promise<void>;
  /** What `call` would send. Nothing is sent, no credentials are resolved. */
  describe<E extends Endpoint>(endpoint: E, input: CallInput<E>): DescribedRequest;
  /** Waits until `count` requests of the budget may be sent without a pause between them, and takes them. */
  reserve(endpoint: Endpoint, count: number, signal?: AbortSignal): Promise<void>;
  /** Makes sure that the next call of this endpoint needs no token request first. */
  prepare(endpoint: Endpoint, signal?: AbortSignal): Promise<void>;
  /** The lower door for many calls of an endpoint. Uses connections of its own. */
  openSender<E extends Endpoint>(endpoint: E): Promise<Sender<ReplyOf<E>>>;
  /** Ends idle connections. */
  close(): Promise<void>;
}

export interface BearerCredentials {
  clientId: string;
  /** Asked for only when there is no token to use: it may be the output of a command, or a keychain's question. */
  clientSecret(): Promise<string>;
}

export interface BasicCredentials {
  key: string;
  secret: string;
}

/** Credentials are resolved as late as possible, once, and only for the kind a call needs. */
export interface CredentialSource {
  /** A ready access token from the environment, used as it is and never renewed. */
  accessToken(): Promise<string | undefined>;
  bearer(): Promise<BearerCredentials>;
  basic(): Promise<BasicCredentials>;
}

/** What a call waits for while nothing else goes on. */
export interface Wait {
  /** A sentence without its full stop. */
  text: string;
  /** It was asked for, and lasts longer than a second: worth a line by itself. */
  isAsked?: boolean;
  /** `onLongWait` has told it: the line needs no second one. */
  isTold?: boolean;
}

export interface HttpOptions {
  /** Base addresses without a trailing slash. `address` throws KnownError (usage) for one that is not configured. */
  address(service: Service): string;
  /** The `audience` of the token request. */
  audience(): string;
  /** What memories of a service and of the audience are kept by: the embedded platform's port changes. */
  lastingAddress(service: Service): string;
  lastingAudience(): string;
  credentials: CredentialSource;
  /** Reads and writes what is kept in the two folders. */
  cacheFiles: CacheFiles;
  /** Folder of cached tokens (cache directory). */
  tokenFolder: string;
  /** The first token is asked for, whatever is cached: a call that tries the credentials. */
  freshToken?: boolean | undefined;
  /** Folder of the shared rate budget (state directory). */
  budgetFolder: string;
  /** Rates by area, such as `{warehouse: '60/m'}`; those of the profile. */
  limits?: Readonly<Record<string, string>> | undefined;
  /** Neutral word -> the deployment's word, mapped where the contract marks a key or a value; default none. */
  names?: NamesMap | undefined;
  /** Milliseconds for one request. */
  requestTimeoutMs: number;
  /** Attempts after the first. */
  retries: number;
  proxy: { https?: string | undefined; http?: string | undefined; none?: string | undefined };
  /** PEM text of further authorities, added to the system's. */
  extraAuthorities?: string | undefined;
  /** `node`: `node:http(s)`, for one or a few calls; `pool`: undici, for many. */
  engine: 'node' | 'pool';
  clock: Clock;
  /** Uniform in [0, 1): the jitter. */
  random(): number;
  redactor: Redactor;
  /** Throws for a call that may change something on the platform, before anything is sent for it. */
  allowWrite?: (() => void) | undefined;
  /** A request that may change something on the platform is about to go out. */
  onWrite?: (() => void) | undefined;
  /** `-v` lines: decisions, waits and retries. */
  onDecision(text: string): void;
  /** In place of `onDecision` where a wait is so long that nobody would sit through it in silence. */
  onLongWait?(text: string): void;
  /** A wait begins, perhaps of milliseconds; what it returns is called when it is over. */
  onWait?(wait: Wait): () => void;
  /** `--debug` lines, already redacted. */
  onDebug?: ((text: string) => void) | undefined;
  /** `--trace-file`: one redacted exchange as a plain object. */
  onTrace?: ((exchange: Record<string, unknown>) => void) | undefined;
  /** `--curl`: given instead of sending; the call then throws `CurlPrinted`. */
  onCurl?: ((command: string) => void) | undefined;
  signal: AbortSignal;
}
