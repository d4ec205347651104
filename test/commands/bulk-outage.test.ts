// Both bulk commands in a simulated outage: the token service stays down, and everything else is down for one minute.
import { expect, it, onTestFinished } from 'vitest';
import { createDsrHome } from '../helpers/dsr-home.ts';
import { createFastClock } from '../helpers/fast-clock.ts';
import { type FaultProxy, PROXY_FAULTS, startFaultProxy } from '../helpers/fault-proxy.ts';
import { openPlatformHome, type PlatformHome } from '../helpers/platform-home.ts';
import { userRows } from '../helpers/seeding-home.ts';

const MINUTE_MS = 60_000;
const ROWS = 120;

/**
 * Makes the token service unavailable. After ten requests, everything else is unavailable too, for one minute by the
 * home's clock.
 */
async function homeInOutage(home: PlatformHome): Promise<FaultProxy> {
  const proxy = await startFaultProxy(Number(new URL(home.platform.ready.base_url).port));
  onTestFinished(() => proxy.close());
  onTestFinished(() => home.close());
  const clock = (home.defaults.clock = createFastClock(500));
  for (const [name, value] of Object.entries(home.env))
    home.env[name] = value.replace(home.platform.ready.base_url, proxy.url);
  const fault = PROXY_FAULTS.find(({ name }) => name === '503 before delivery');
  let until: number | undefined;
  await proxy.begin((index, { target }) => {
    if (target.startsWith('/oauth/')) return fault;
    if (index < 10) return undefined;
    until ??= clock.now() + MINUTE_MS;
    return clock.now() < until ? fault : undefined;
  });
  return proxy;
}

it('submits every row once with dsr submit --bulk during an outage, without requesting a token', async () => {
  const home = await createDsrHome();
  const proxy = await homeInOutage(home);
  const people = Array.from({ length: ROWS }, (_, index) => `p${index}@example.com,g\n`);
  home.write('people.csv', `email,group_id\n${people.join('')}`);
  const run = await home.json<{ submitted: number; retries: number }>(
    'dsr submit --bulk people.csv --regulation gdpr --type access --yes',
  );
  expect([run.code, run.data.submitted], run.stderr).toEqual([0, ROWS]);
  expect(run.data.retries).toBeGreaterThan(0);
  const accepted = proxy.requests.filter(({ answered, method }) => method === 'POST' && answered?.status === 201);
  expect(accepted).toHaveLength(ROWS);
  expect(proxy.requests.some(({ target }) => target.startsWith('/oauth/'))).toBe(false);
});

it('sends every row once with seed bulk during an outage, without requesting a token', async () => {
  const home = await openPlatformHome();
  const proxy = await homeInOutage(home);
  home.write('users.ndjson', userRows(ROWS).replaceAll('"5001"', `"${home.platform.ready.workspace_id}"`));
  const run = await home.json<{ accepted: number; retries: number }>('seed bulk users.ndjson --batch-size 5 --yes');
  expect([run.code, run.data.accepted], run.stderr).toEqual([0, ROWS]);
  expect(run.data.retries).toBeGreaterThan(0);
  const accepted = proxy.requests.filter(({ answered }) => answered?.status === 202);
  const users = accepted.flatMap(({ body }) => JSON.parse(body) as { xpid: number }[]);
  expect(users.map(({ xpid }) => xpid).sort((a, b) => a - b)).toEqual(Array.from({ length: ROWS }, (_, at) => at + 1));
  expect(proxy.requests.some(({ target }) => target.startsWith('/oauth/'))).toBe(false);
});
