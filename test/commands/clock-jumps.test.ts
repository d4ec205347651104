// The machine's clock is set forward or back while a command runs: durations, rates and limits stay the same.
import { afterEach, beforeEach, expect, it, test } from 'vitest';
import { type Clock, systemClock } from '../../src/lib/kernel/clock.ts';
import { createDsrHome } from '../helpers/dsr-home.ts';
import { type FaultProxy, PROXY_FAULTS, startFaultProxy } from '../helpers/fault-proxy.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';
import { userRows } from '../helpers/seeding-home.ts';

const HOUR_MS = 3_600_000;
const JUMPS = [
  ['back by a day', -24 * HOUR_MS],
  ['forward by a day', 24 * HOUR_MS],
] as const;

let home: PlatformHome;
let proxy: FaultProxy;
/** How far the machine's clock has been set. */
let setMs = 0;
const clock: Clock = { ...systemClock, now: () => systemClock.now() + setMs };

beforeEach(async () => {
  setMs = 0;
  home = await createDsrHome();
  const base = home.platform.ready.base_url;
  proxy = await startFaultProxy(Number(new URL(base).port));
  for (const [name, value] of Object.entries(home.env)) home.env[name] = value.replace(base, proxy.url);
  home.defaults.clock = clock;
});
afterEach(async () => {
  await proxy.close();
  await home.close();
});

/** Sets the clock when the platform receives the request with this index. */
const jumpAt = (request: number, ms: number): Promise<void> =>
  proxy.begin((index) => {
    if (index === request) setMs = ms;
    return undefined;
  });

const people = (count: number): string =>
  `email\n${Array.from({ length: count }, (_, index) => `p${index}@example.com\n`).join('')}`;
const BULK = 'dsr submit --bulk people.csv --regulation gdpr --type erasure --yes';

it.each(JUMPS)('submits every row at the given rate if the clock is set %s', async (_how, ms) => {
  home.write('people.csv', people(60));
  await jumpAt(20, ms);
  const { code, data, stderr } = await home.json<{ submitted: number; seconds: number }>(`${BULK} --rate 60`);
  expect([code, data.submitted], stderr).toEqual([0, 60]);
  expect(data.seconds).toBeGreaterThan(0.5);
  expect(data.seconds).toBeLessThan(60);
});

it.each(JUMPS)('seeds every row at the given rate if the clock is set %s', async (_how, ms) => {
  home.write('users.ndjson', userRows(60).replaceAll('"5001"', `"${home.platform.ready.workspace_id}"`));
  await jumpAt(20, ms);
  const line = 'seed bulk users.ndjson --batch-size 1 --rate 60 --yes';
  const { code, data, stderr } = await home.json<{ accepted: number; seconds: number }>(line);
  expect([code, data.accepted], stderr).toEqual([0, 60]);
  expect(data.seconds).toBeGreaterThan(0.5);
  expect(data.seconds).toBeLessThan(60);
});

it('does not give up during an outage because the clock is set forward', async () => {
  home.write('people.csv', people(3));
  const fault = PROXY_FAULTS.find(({ name }) => name === '503 before delivery');
  await proxy.begin((index) => {
    if (index === 20) setMs = HOUR_MS;
    return index < 22 ? fault : undefined;
  });
  // The pauses pass quickly, but a jump of the clock is not a pause.
  let slept = 0;
  home.defaults.clock = {
    ...clock,
    now: () => clock.now() + slept,
    steady: () => (systemClock.steady?.() ?? 0) + slept,
    sleep: async (ms, signal) => {
      await systemClock.sleep(Math.min(ms, 1), signal);
      slept += ms;
    },
  };
  const { code, data, stderr } = await home.json<{ submitted: number }>(`${BULK} --give-up-after 30m`);
  expect([code, data.submitted, setMs], stderr).toEqual([0, 3, HOUR_MS]);
});

test('a command does not time out when the clock is set forward', async () => {
  await jumpAt(0, HOUR_MS);
  const { code, stderr } = await home.run('groups list --timeout 10m');
  expect([code, setMs], stderr).toEqual([0, HOUR_MS]);
});

test('a bulk run finds a duplicate that was submitted before the clock was set back', async () => {
  await home.run('dsr submit --regulation gdpr --type erasure --identity email=p0@example.com --yes');
  setMs = -HOUR_MS;
  home.write('people.csv', people(1));
  const submitted = new Date(systemClock.now() - 2 * HOUR_MS).toISOString();
  const { code, data, stderr } = await home.json<{ submitted: number; failed: number }>(
    `${BULK} --submitted-time ${submitted}`,
  );
  expect([code, data.submitted, data.failed], stderr).toEqual([3, 0, 1]);
  expect(await home.received('POST', '/v3/requests')).toBe(1);
});
