// What is said of a base address that cannot be used, and that nothing is sent where it is not allowed to go.
import { describe, expect, test } from 'vitest';
import { parseAddress } from '../../../../src/lib/http/call/address.ts';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { failureOf, thrownBy } from '../../../helpers/failure.ts';
import { getThing } from './endpoints.ts';
import { testClient } from './setup.ts';

describe('parseAddress', () => {
  test('parts an address from the path in front of every call', () => {
    expect(parseAddress('base', 'https://API.example:8443/v3/')).toEqual({
      origin: 'https://api.example:8443',
      prefix: '/v3',
    });
  });

  test.each([
    ['api.example', '"api.example" is no http or https address', 'Set CDPADM_DSR_BASE_URL to one'],
    ['ftp://api.example', '"ftp://api.example" is no http or https address', 'Set CDPADM_DSR_BASE_URL to one'],
    ['https://user:hunter2@api.example', 'holds a user name or password', 'Take it out of CDPADM_DSR_BASE_URL;'],
    ['ftp://user:hunter2@api.example', 'holds a user name or password', 'Take it out of CDPADM_DSR_BASE_URL;'],
    [
      'https://a.example/?b',
      '"https://a.example/?b" holds a query or a fragment',
      'Take it out of CDPADM_DSR_BASE_URL.',
    ],
    [
      'http://a.example',
      '"http://a.example" is not encrypted; credentials would be readable on the way',
      'Set CDPADM_DSR_BASE_URL to its https form.',
    ],
  ])('%j is refused', (address, what, hint) => {
    const error = thrownBy(() => parseAddress('dsr', address));
    expect(error).toBeInstanceOf(KnownError);
    expect(error).toMatchObject({
      code: 'usage',
      message: `The dsr address ${what}.`,
      hint: expect.stringContaining(hint) as string,
    });
  });
});

test.each(['.', '..', ''])('an id that would change the path is never sent: %j', async (thingId) => {
  const http = testClient('http://127.0.0.1:1');
  expect(await failureOf(http.call(getThing, { params: { thingId } }))).toMatchObject({ code: 'usage' });
});

test('half a character in an id or a query is never sent', async () => {
  const http = testClient('http://127.0.0.1:1');
  const half = '\ud800';
  expect(await failureOf(http.call(getThing, { params: { thingId: half } }))).toMatchObject({ code: 'usage' });
  const call = http.call(getThing, { params: { thingId: 'a' }, query: { filter: half } });
  expect(await failureOf(call)).toMatchObject({ code: 'usage', message: 'filter is not valid Unicode.' });
});
