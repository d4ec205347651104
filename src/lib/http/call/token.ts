// The platform's access token: cached, shared by all processes of one user, requested by one at a time.
import { exitOf } from '../../errors/exit.ts';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { TokenReply, TokenRequest } from '../../contract/oauth.ts';
import { abortable } from '../../kernel/clock.ts';
import { KnownError, type KnownErrorOptions } from '../../kernel/errors.ts';
import type { ExitName } from '../../errors/entry.ts';
import type { BearerCredentials, HttpOptions } from '../types.ts';
import { fail } from '../../errors/fail.ts';

/** Renewed so long before its end, so that no token ends on the way; half its life for one that lives shorter. */
const MARGIN_MS = 300_000;

export interface Token {
  value: string;
  /** Given ready-made by the user: when it is refused, there is no other. */
  ready: boolean;
}

/** What the file holds; times in milliseconds since the epoch. */
interface CachedToken {
  access_token: string;
  obtained_at: number;
  expires_at: number;
}

/** A failed round of requests, for the processes that waited for it. `at` is when it ended. */
interface FailedRound {
  at: number;
  error: KnownErrorOptions;
}

/** Failures of the network or the service: every other process would meet them too. */
const SHARED_EXITS: readonly ExitName[] = ['network', 'unavailable'];

/** Gives the token to use now. `refused` is one that got a 401: exactly that one is not given again. */
export type TokenSource = (signal: AbortSignal, refused?: string) => Promise<Token>;

type TokenOptions = Pick<
  HttpOptions,
  | 'audience'
  | 'cacheFiles'
  | 'clock'
  | 'credentials'
  | 'freshToken'
  | 'lastingAddress'
  | 'lastingAudience'
  | 'redactor'
  | 'signal'
  | 'tokenFolder'
>;

/** `requestToken` is the token call itself (specification, "Authentication"). */
export function createTokenSource(
  options: TokenOptions,
  requestToken: (body: TokenRequest, signal: AbortSignal) => Promise<TokenReply>,
): TokenSource {
  const { cacheFiles, clock, credentials, redactor } = options;
  let latest: CachedToken | undefined;
  /** The requests under way: every call that needs a token waits for the same ones. */
  let round: Promise<Token> | undefined;

  return async (signal, refused) => {
    const ready = await abortable(credentials.accessToken(), signal);
    if (ready !== undefined) return { value: checked(ready), ready: true };
    const known = await abortable(credentials.bearer(), signal);
    const path = join(options.tokenFolder, cacheName(known));
    for (;;) {
      const cached = usable(latest, refused) ?? usable(kept(path), refused);
      if (cached) return give(cached);
      const isOurs = round === undefined;
      round ??= renew(path, known, refused).finally(() => {
        round = undefined;
      });
      const token = await abortable(round, signal);
      // The round of a call that was not refused may bring the very token that ours was refused with.
      if (isOurs || token.value !== refused) return token;
    }
  };

  /** It ends with the command, and not with the first of the calls that wait for it. */
  function renew(path: string, known: BearerCredentials, refused: string | undefined): Promise<Token> {
    const since = clock.now();
    const work = async (): Promise<Token> => {
      // Whoever held the lock before us has most likely fetched it.
      const fetched = usable(kept(path), refused);
      if (fetched) return give(fetched);
      throwIfFailed(path, since);
      try {
        const fresh = await fetchToken(known, options.signal);
        cacheFiles.write(path, JSON.stringify(fresh));
        return give(fresh);
      } catch (error) {
        keepFailure(path, error);
        throw error;
      }
    };
    return cacheFiles.locked(`${path}.lock`, clock, work, options.signal);
  }

  /** Throws the error of a round that another process lost while we waited for it. */
  function throwIfFailed(path: string, since: number): void {
    const failed = readRecord<FailedRound>(cacheFiles.read(failurePath(path)));
    const { at = 0, error } = failed ?? {};
    if (at > since && at <= clock.now() && typeof error?.message === 'string') throw new KnownError(error);
  }

  function keepFailure(path: string, error: unknown): void {
    if (!(error instanceof KnownError) || !SHARED_EXITS.includes(exitOf(error))) return;
    const { details: _details, ...shared } = error.parts;
    const failed: FailedRound = { at: clock.now(), error: shared };
    cacheFiles.write(failurePath(path), redactor.text(JSON.stringify(failed)));
  }

  /** A token that another secret was had for says nothing about the one at hand. */
  function kept(path: string): CachedToken | undefined {
    return options.freshToken === true ? latest : cachedToken(cacheFiles.read(path));
  }

  function give(token: CachedToken): Token {
    latest = token;
    return { value: checked(token.access_token), ready: false };
  }

  function checked(token: string): string {
    redactor.add(token);
    if (/^[\x21-\x7e]+$/.test(token)) return token;
    throw fail('auth.malformed_token', {
      message: 'The access token is empty or holds spaces, line breaks or other characters that no token has.',
      hint: 'If it comes from CDPADM_ACCESS_TOKEN, set that again, without a line break at its end.',
    });
  }

  function usable(token: CachedToken | undefined, refused: string | undefined): CachedToken | undefined {
    if (!token || token.access_token === refused) return undefined;
    const margin = Math.min(MARGIN_MS, (token.expires_at - token.obtained_at) / 2);
    return clock.now() < token.expires_at - margin ? token : undefined;
  }

  function cacheName({ clientId }: BearerCredentials): string {
    return tokenFileName(clientId, options.lastingAudience(), options.lastingAddress('auth'));
  }

  async function fetchToken(known: BearerCredentials, signal: AbortSignal): Promise<CachedToken> {
    const clientSecret = await known.clientSecret();
    redactor.add(clientSecret);
    // Counted from before the call, so that the token never seems to live longer than it does.
    const obtainedAt = clock.now();
    const reply = await requestToken(
      {
        client_id: known.clientId,
        client_secret: clientSecret,
        audience: options.audience(),
        grant_type: 'client_credentials',
      },
      signal,
    );
    return {
      access_token: reply.access_token,
      obtained_at: obtainedAt,
      expires_at: obtainedAt + reply.expires_in * 1000,
    };
  }
}

/** Where the token of a client, audience and token service is cached, below the folder of tokens. */
export function tokenFileName(clientId: string, audience: string, authAddress: string): string {
  const key = JSON.stringify([clientId, audience, authAddress]);
  return `token-${createHash('sha256').update(key).digest('hex')}.json`;
}

function failurePath(path: string): string {
  return path.replace(/\.json$/, '.failed');
}

/** The cached token; undefined when there is none or the file is damaged, which only costs a token request. */
function cachedToken(text: string | undefined): CachedToken | undefined {
  const value = readRecord<CachedToken>(text);
  const { access_token, obtained_at, expires_at } = value ?? {};
  const sound = typeof access_token === 'string' && Number.isFinite(obtained_at) && Number.isFinite(expires_at);
  return sound ? (value as CachedToken) : undefined;
}

/** The JSON object in the text, of which nothing is known yet; undefined when it holds none. */
function readRecord<T>(text: string | undefined): Partial<T> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
