// Creates the `authorization` header of a call for the credentials that its endpoint needs.
import type { Auth } from '../../contract/endpoint.ts';
import type { TokenSource } from './token.ts';
import type { HttpOptions } from '../types.ts';

export interface Authorization {
  /** The header's value; undefined for a call without credentials. */
  header: string | undefined;
  /** The bearer token, if a 401 can be answered by renewing it. */
  renewable: string | undefined;
  /** The user passed the token, so it cannot be renewed. */
  readyToken: boolean;
}

/**
 * Resolves credentials just before they are sent and adds them to the redactor. `rejected` is a token that got a 401.
 * Throws KnownError (auth) when there are none.
 */
export async function authorize(
  auth: Auth,
  { credentials, redactor }: Pick<HttpOptions, 'credentials' | 'redactor'>,
  tokens: TokenSource,
  signal: AbortSignal,
  rejected?: string,
): Promise<Authorization> {
  switch (auth) {
    case 'none':
      return { header: undefined, renewable: undefined, readyToken: false };
    case 'bearer': {
      const token = await tokens(signal, rejected);
      return {
        header: `Bearer ${token.value}`,
        renewable: token.ready ? undefined : token.value,
        readyToken: token.ready,
      };
    }
    case 'dsr-basic':
    case 'seeding-basic': {
      // Both areas use the workspace's key and secret (specification, "Authentication").
      const { key, secret } = await credentials.basic();
      const encoded = Buffer.from(`${key}:${secret}`, 'utf8').toString('base64');
      for (const value of [key, secret, `${key}:${secret}`]) redactor.add(value);
      return { header: `Basic ${encoded}`, renewable: undefined, readyToken: false };
    }
  }
}
