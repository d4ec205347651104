// The credentials of a call. All processes of a user share a cached access token, and only one of them requests it.
import { exitOf, fail } from '../../errors/fail.ts';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { TokenReply, TokenRequest } from '../../contract/oauth.ts';
import { abortable } from '../../kernel/clock.ts';
import { KnownError, type KnownErrorOptions } from '../../kernel/errors.ts';
import { readRecord } from '../../kernel/json.ts';
import type { ExitName } from '../../errors/entry.ts';
import type { BearerCredentials, HttpOptions } from '../types.ts';
import type { Auth } from '../../contract/endpoint.ts';

/** Tokens are renewed this long before they expire (at most half their lifetime), so that none expires in transit. */
const MARGIN_MS = 300_000;

export interface Token {
  value: string;
  ready: boolean;
}

/** Content of the cache file. Times are in milliseconds since the epoch. */
interface CachedToken {
  access_token: string;
  obtained_at: number;
  expires_at: number;
}

/** A failed token request, shared with other processes that waited for the token. `at` is the time of the failure. */
interface FailedRound {
  at: number;
  error: KnownErrorOptions;
}

/** Failures of the network or the service, which other processes would also encounter. */
const SHARED_EXITS: readonly ExitName[] = ['network', 'unavailable'];

/** Returns the current token. `rejected` is a token that caused a 401 and must not be returned again. */
export type TokenSource = (signal: AbortSignal, rejected?: string) => Promise<Token>;

/** `requestToken` sends the token request (specification, "Authentication"). */
export function createTokenSource(
  options: HttpOptions,
  requestToken: (body: TokenRequest, signal: AbortSignal) => Promise<TokenReply>,
): TokenSource {
  const { cacheFiles, clock, credentials, redactor } = options;
  let latest: CachedToken | undefined;
  let round: Promise<Token> | undefined;

  return async (signal, rejected) => {
    const ready = await abortable(credentials.accessToken(), signal);
    if (ready !== undefined) return { value: checked(ready), ready: true };
    const known = await abortable(credentials.bearer(), signal);
    const name = tokenFileName(known.clientId, options.lastingAudience(), options.lastingAddress('auth'));
    const path = join(options.tokenFolder, name);
    for (;;) {
      const cached = usable(latest, rejected) ?? usable(kept(path), rejected);
      if (cached) return give(cached);
      const isOurs = round === undefined;
      round ??= renew(path, known, rejected).finally(() => (round = undefined));
      const token = await abortable(round, signal);
      // A round started by another call may return the token that was rejected for this call.
      if (isOurs || token.value !== rejected) return token;
    }
  };

  /** Uses the command's signal, not that of the first caller, because other callers may be waiting. */
  function renew(path: string, known: BearerCredentials, rejected: string | undefined): Promise<Token> {
    const since = clock.now();
    const work = async (): Promise<Token> => {
      // The previous lock holder has probably fetched a token.
      const fetched = usable(kept(path), rejected);
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

  /** A cached token does not prove that the configured secret is valid, so `freshToken` skips the cache. */
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
      message: 'The access token is empty or contains spaces, line breaks or other invalid characters.',
      hint: 'If it comes from CDPADM_ACCESS_TOKEN, set that variable again without a trailing line break.',
    });
  }

  function usable(token: CachedToken | undefined, rejected: string | undefined): CachedToken | undefined {
    if (!token || token.access_token === rejected) return undefined;
    const margin = Math.min(MARGIN_MS, (token.expires_at - token.obtained_at) / 2);
    const now = clock.now();
    // A token from the future means that the clock was set back, so its remaining life is unknown.
    return token.obtained_at <= now && now < token.expires_at - margin ? token : undefined;
  }

  async function fetchToken(known: BearerCredentials, signal: AbortSignal): Promise<CachedToken> {
    const clientSecret = await known.clientSecret();
    redactor.add(clientSecret);
    // Read the clock before the call, so that the lifetime is never overestimated.
    const obtainedAt = clock.now();
    const credentials = { client_id: known.clientId, client_secret: clientSecret };
    const { access_token, expires_in } = await requestToken(
      { ...credentials, audience: options.audience(), grant_type: 'client_credentials' },
      signal,
    );
    return { access_token, obtained_at: obtainedAt, expires_at: obtainedAt + expires_in * 1000 };
  }
}

export function tokenFileName(clientId: string, audience: string, authAddress: string): string {
  const key = JSON.stringify([clientId, audience, authAddress]);
  return `token-${createHash('sha256').update(key).digest('hex')}.json`;
}

const failurePath = (path: string): string => path.replace(/\.json$/, '.failed');

/** Returns undefined if there is no token or the file is damaged, which costs only a token request. */
function cachedToken(text: string | undefined): CachedToken | undefined {
  const value = readRecord<CachedToken>(text);
  const { access_token, obtained_at, expires_at } = value ?? {};
  const sound = typeof access_token === 'string' && Number.isFinite(obtained_at) && Number.isFinite(expires_at);
  return sound ? (value as CachedToken) : undefined;
}

/** Resolves credentials just before they are sent. Throws KnownError (auth). `rejected` is a token that got a 401. */
export async function authorize(
  auth: Auth,
  { credentials, redactor }: Pick<HttpOptions, 'credentials' | 'redactor'>,
  tokens: TokenSource,
  signal: AbortSignal,
  rejected?: string,
): Promise<{ header?: string; token?: Token }> {
  if (auth === 'none') return {};
  if (auth === 'bearer') {
    const token = await tokens(signal, rejected);
    return { header: `Bearer ${token.value}`, token };
  }
  // DSR and seeding use the workspace key and secret (specification, "Authentication").
  const { key, secret } = await credentials.basic();
  const pair = `${key}:${secret}`;
  for (const value of [key, secret, pair]) redactor.add(value);
  return { header: `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` };
}
