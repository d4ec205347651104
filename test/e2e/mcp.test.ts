// The MCP server as an assistant starts it: the built program over its real standard streams, with the SDK's own client.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openPlatformHome, type PlatformHome } from '../helpers/platform-home.ts';
import { PROGRAM } from '../helpers/root.ts';

let home: PlatformHome;
beforeEach(async () => {
  home = await openPlatformHome();
});
afterEach(() => home.close());

interface Structured {
  data?: unknown;
  plan?: { id: string } | null;
}

async function connect(...flags: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', ...flags],
    env: { PATH: process.env.PATH ?? '', ...home.env },
    cwd: home.cwd,
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  const call = async (name: string, values: Record<string, unknown>): Promise<Structured> =>
    (await client.callTool({ name, arguments: values })).structuredContent as Structured;
  return { client, call, pid: transport.pid ?? 0 };
}

const RENAME = { command: 'roles update', role_id: 'support-role', name: 'Help desk' };

const names = async (): Promise<unknown> => (await home.json('roles list --query [].name')).data;

test('serves reads, plans and writes, and exits when the client disconnects', async () => {
  const { call, client, pid } = await connect('--allow-writes');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['roles_read', 'roles_plan', 'roles_write']));
  const { data } = await call('roles_read', { command: 'roles get', role_id: 'support-role' });
  expect(data).toMatchObject({ role_id: 'support-role' });
  const { plan } = await call('roles_plan', RENAME);
  const done = await call('roles_write', { command: RENAME.command, plan: plan?.id });
  expect(done).toMatchObject({ data: { applied: true } });
  expect(await names()).toContain('Help desk');
  await client.close();
  // Signal 0 only checks whether the process exists.
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('exits with 0 when its input closes before any message', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], {
    env: { PATH: process.env.PATH, ...home.env },
    cwd: home.cwd,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let written = '';
  child.stdout.on('data', (text) => (written += String(text)));
  child.stdin.end();
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(written).toBe('');
});

test('does not leave a partial write if it is killed during a planned write', async () => {
  const before = await names();
  const { call, pid } = await connect('--allow-writes');
  const { plan } = await call('roles_plan', RENAME);
  const { api } = home.platform;
  await api.addFault({ method: 'PUT', delay: '20s', times: 1 });
  const write = call('roles_write', { command: RENAME.command, plan: plan?.id });
  const lost = expect(write).rejects.toThrow();
  // The log records a write before its first request.
  while (!(await home.run('log -o json')).stdout.includes('roles update')) await new Promise(setImmediate);
  process.kill(pid, 'SIGKILL');
  await lost;
  await api.clearFaults();
  expect([before, expect.arrayContaining(['Help desk'])]).toContainEqual(await names());
  expect((await home.json('log')).data).toMatchObject([{ command: 'roles update', outcome: 'unknown' }]);
  expect((await home.run('log verify')).code).toBe(0);
  // A new session can repeat the write, but cannot use the killed session's plan.
  const again = await connect('--allow-writes');
  const old = await again.call('roles_write', { command: RENAME.command, plan: plan?.id });
  expect(old).toMatchObject({ error: { code: 'mcp.no_plan' } });
  const renewed = await again.call('roles_plan', RENAME);
  if (renewed.plan) await again.call('roles_write', { command: RENAME.command, plan: renewed.plan.id });
  expect(await names()).toContain('Help desk');
});
