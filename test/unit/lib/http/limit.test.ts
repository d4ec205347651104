// A profile's rate limits spread an area's requests evenly, and can only lower the shared budget.
import { expect, it } from 'vitest';
import { allEndpoints } from '../../../../src/lib/contract/index.ts';
import { rolesEndpoints } from '../../../../src/lib/contract/roles.ts';
import { createLimits } from '../../../../src/lib/http/limits/budget.ts';
import { createTestClock, TEST_TIME } from '../../../helpers/clock.ts';
import { json, startFaultServer } from '../../../helpers/fault-server.ts';
import { opened } from '../../../helpers/opened.ts';
import { never, testClient } from './setup.ts';

/** Returns the send times of the calls, in milliseconds since the start. */
async function times(limits: Record<string, string>, ids: readonly string[]): Promise<number[]> {
  const clock = createTestClock();
  const { wait } = createLimits(limits, { clock });
  const sent: number[] = [];
  for (const id of ids) {
    await wait({ id }, never);
    sent.push(clock.now() - TEST_TIME);
  }
  return sent;
}

it('spreads requests evenly across all endpoints of an area', async () => {
  const ids = ['connections.list', 'pipelines.get', 'dataModels.get', 'pipelines.trigger'];
  expect(await times({ warehouse: '120/m' }, ids)).toEqual([0, 500, 1000, 1500]);
  expect(await times({ dsr: '2' }, ['dsr.get', 'dsr.get', 'dsr.list'])).toEqual([0, 500, 1000]);
  expect(await times({ seeding: '3600/h' }, ['seeding.set', 'intake.event'])).toEqual([0, 1000]);
});

it('does not delay other areas, the token request or bulk requests', async () => {
  const ids = ['dsr.get', 'oauth.token', 'groups.list', 'dsr.get'];
  expect(await times({ warehouse: '1/h' }, ids)).toEqual([0, 0, 0, 0]);
  expect(await times({ dsr: '1', seeding: '1' }, ['dsr.create', 'dsr.create', 'seeding.bulk'])).toEqual([0, 0, 0]);
});

it('does not save up unused requests, and stops waiting when it is aborted', async () => {
  const clock = createTestClock();
  const { wait } = createLimits({ dsr: '1' }, { clock });
  await wait({ id: 'dsr.get' }, never);
  clock.advance(60_000);
  await wait({ id: 'dsr.get' }, never);
  await wait({ id: 'dsr.get' }, never);
  expect(clock.sleeps).toEqual([1000]);
  await expect(wait({ id: 'dsr.get' }, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
});

it.each([-86_400_000, 86_400_000])('spreads requests evenly even if the clock is set by %d ms', async (ms) => {
  const clock = createTestClock();
  const { wait } = createLimits({ dsr: '1' }, { clock });
  for (let call = 0; call < 3; call++) {
    await wait({ id: 'dsr.get' }, never);
    clock.set(ms);
  }
  expect(clock.sleeps).toEqual([1000, 1000]);
});

it.each([
  ['120/m', 120],
  ['2', 120],
  ['90/h', 1],
  ['1/h', 1],
  ['1.51/m', 1],
])('converts %s to whole requests per minute', (rate, most) => {
  const { aMinute } = createLimits({ roles: rate }, { clock: createTestClock() });
  expect(aMinute('roles')).toBe(most);
  expect(aMinute('dsr')).toBeUndefined();
});

it('limits every call except for roles calls, the token request and bulk requests', async () => {
  const areas = { roles: '1', groups: '1', dsr: '1', warehouse: '1', seeding: '1' };
  for (const { id } of allEndpoints) {
    const paced = (await times(areas, [id, id]))[1] === 1000;
    const own = id.startsWith('roles.') || ['oauth.token', 'dsr.create', 'seeding.bulk'].includes(id);
    expect([id, paced]).toEqual([id, !own]);
  }
});

it.each([
  ['lowers the budget for roles', '60/m', 60],
  ['does not raise the budget for roles', '10', 90],
])('%s to a limit of %s', async (_what, rate, expected) => {
  const server = await opened(startFaultServer());
  server.otherwise(json([]));
  const client = testClient(server.url, { limits: { roles: rate } });
  const sent: number[] = [];
  const params = { orgId: 1, accountId: 1 };
  for (let index = 0; index < 100; index++) {
    await client.call(rolesEndpoints.listTasks, { params });
    sent.push(client.clock.now());
  }
  const first = sent.filter((time) => time < (sent[0] ?? 0) + 60_000).length;
  expect(first).toBeLessThanOrEqual(expected);
  expect(first).toBeGreaterThan(expected - 2);
});
