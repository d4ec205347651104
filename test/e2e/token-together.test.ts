// Ten processes that need a token at the same time.
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type FaultServer, json, type ReceivedRequest, startFaultServer } from '../helpers/fault-server.ts';
import { opened } from '../helpers/opened.ts';
import { contend } from '../helpers/contend.ts';
import { testClient, withoutToken } from '../unit/lib/http/setup.ts';

let server: FaultServer;
/** The tokens that the platform accepts; if undefined, it accepts all tokens. */
let accepted: string[] | undefined;
let issued: number;
let tokenAnswer: { status: number; body?: unknown } | undefined;
let lifetime: number;

beforeEach(async () => {
  server = await opened(startFaultServer());
  accepted = undefined;
  issued = 0;
  tokenAnswer = undefined;
  lifetime = 28_800;
  server.otherwise((socket, request) => {
    const answer = isTokenRequest(request)
      ? tokenAnswer
        ? json(tokenAnswer.body ?? {}, { status: tokenAnswer.status })
        : json({ access_token: `token-number-${++issued}`, expires_in: lifetime, token_type: 'Bearer' })
      : accepted === undefined || accepted.some((token) => request.headers['authorization'] === `Bearer ${token}`)
        ? json({ id: 'a' })
        : json({ errors: [{ message: 'Unauthorized' }] }, { status: 401 });
    answer(socket, request);
  });
});

const isTokenRequest = (request: ReceivedRequest): boolean => request.target === '/oauth/token';
const tokenRequests = (): ReceivedRequest[] => server.requests.filter(isTokenRequest);
const client = (overrides: Parameters<typeof testClient>[1] = {}) =>
  testClient(server.url, { credentials: withoutToken(), ...overrides });

test('makes a single token request for ten simultaneous processes', async () => {
  const { folder } = client();
  const replies = await contend(10, 'token', join(folder, 'shared'), server.url);
  expect(replies).toEqual(Array(10).fill('{"id":"a"}'));
  expect(tokenRequests()).toHaveLength(1);
});
