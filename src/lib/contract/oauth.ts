// The token request (specification, "Authentication").
import * as z from 'zod/mini';
import { endpoints } from './endpoint.ts';
import { textOf } from './shared.ts';

export const TokenRequest = z.object({
  client_id: textOf(1, 1000),
  client_secret: textOf(1, 10_000),
  audience: textOf(1, 2000),
  grant_type: z.literal('client_credentials'),
});
export type TokenRequest = z.infer<typeof TokenRequest>;

export const TokenReply = z.looseObject({ access_token: z.string(), expires_in: z.number(), token_type: z.string() });
export type TokenReply = z.infer<typeof TokenReply>;

export const oauthEndpoints = endpoints('oauth', 'auth', 'none', {
  token: {
    method: 'POST',
    path: '/oauth/token',
    fails: [401, 403],
    body: TokenRequest,
    reply: TokenReply,
    safety: 'repeat',
  },
});
