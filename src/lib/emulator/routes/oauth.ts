// The token endpoint (specification, "Authentication").
import { TOKEN_LIFETIME_SECONDS } from '../../contract/limits.ts';
import { oauthEndpoints, TokenRequest } from '../../contract/oauth.ts';
import { defineArea, type Platform } from '../platform/area.ts';
import { answer, rejection } from '../wire/platform-error.ts';
import { badRequest, checkBody, parseBody } from '../wire/request-body.ts';
import { tokenMigrations } from '../stores/tokens.ts';

export const oauthArea = defineArea({
  name: 'oauth',
  endpoints: oauthEndpoints,
  migrations: tokenMigrations,
  open: (platform) => ({
    handlers: {
      token: ({ body, header }) => {
        if (!/^application\/json\s*(;|$)/i.test(header('content-type') ?? '')) {
          throw badRequest('Content-Type must be application/json');
        }
        const value = parseBody(body, badRequest);
        const { client_id, client_secret, audience } = checkBody(TokenRequest, value);
        const client = platform.directory.clientOf(client_id, client_secret);
        if (client === undefined) throw rejection(401, 'Unauthorized');
        if (!isOurs(audience, header('host'), platform)) {
          const own = platform.audience ?? platform.baseUrl();
          throw rejection(403, `Forbidden: unknown audience ${audience}; this platform's audience is ${own}`);
        }
        return answer(200, {
          access_token: platform.tokens.issue(client),
          expires_in: TOKEN_LIFETIME_SECONDS,
          token_type: 'Bearer',
        });
      },
    },
    // A reset keeps tokens, because clients may have cached them.
    catchUp: (now) => platform.tokens.purge(now),
  }),
});

/** Valid audiences are the address in the request, the platform's own address and its configured audience. */
function isOurs(given: string, host = '', { audience, baseUrl }: Platform): boolean {
  const plain = (address: string): string => address.replace(/\/$/, '');
  return [`http://${host}`, `https://${host}`, baseUrl(), audience ?? baseUrl()].map(plain).includes(plain(given));
}
