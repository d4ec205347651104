// The platform's access token: cached on the disk, shared by all processes of one user, asked for by one at a time.
import { join } from 'node:path';
import type { TokenReply, TokenRequest } from '../contract/oauth.ts';
import { readPrivateFile, writePrivateFile } from '../kernel/durable.ts';
import { CliError, EXIT } from '../kernel/errors.ts';
import { sha256Hex } from '../kernel/light-names.ts';
import { withLock } from '../kernel/lock.ts';
import type { BearerCredentials, HttpOptions } from './types.ts';

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

/** Gives the token to use now. `refused` is one that got a 401: exactly that one is not given again. */
export type TokenSource = (signal: AbortSignal, refused?: string) => Promise<Token>;

type TokenOptions = Pick<
  HttpOptions,
  'address' | 'audience' | 'clock' | 'credentials' | 'freshToken' | 'redactor' | 'tokenFolder'
>;

/** `requestToken` is the token call itself (specification, "Authentication"). */
export function createTokenSource(
  options: TokenOptions,
  requestToken: (body: TokenRequest, signal: AbortSignal) => Promise<TokenReply>,
): TokenSource {
  const { clock, credentials, redactor } = options;
  let latest: CachedToken | undefined;

  return async (signal, refused) => {
    const ready = await credentials.accessToken();
    if (ready !== undefined) return { value: checked(ready), ready: true };
    const known = await credentials.bearer();
    const path = join(options.tokenFolder, cacheName(known));
    const cached = usable(latest, refused) ?? usable(kept(path), refused);
    if (cached) return give(cached);
    return withLock(
      `${path}.lock`,
      clock,
      async () => {
        // Whoever held the lock before us has most likely fetched it.
        const fetched = usable(kept(path), refused);
        if (fetched) return give(fetched);
        const fresh = await fetchToken(known, signal);
        writePrivateFile(path, JSON.stringify(fresh));
        return give(fresh);
      },
      signal,
    );
  };

  /** A token that another secret was had for says nothing about the one at hand. */
  function kept(path: string): CachedToken | undefined {
    return options.freshToken === true ? latest : readCache(path);
  }

  function give(token: CachedToken): Token {
    latest = token;
    return { value: checked(token.access_token), ready: false };
  }

  function checked(token: string): string {
    redactor.add(token);
    if (/^[\x21-\x7e]+$/.test(token)) return token;
    throw new CliError({
      code: 'auth.malformed_token',
      message: 'The access token is empty or holds spaces, line breaks or other characters that no token has.',
      hint: 'If it comes from CDPADM_ACCESS_TOKEN, set that again, without a line break at its end.',
      exit: EXIT.auth,
    });
  }

  function usable(token: CachedToken | undefined, refused: string | undefined): CachedToken | undefined {
    if (!token || token.access_token === refused) return undefined;
    const margin = Math.min(MARGIN_MS, (token.expires_at - token.obtained_at) / 2);
    return clock.now() < token.expires_at - margin ? token : undefined;
  }

  function cacheName({ clientId }: BearerCredentials): string {
    return tokenFileName(clientId, options.audience(), options.address('auth'));
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
  return `token-${sha256Hex(key)}.json`;
}

/** The cached token; undefined when there is none or the file is damaged, which only costs a token request. */
function readCache(path: string): CachedToken | undefined {
  const text = readPrivateFile(path);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { access_token, obtained_at, expires_at } = value as Partial<CachedToken>;
  const sound = typeof access_token === 'string' && Number.isFinite(obtained_at) && Number.isFinite(expires_at);
  return sound ? (value as CachedToken) : undefined;
}
