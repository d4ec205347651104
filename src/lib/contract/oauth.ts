// The token call (specification, "Authentication").
import { type infer as Infer, literal, looseObject, number, object, string } from 'zod/mini';
import { endpoints } from './endpoint.ts';
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

export const oauthEndpoints = endpoints('oauth', 'auth', 'none', {
  token: { method: 'POST', path: '/oauth/token', body: TokenRequest, reply: TokenReply, safety: 'repeat' },
});
