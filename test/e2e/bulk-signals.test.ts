// Signals that end a bulk run of the built program while requests are in flight: it prints how to resume.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCliHome, type CliHome } from '../helpers/cli.ts';
import { KEY, openTerminal } from '../helpers/pty.ts';
import { PROGRAM } from '../helpers/root.ts';
import { type Sink, startSink } from '../helpers/seed-sink.ts';
import { userRows } from '../helpers/seeding-home.ts';

const LINE = ['seed', 'bulk', 'users.ndjson', '--batch-size', '1', '--concurrency', '1', '--yes'];
const RESUME = `To continue: cdpadm ${LINE.join(' ')} --resume`;

let home: CliHome;
let sink: Sink;
let onStall: () => void | Promise<void>;
let env: Record<string, string>;
beforeEach(async () => {
  home = createCliHome();
  writeFileSync(join(home.cwd, 'users.ndjson'), userRows(3));
  // Accepts the first request, and never responds to the second one.
  sink = await startSink((_body, request) => {
    if (request === 1) return undefined;
    void onStall();
    return new Promise(() => undefined);
  });
  env = {
    ...home.env,
    CDPADM_SEEDING_URL: sink.url,
    CDPADM_WORKSPACE_KEY: 'key',
    CDPADM_WORKSPACE_SECRET: 'a-secret-of-the-workspace',
    CDPADM_WORKSPACE_ID: '5001',
  };
});
afterEach(async () => {
  await sink.close();
  home.remove();
});

/** Resolves once Linux has delivered the signal sent before: pending signals are handled in no certain order. */
async function delivered(pid: number): Promise<void> {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return;
  await vi.waitFor(() => expect(readFileSync(status, 'utf8')).toMatch(/^ShdPnd:\s+0+$/m), { interval: 1 });
}

// Two pending signals of one kind would be delivered as one.
it.each([
  [['SIGTERM'], 143, 'Terminated.'],
  [['SIGHUP'], 'SIGHUP', 'The terminal was closed.'],
  [['SIGHUP', 'SIGINT'], 'SIGHUP', 'The terminal was closed.'],
  [['SIGINT', 'SIGTERM'], 'SIGINT', 'Interrupted.'],
] as const)('prints how to resume after %j', async (signals, exit, message) => {
  const child = spawn(process.execPath, [PROGRAM, ...LINE], {
    cwd: home.cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onStall = async () => {
    const [first, second] = signals;
    child.kill(first);
    if (second === undefined) return;
    await delivered(child.pid ?? NaN);
    child.kill(second);
  };
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  const ended = await new Promise((resolve) => child.on('close', (code, signal) => resolve(code ?? signal)));
  expect([ended, stderr]).toEqual([
    exit,
    expect.stringMatching(new RegExp(`Error: ${message}\nSo far, 1 row accepted, 0 rejected\\.\n${RESUME}\n$`)),
  ]);
});

it('prints how to resume on a terminal if Ctrl-C is pressed twice', async () => {
  onStall = () => undefined;
  const terminal = openTerminal(LINE, { cwd: home.cwd, env, columns: 200 });
  await terminal.waitFor('Seeding');
  await terminal.waitFor('elapsed');
  terminal.type(KEY.ctrlC + KEY.ctrlC);
  await terminal.waitFor('Interrupted.');
  await terminal.waitFor(RESUME);
  await terminal.exit;
});
