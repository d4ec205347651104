// A write of an assistant needs a plan: of this session, area and command, once, for ten minutes, on an unchanged platform.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../../src/lib/kernel/clock.ts';
import { type Assistant, openAssistant } from '../../../helpers/mcp.ts';
import { openPlatformHome, type PlatformHome } from '../../../helpers/platform-home.ts';

const RENAME = { command: 'roles update', role_id: 'support-role', name: 'Help desk' };

let home: PlatformHome;
let assistant: Assistant;
let lateMs = 0;
const clock: Clock = { ...systemClock, now: () => systemClock.now() + lateMs };

beforeEach(async () => {
  lateMs = 0;
  home = await openPlatformHome();
  assistant = await openAssistant(home, ['--allow-writes'], clock);
});
afterEach(async () => {
  expect(await assistant.end()).toBe(0);
  await home.close();
});

async function planned(name: string, values: Record<string, unknown>): Promise<{ command: unknown; plan: string }> {
  const { plan, error } = await assistant.call(name, values);
  expect(error).toBeUndefined();
  return { command: values['command'], plan: plan?.id ?? '' };
}

it('performs a plan once', async () => {
  const plan = await planned('roles_plan', RENAME);
  expect(await home.received('PUT')).toBe(0);
  const done = await assistant.call('roles_write', plan);
  expect(done).toMatchObject({ isError: false, data: { applied: true, summary: { modify: 1 } } });
  expect(await home.received('PUT')).toBe(1);
  const again = await assistant.call('roles_write', plan);
  expect(again).toMatchObject({ isError: true, error: { code: 'mcp.no_plan' } });
  expect(await home.received('PUT')).toBe(1);
});

it('rejects a plan after the platform has changed, and then needs a new one', async () => {
  const plan = await planned('roles_plan', RENAME);
  await home.run('roles update admin-role --name Chief --yes');
  const { isError, error } = await assistant.call('roles_write', plan);
  expect({ isError, code: error.code }).toEqual({ isError: true, code: 'mcp.plan_changed' });
  expect((await assistant.call('roles_write', plan)).error.code).toBe('mcp.no_plan');
  expect(await home.received('PUT')).toBe(1);
  const renewed = await assistant.call('roles_write', await planned('roles_plan', RENAME));
  expect(renewed.isError).toBe(false);
});

it('rejects a plan after ten minutes', async () => {
  const early = await planned('roles_plan', RENAME);
  lateMs = 10 * 60_000 + 1000;
  const { error } = await assistant.call('roles_write', early);
  expect(error).toMatchObject({ code: 'mcp.no_plan', message: 'The plan has expired. Nothing was sent.' });
  expect(await home.received('PUT')).toBe(0);
});

it('performs a plan until ten minutes have passed', async () => {
  const plan = await planned('roles_plan', RENAME);
  lateMs = 10 * 60_000 - 60_000;
  expect((await assistant.call('roles_write', plan)).isError).toBe(false);
});

it('keeps the newest 20 plans', async () => {
  const first = await planned('roles_plan', RENAME);
  const second = await planned('roles_plan', { ...RENAME, name: 'Desk 1' });
  for (let index = 2; index <= 20; index++) await planned('roles_plan', { ...RENAME, name: `Desk ${index}` });
  expect((await assistant.call('roles_write', first)).error.code).toBe('mcp.no_plan');
  expect((await assistant.call('roles_write', second)).isError).toBe(false);
  expect(await home.received('PUT')).toBe(1);
});

