// The body of the token request: four non-empty fields and one grant type.
import { describe, expect, it } from 'vitest';
import { TokenReply, TokenRequest } from '../../../../src/lib/contract/oauth.ts';
import { issuesOf, withIssuesFirst } from './issues.ts';

const GOOD = { client_id: 'id', client_secret: 's', audience: 'https://api.example', grant_type: 'client_credentials' };

describe('a token request', () => {
  it('is accepted if every field is valid', () => {
    expect(issuesOf(TokenRequest, GOOD)).toEqual([]);
  });

  it.each(
    withIssuesFirst<object>([
      [{ client_id: undefined }, ['client_id: is missing']],
      [{ client_secret: '' }, ['client_secret: is empty']],
      [{ audience: 5 }, ['audience: must be a string, not a number; put it in quotes']],
      [{ grant_type: 'password' }, ['grant_type: must be `client_credentials`']],
      [{ client_id: '', audience: null }, ['client_id: is empty', 'audience: must be a string, not null']],
    ]),
  )('is rejected: %s', (_issues, change, issues) => {
    expect(issuesOf(TokenRequest, { ...GOOD, ...change })).toEqual(issues);
  });
});

describe('a token response', () => {
  it('keeps unknown fields, and is rejected if its token or its lifetime is invalid', () => {
    const reply = { access_token: 't', expires_in: 28_800, token_type: 'Bearer', scope: 'x' };
    expect(TokenReply.parse(reply)).toEqual(reply);
    expect(TokenReply.safeParse({ ...reply, access_token: null }).success).toBe(false);
    expect(TokenReply.safeParse({ ...reply, expires_in: '28800' }).success).toBe(false);
  });
});
