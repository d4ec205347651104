// What may be a base address, and that nothing is sent where it is not allowed to go.
import { describe, expect, test } from 'vitest';
import { parseAddress } from '../../../src/lib/http/address.ts';
import { CliError } from '../../../src/lib/kernel/errors.ts';
import { getThing } from './endpoints.ts';
import { closeClients, failureOf, testClient } from './setup.ts';

describe('parseAddress', () => {
  test.each([
    ['https://api.example', 'https://api.example', ''],
    ['https://api.example/', 'https://api.example', ''],
    ['https://api.example//', 'https://api.example', ''],
    ['https://API.example:8443/v3/', 'https://api.example:8443', '/v3'],
    ['https://api.example/a/b', 'https://api.example', '/a/b'],
    ['http://127.0.0.1:4010', 'http://127.0.0.1:4010', ''],
    ['http://localhost:4010/x', 'http://localhost:4010', '/x'],
    ['http://[::1]:4010', 'http://[::1]:4010', ''],
  ])('%s', (address, origin, prefix) => {
    expect(parseAddress('base', address)).toEqual({ origin, prefix });
  });

  test.each([
    ['api.example', 'no http or https address'],
    ['', 'no http or https address'],
    ['ftp://api.example', 'no http or https address'],
    ['https://', 'no http or https address'],
    ['https://user:hunter2@api.example', 'user name or password'],
    ['https://user@api.example', 'user name or password'],
    ['https://:hunter2@api.example', 'user name or password'],
    ['https://api.example/?a=b', 'query'],
    ['https://api.example/#x', 'query or a fragment'],
    ['http://api.example', 'not encrypted'],
    ['http://127.0.0.1.example', 'not encrypted'],
    ['http://localhost.example', 'not encrypted'],
    ['http://10.0.0.1', 'not encrypted'],
  ])('%j is refused', (address, words) => {
    let error: unknown;
    try {
      parseAddress('dsr', address);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(CliError);
    expect(error).toMatchObject({ exit: 2, message: expect.stringContaining(words) as string });
    expect((error as CliError).hint).toContain('CDPADM_DSR_BASE_URL');
    expect((error as CliError).message).not.toContain('hunter2');
  });
});

test.each(['.', '..', ''])('an id that would change the path is never sent: %j', async (thingId) => {
  const http = testClient('http://127.0.0.1:1');
  expect(await failureOf(http.call(getThing, { params: { thingId } }))).toMatchObject({ exit: 2 });
  await closeClients();
});

test('half a character in an id or a query is never sent', async () => {
  const http = testClient('http://127.0.0.1:1');
  const half = '\ud800';
  expect(await failureOf(http.call(getThing, { params: { thingId: half } }))).toMatchObject({ exit: 2 });
  const call = http.call(getThing, { params: { thingId: 'a' }, query: { filter: half } });
  expect(await failureOf(call)).toMatchObject({ exit: 2, message: 'filter is not valid Unicode.' });
  await closeClients();
});
