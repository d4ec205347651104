// An assistant's write requires a plan from the same session, for the same area and command. A plan can be used
// once, within ten minutes, and only while the platform is unchanged.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/lib/kernel/clock.ts';
import { type ProxyFault, startFaultProxy } from '../../helpers/fault-proxy.ts';
import type { ReceivedRequest } from '../../helpers/fault-server.ts';
import { type Assistant, openAssistant } from '../../helpers/mcp.ts';
import { opened } from '../../helpers/opened.ts';
import { openPlatformHome, type PlatformHome } from '../../helpers/platform-home.ts';

const RENAME = { command: 'roles update', role_id: 'support-role', name: 'Help desk' };

let home: PlatformHome;
let assistant: Assistant;
let lateMs = 0;
/** How far the machine's clock is set back. */
let behindMs = 0;
const clock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + lateMs - behindMs,
  steady: () => (systemClock.steady?.() ?? 0) + lateMs,
};

beforeEach(async () => {
  lateMs = behindMs = 0;
  home = await openPlatformHome();
  assistant = await openAssistant(home, ['--allow-writes'], clock);
});
afterEach(async () => {
  expect(await assistant.end()).toBe(0);
  await home.close();
});

it('applies a plan only once', async () => {
  const plan = await assistant.planned('roles_plan', RENAME);
  expect(await home.received('PUT')).toBe(0);
  const done = await assistant.call('roles_write', plan);
  expect(done).toMatchObject({ isError: false, data: { applied: true, summary: { modify: 1 } } });
  expect(await home.received('PUT')).toBe(1);
  const again = await assistant.call('roles_write', plan);
  expect(again).toMatchObject({ isError: true, error: { code: 'mcp.no_plan' } });
  expect(again.error.message).toBe('The plan was already used. Nothing was sent.');
  expect(await home.received('PUT')).toBe(1);
  expect((await home.json('log')).data).toMatchObject([{ command: 'roles update', via: 'mcp' }]);
});

it('does not log the temporary path of a file passed in a call', async () => {
  const dir = { 'data-models/m.yaml': 'id: m\nname: M\nstate: active\ntype: sql\nconfig: {sql_query: SELECT 1}\n' };
  const plan = await assistant.planned('warehouse_plan', { command: 'warehouse apply', dir });
  expect((await assistant.call('warehouse_write', plan)).error).toBeUndefined();
  expect((await home.json('log')).data).toMatchObject([{ command: 'warehouse apply', args: ['files'], via: 'mcp' }]);
});

it('rejects a plan after the platform has changed, and then requires a new plan', async () => {
  const plan = await assistant.planned('roles_plan', RENAME);
  await home.run('roles update admin-role --name Chief --yes');
  const { isError, error } = await assistant.call('roles_write', plan);
  expect({ isError, code: error.code }).toEqual({ isError: true, code: 'mcp.plan_changed' });
  expect((await assistant.call('roles_write', plan)).error.code).toBe('mcp.no_plan');
  expect(await home.received('PUT')).toBe(1);
  const renewed = await assistant.call('roles_write', await assistant.planned('roles_plan', RENAME));
  expect(renewed.isError).toBe(false);
});

it('sends nothing if the platform changes after the plan was checked again', async () => {
  const proxy = await opened(startFaultProxy(Number(new URL(home.platform.ready.base_url).port)));
  const changed: ProxyFault = {
    ...{ name: 'changed', delivered: true },
    answer: (answer) => ({ ...answer, body: Buffer.from(answer.body.toString().replace('"Support"', '"Other"')) }),
  };
  let reads = 0;
  const isChanged = ({ method, target }: ReceivedRequest) =>
    method === 'GET' && target.endsWith('/roles') && ++reads > 2;
  await proxy.begin((_index, received) => (isChanged(received) ? changed : undefined));
  const other = await openAssistant({ ...home, env: { ...home.env, CDPADM_BASE_URL: proxy.url } }, ['--allow-writes']);
  const plan = await other.planned('roles_plan', { ...RENAME, role_id: 'admin-role' });
  const { error, isError } = await other.call('roles_write', plan);
  expect({ code: error.code, isError }).toEqual({ code: 'mcp.plan_changed', isError: true });
  expect(await home.received('PUT')).toBe(0);
  expect(await other.end()).toBe(0);
});

it.each([
  ['', 0],
  [', even if the clock is set back', 3_600_000],
])('rejects a plan after ten minutes%s', async (_when, backMs) => {
  const early = await assistant.planned('roles_plan', RENAME);
  lateMs = 10 * 60_000 + 1000;
  behindMs = backMs;
  const { error } = await assistant.call('roles_write', early);
  expect(error).toMatchObject({ code: 'mcp.no_plan', message: 'The plan has expired. Nothing was sent.' });
  expect(await home.received('PUT')).toBe(0);
});

it('applies a plan that is less than ten minutes old', async () => {
  const plan = await assistant.planned('roles_plan', RENAME);
  lateMs = 10 * 60_000 - 60_000;
  expect((await assistant.call('roles_write', plan)).isError).toBe(false);
});

it('keeps only the newest 20 plans', async () => {
  const first = await assistant.planned('roles_plan', RENAME);
  const second = await assistant.planned('roles_plan', { ...RENAME, name: 'Desk 1' });
  for (let index = 2; index <= 20; index++) await assistant.planned('roles_plan', { ...RENAME, name: `Desk ${index}` });
  expect((await assistant.call('roles_write', first)).error.code).toBe('mcp.no_plan');
  expect((await assistant.call('roles_write', second)).isError).toBe(false);
  expect(await home.received('PUT')).toBe(1);
});

it("rejects another session's plan", async () => {
  const plan = await assistant.planned('roles_plan', RENAME);
  const other = await openAssistant(home, ['--allow-writes']);
  expect((await other.call('roles_write', plan)).error.code).toBe('mcp.no_plan');
  expect([await other.end(), await home.received('PUT')]).toEqual([0, 0]);
});

it('does not issue a plan if the requests are too large to show in full', async () => {
  const seed = { calculation_type: 'count', cutoff_date: '2026-01-01', seed: { value: '1' } };
  const attributes = Array.from({ length: 500 }, (_, index) => ({ attribute_name: `attribute ${index}`, ...seed }));
  const file = { environment: 'production', xpid: '1', calculated_attributes: { 3001: attributes } };
  const { error, plan } = await assistant.call('seed_plan', { command: 'seed set', file: JSON.stringify(file) });
  expect({ error, plan }).toEqual({ error: undefined, plan: null });
});
