// Every endpoint of the contract has a route on the embedded platform, with and without its trailing slash.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allEndpoints, areas } from '../../../../src/lib/contract/index.ts';
import { platformAreas } from '../../../../src/lib/emulator/areas.ts';
import { startTestEmulator, type TestEmulator } from '../../../helpers/emulator.ts';

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator();
});
afterAll(() => emulator.close());

test('the areas are those of the contract', () => {
  expect(platformAreas.map(({ name }) => name)).toEqual(Object.keys(areas));
  expect(platformAreas.flatMap(({ endpoints }) => Object.values(endpoints))).toEqual([...allEndpoints]);
});

describe.each(allEndpoints.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_id, endpoint) => {
  test.each(['', '/'])('with "%s" at its end', async (slash) => {
    const base = endpoint.service === 'dsr' ? emulator.ready.dsr_base_url : emulator.url;
    const path = base.slice(emulator.url.length) + endpoint.path.replace(/\{\w+\}/g, 'x').replace(/\/$/, '') + slash;
    const { status, text } = await emulator.send(endpoint.method, path, { body: '{}' });
    // Nobody knows an unrouted path, whatever the credentials; these answer for themselves.
    expect([status, text]).not.toEqual([404, '{"statusCode":404,"errors":[{"message":"Not found"}]}']);
    expect(status).toBe(endpoint.auth === 'none' ? 400 : 401);
  });
});

test.each([
  ['GET', '/'],
  ['GET', '/oauth/token'],
  ['DELETE', '/platform/v2/organizations/1001/accounts/2001/roles'],
  ['GET', '/platform/v2/organizations/1001/accounts/2001/roles/admin-role'],
  ['GET', '//platform/v2/organizations/1001/accounts/2001/roles'],
])('%s %s is no path of the platform', async (method, path) => {
  const reply = await emulator.call(method, path);
  expect([reply.status, reply.json]).toEqual([404, { statusCode: 404, errors: [{ message: 'Not found' }] }]);
});

test('HEAD answers as GET does, without the body', async () => {
  const reply = await emulator.call('HEAD', `${emulator.accountPath}/roles`);
  expect([reply.status, reply.text]).toEqual([200, '']);
  expect(Number(reply.headers['content-length'])).toBeGreaterThan(100);
});

test.each([
  ['an escape that was not needed', '/pl%61tform/v2/organizations/1001/accounts/2001/roles', 200],
  ['an escape in a parameter', '/platform/v2/organizations/%31001/accounts/2001/roles', 200],
  ['a slash of a query', '/platform/v2/workspaces/3001/connections/?serviceProvider=/b', 400],
  ['a slash that is part of a word', '/platform/v2/organizations/1001/accounts/2001%2Froles', 404],
  ['a per cent sign that is part of a word', '/platform/v2/organizations/1001/accounts/2001/r%256Fles', 404],
  ['an escape that stands for nothing', '/platform/v2/organizations/1001/accounts/2001/roles%zz', 404],
])('%s in a path', async (_what, path, status) => {
  expect((await emulator.call('GET', path)).status).toBe(status);
});
