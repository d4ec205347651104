// `--timeout` and Ctrl-C stop a command when a dependency of any kind hangs.
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/lib/kernel/clock.ts';
import { type Lock, tryLock } from '../../src/lib/kernel/lock.ts';
import { createRedactor } from '../../src/lib/kernel/redact.ts';
import { interrupted } from '../../src/lib/runtime/interrupt.ts';
import { run } from '../../src/main.ts';
import { type CliHome, createCliHome, createTestIo } from '../helpers/cli.ts';
import { listenOnLoopback } from '../helpers/loopback.ts';

const TIMEOUT_MS = 300;

let home: CliHome;
let server: Server;
let address: string;
/** Requests with a matching path receive no response. */
let hanging: RegExp;
let locks: (Lock | undefined)[];

beforeEach(async () => {
  home = createCliHome();
  locks = [];
  hanging = /./;
  server = createServer((request, response) => {
    request.resume();
    if (hanging.test(request.url ?? '')) return;
    const reply = { access_token: 'token', expires_in: 3600, token_type: 'Bearer' };
    response.writeHead(request.url === '/limited' ? 429 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(reply));
  });
  address = `http://127.0.0.1:${await listenOnLoopback(server)}`;
});
afterEach(() => {
  for (const lock of locks) lock?.release();
  server.closeAllConnections();
  server.close();
  home.remove();
});

interface Case {
  line: string;
  env?: Record<string, string>;
  /** If set, requests whose path does not match receive a response. */
  hanging?: RegExp;
  /** The path of a lock in the home folder that another process holds. */
  lock?: string;
  stdin?: () => Readable;
  tty?: boolean;
  /** Standard output has no reader. */
  unread?: true;
  /** The command cannot be stopped, so the program exits without waiting for it. */
  isAbandoned?: true;
}

const silence = (): Readable => new Readable({ read: () => undefined });
const LOCAL = '--profile local';
const CASES: readonly (readonly [string, Case])[] = [
  ['the token service', { line: 'roles list' }],
  ['the token service, for several concurrent calls', { line: 'roles validate roles.yaml --online' }],
  ['the token service, in doctor', { line: 'doctor' }],
  ['the token service, in auth test', { line: 'auth test' }],
  ['the platform', { line: 'groups list', hanging: /^(?!\/oauth)/ }],
  ['the platform, in dsr wait', { line: 'dsr wait 6f1c5a52-3a4c-4f0e-9d55-3d2f6a1f8c55' }],
  ['a certificate', { line: 'dsr callbacks verify --headers h.json --body b --certificate ADDRESS/cert.pem' }],
  [
    'another command that uses the embedded platform, in emulator clock',
    { line: `emulator clock --profile local`, lock: 'data/local/emulator.lock' },
  ],
  [
    'another command that uses the embedded platform',
    { line: `roles list ${LOCAL}`, lock: 'data/local/emulator.lock' },
  ],
  ['the settings lock', { line: 'profile create dev --base-url https://a.example', lock: 'config/config.json.lock' }],
  ['the command that prints a secret', { line: 'roles list --profile helped', env: { CDPADM_CLIENT_SECRET: '' } }],
  ['standard input', { line: 'roles validate -', stdin: silence }],
  ['standard input, for several profiles', { line: 'roles validate - --profile helped --profile x', stdin: silence }],
  ['an answer to a prompt', { line: 'profile create', stdin: silence, tty: true }],
  ['a reader of standard output', { line: 'help flags', unread: true, isAbandoned: true }],
];

async function stopped(setup: Case, isInterrupted: boolean): Promise<{ code: number; isOverdue: boolean }> {
  hanging = setup.hanging ?? hanging;
  if (setup.lock !== undefined) locks.push(tryLock(join(home.folder, setup.lock)));
  const stop = new AbortController();
  const clock: Clock = {
    now: systemClock.now,
    sleep: async (ms, signal) => {
      await systemClock.sleep(ms, signal);
      // Press Ctrl-C just before the time limit.
      if (ms === TIMEOUT_MS && isInterrupted) stop.abort(interrupted());
    },
  };
  const names = ['BASE', 'AUTH', 'DSR_BASE', 'SEEDING', 'IDENTITY'];
  const env = {
    ...home.env,
    ...Object.fromEntries(names.map((name) => [`CDPADM_${name}_URL`, address])),
    CDPADM_ORG_ID: '1',
    CDPADM_ACCOUNT_ID: '1',
    CDPADM_WORKSPACE_ID: '1',
    CDPADM_CLIENT_ID: 'client',
    CDPADM_CLIENT_SECRET: 'client-secret',
    CDPADM_WORKSPACE_KEY: 'workspace-key',
    CDPADM_WORKSPACE_SECRET: 'workspace-secret',
    CDPADM_VENDOR_DOMAIN: 'platform.example',
    ...setup.env,
  };
  const { io } = createTestIo({
    env,
    cwd: home.cwd,
    clock,
    ...(setup.stdin && { stdin: setup.stdin() }),
    tty: setup.tty ?? false,
  });
  const unread = new Writable({ write: () => undefined });
  const line = setup.line.replace('ADDRESS', address).split(' ');
  let isOverdue = false;
  const code = await run(
    [...line, '--timeout', `${TIMEOUT_MS}ms`],
    setup.unread ? { ...io, stdout: unread } : io,
    stop,
    createRedactor(),
    {
      onOverdue: () => {
        isOverdue = true;
      },
    },
  );
  return { code, isOverdue };
}

beforeEach(async () => {
  writeFileSync(join(home.cwd, 'roles.yaml'), 'roles: []\n');
  writeFileSync(
    join(home.cwd, 'h.json'),
    '{"x-opendsr-processor-domain":"opendsr.platform.example","x-opendsr-signature":"AA=="}',
  );
  writeFileSync(join(home.cwd, 'b'), '{}');
  const made = await home.run([
    ...['profile', 'create', 'helped', '--client-id', 'me', '--client-secret-command', 'sleep 60'],
    ...['--base-url', address, '--auth-url', address, '--org', '1', '--account', '1'],
  ]);
  expect(made).toMatchObject({ code: 0 });
});

describe.each([
  ['--timeout', 11, false],
  ['Ctrl-C', 130, true],
] as const)('%s (exit code %i)', (_name, code, isInterrupted) => {
  test.each(CASES)('stops a command that waits for %s', async (_what, setup) => {
    const result = await stopped(setup, isInterrupted);
    expect(result.code).toBe(code);
    // On a busy machine, other commands may also be overdue, so only abandoned commands are checked.
    if (setup.isAbandoned) expect(result.isOverdue).toBe(true);
  });
});

test('exits with 11 even if the time limit passes while the process is busy', async () => {
  const roles = Array.from({ length: 2000 }, () => ({ role_id: '' }));
  writeFileSync(join(home.cwd, 'roles.json'), JSON.stringify({ roles }));
  expect((await home.run('roles validate roles.json')).code).toBe(9);
  expect((await home.run('roles validate roles.json --timeout 1ms')).code).toBe(11);
});