describe('a write without a plan of its own', () => {
  const REJECTED: [string, string, (plan: string) => Record<string, unknown>, string][] = [
    ['without a plan', 'roles_write', () => ({ command: 'roles update' }), 'mcp.no_plan'],
    ['with an invented plan', 'roles_write', () => ({ command: 'roles update', plan: 'f'.repeat(32) }), 'mcp.no_plan'],
    ['of another command', 'roles_write', (plan) => ({ command: 'roles rename', plan }), 'mcp.no_plan'],
    ['of another area', 'groups_write', (plan) => ({ command: 'groups delete', plan }), 'mcp.no_plan'],
    ['with other arguments', 'roles_write', (plan) => ({ command: 'roles update', plan, name: 'Other' }), 'usage'],
    ['with a guard flag', 'roles_write', (plan) => ({ command: 'roles update', plan, allow_delete: true }), 'usage'],
  ];

  it.each(REJECTED)('%s sends nothing', async (_title, tool, valuesOf, code) => {
    const { plan } = await planned('roles_plan', RENAME);
    const { isError, error } = await assistant.call(tool, valuesOf(plan));
    expect({ isError, code: error.code }).toEqual({ isError: true, code });
    expect(await home.received('PUT')).toBe(0);
  });

  it('of another session sends nothing', async () => {
    const plan = await planned('roles_plan', RENAME);
    const other = await openAssistant(home, ['--allow-writes']);
    expect((await other.call('roles_write', plan)).error.code).toBe('mcp.no_plan');
    expect(await other.end()).toBe(0);
  });
});

it('does not lift a guard', async () => {
  const {
    error,
    plan,
    warnings,
    exit_code: code,
  } = await assistant.call('roles_plan', {
    command: 'roles push',
    file: 'roles: []\n',
  });
  expect({ code, plan }).toEqual({ code: 12, plan: undefined });
  expect(error.code).toMatch(/^roles\.guard/);
  expect(warnings).toEqual(['An assistant cannot override a guard. A person can run the command in a terminal.']);
  const flag = await assistant.call('roles_plan', { command: 'roles push', file: 'roles: []\n', allow_delete: true });
  expect(flag).toMatchObject({ isError: true, error: { code: 'usage' } });
});

it('issues no plan for a change that sends nothing', async () => {
  const { plan, isError } = await assistant.call('roles_plan', { ...RENAME, name: 'Support' });
  expect({ plan, isError }).toEqual({ plan: null, isError: false });
});

const WRITES: [tool: string, values: Record<string, unknown>][] = [
  ['dsr_plan', { command: 'dsr submit', regulation: 'gdpr', type: 'access', identity: ['email=jane@people.example'] }],
  [
    'seed_plan',
    {
      command: 'seed set',
      file: '{"environment":"development","xpid":"9007199254740993","calculated_attributes":{"3001":[]}}',
    },
  ],
  [
    'seed_plan',
    {
      command: 'intake identify',
      file: '{"environment":"development","user_identities":{"email":"j@people.example"},"user_attributes":{"city":"Ulm"}}',
    },
  ],
  [
    'seed_plan',
    {
      command: 'intake event',
      file: '{"environment":"development","user_identities":{"customer_id":"1"},"events":[{"event_type":"custom_event","data":{}}]}',
    },
  ],
  [
    'groups_plan',
    {
      command: 'groups create',
      file: '{"id":"household","source_user_attribute":"household_id","attributes":[{"id":"city","type":"latest"}]}',
    },
  ],
  [
    'warehouse_plan',
    { command: 'data-models create', file: 'id: m\nname: M\ntype: sql\nconfig:\n  sql_query: select 1\n' },
  ],
  [
    'warehouse_plan',
    {
      command: 'warehouse apply',
      dir: { 'data-models/m.yaml': 'id: m\nname: M\ntype: sql\nconfig:\n  sql_query: select 1\n' },
    },
  ],
  ['roles_plan', { command: 'roles create', role_id: 'auditor', description: 'Audits', task: ['audiences:view'] }],
];

it.each(WRITES)('plans and performs %s %j', async (tool, values) => {
  const plan = await planned(tool, values);
  const before = (await home.writes()).length;
  const { error, isError } = await assistant.call(tool.replace('_plan', '_write'), plan);
  expect({ error, isError }).toEqual({ error: undefined, isError: false });
  expect((await home.writes()).length).toBeGreaterThan(before);
});
