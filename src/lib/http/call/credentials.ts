// The `authorization` header of a call, by the kind of credentials that its endpoint asks for.
import type { Auth } from '../../contract/endpoint.ts';
import type { TokenSource } from './token.ts';
import type { HttpOptions } from '../types.ts';

export interface Authorization {
  /** The header's value; undefined for a call without credentials. */
  header: string | undefined;
  /** The bearer token in it, when a 401 may be answered by renewing it. */
  renewable: string | undefined;
  /** A ready-made token, which nothing can renew. */
  readyToken: boolean;
}

/**
 * Resolves credentials as late as this and makes them known to the redactor. `refused` is a token that got a 401.
 * Throws KnownError (auth) when there are none.
 */
export async function authorize(
  auth: Auth,
  { credentials, redactor }: Pick<HttpOptions, 'credentials' | 'redactor'>,
  tokens: TokenSource,
  signal: AbortSignal,
  refused?: string,
): Promise<Authorization> {
  switch (auth) {
    case 'none':
      return { header: undefined, renewable: undefined, readyToken: false };
    case 'bearer': {
      const token = await tokens(signal, refused);
      return {
        header: `Bearer ${token.value}`,
        renewable: token.ready ? undefined : token.value,
        readyToken: token.ready,
      };
    }
    case 'dsr-basic':
    case 'seeding-basic': {
      // Both areas take the workspace's own key and secret (specification, "Authentication").
      const { key, secret } = await credentials.basic();
      const encoded = Buffer.from(`${key}:${secret}`, 'utf8').toString('base64');
      for (const value of [key, secret, `${key}:${secret}`]) redactor.add(value);
      return { header: `Basic ${encoded}`, renewable: undefined, readyToken: false };
    }
  }
}
