// The platform rejects a write's token while the token service is down: the write has no effect, and the command
// reports that the service is unavailable.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHurriedClock } from '../helpers/seeding-home.ts';
import { changed, type FaultProxy, PROXY_FAULTS, startFaultProxy } from '../helpers/fault-proxy.ts';
import { createRolesHome, type RolesHome } from '../helpers/roles-home.ts';

let home: RolesHome;
let proxy: FaultProxy;
beforeEach(async () => {
  home = await createRolesHome();
  const base = home.platform.ready.base_url;
  proxy = await startFaultProxy(Number(new URL(base).port));
  for (const [name, value] of Object.entries(home.env)) home.env[name] = value.replace(base, proxy.url);
  home.env['CDPADM_AUDIENCE'] = base;
  home.defaults.clock = createHurriedClock();
});
afterEach(async () => {
  await proxy.close();
  await home.close();
});

const REJECTED = changed('401', false, () => ({
  status: 401,
  headers: { 'content-type': 'application/json' },
  body: '{"statusCode":401,"errors":[{"message":"Unauthorized"}]}',
}));
const GROUP = { id: 'family', source_user_attribute: 'home', attributes: [{ id: 'vip', type: 'boolean_or' }] };

it.each([
  ['roles push', 'roles push --yes', 'PUT'],
  ['groups create', 'groups create -f group.json --yes', 'POST'],
])('%s changes nothing, and works once the token service works again', async (_command, line, method) => {
  expect((await home.run('roles pull')).code).toBe(0);
  home.edit('roles.yaml', 'name: Support', 'name: Help desk');
  home.write('group.json', JSON.stringify(GROUP));
  const isWrite = (one: { method: string; target: string }): boolean =>
    one.method === method && !one.target.startsWith('/oauth/');
  await proxy.begin((_index, received) => {
    if (received.target.startsWith('/oauth/')) return PROXY_FAULTS.find(({ name }) => name === '503 before delivery');
    return isWrite(received) ? REJECTED : undefined;
  });
  const { code, error } = await home.json(line);
  expect([code, error.code, error.status]).toEqual([7, 'http.unavailable', 503]);
  expect(proxy.requests.filter(isWrite)).toHaveLength(1);

  await proxy.begin();
  const again = await home.json(line);
  expect([again.code, proxy.requests.filter(isWrite).map(({ answered }) => answered?.status)], again.stderr).toEqual([
    0,
    [200],
  ]);
});
