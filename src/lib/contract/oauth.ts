// The token call (specification, "Authentication").
import { type infer as Infer, literal, looseObject, number, object, string } from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { textOf } from './shared.ts';

export const TokenRequest = object({
  client_id: textOf(1, 1000),
  client_secret: textOf(1, 10_000),
  audience: textOf(1, 2000),
  grant_type: literal('client_credentials'),
});
export type TokenRequest = Infer<typeof TokenRequest>;

export const TokenReply = looseObject({ access_token: string(), expires_in: number(), token_type: string() });
export type TokenReply = Infer<typeof TokenReply>;

export const oauthEndpoints = {
  token: endpoint({
    id: 'oauth.token',
    service: 'auth',
    auth: 'none',
    method: 'POST',
    path: '/oauth/token',
    status: 200,
    body: TokenRequest,
    reply: TokenReply,
    safety: 'repeat',
  }),
};
