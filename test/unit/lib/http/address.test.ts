// Rejects invalid addresses, and ids and queries that would make a URL invalid or change its path.
import { describe, expect, test } from 'vitest';
import { parseAddress } from '../../../../src/lib/http/call/request.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { failureOf, thrownBy } from '../../../helpers/failure.ts';
import { getThing } from './endpoints.ts';
import { testClient } from './setup.ts';

describe('parseAddress', () => {
  test('separates the origin from the path prefix of all calls', () => {
    expect(parseAddress('base', 'https://API.example:8443/v3/')).toEqual({
      origin: 'https://api.example:8443',
      prefix: '/v3',
    });
  });

  test.each([
    ['api.example', 'must be a full address such as https://api.example.com'],
    ['ftp://api.example', 'must start with https://'],
    ['https://user:hunter2@api.example', 'must not contain a user name or password'],
    ['ftp://user:hunter2@api.example', 'must not contain a user name or password'],
    ['https://a.example/?b', 'must not contain a query or a fragment'],
    ['http://a.example', 'must start with https:// (http:// is allowed only for this machine)'],
  ])('rejects %j', (address, problem) => {
    const error = thrownBy(() => parseAddress('dsr', address));
    expect(error).toBeInstanceOf(KnownError);
    expect(error).toMatchObject({
      code: 'usage',
      message: `The dsr address ${problem}.`,
      hint: 'Set CDPADM_DSR_BASE_URL to a valid address.',
    });
  });
});

test.each(['.', '..', ''])('never sends an id that would change the path: %j', async (thingId) => {
  const http = testClient('http://127.0.0.1:1');
  expect(await failureOf(http.call(getThing, { params: { thingId } }))).toMatchObject({ code: 'usage' });
});

test('never sends an unpaired surrogate in an id or a query', async () => {
  const http = testClient('http://127.0.0.1:1');
  const surrogate = '\ud800';
  expect(await failureOf(http.call(getThing, { params: { thingId: surrogate } }))).toMatchObject({ code: 'usage' });
  const call = http.call(getThing, { params: { thingId: 'a' }, query: { filter: surrogate } });
  expect(await failureOf(call)).toMatchObject({ code: 'usage', message: 'filter is not valid Unicode.' });
});
