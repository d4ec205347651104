// A platform with a fast clock, reached through a proxy. Any command in the table can run against it.
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { StartOptions, EmulatorReady } from '../../src/lib/emulator/index.ts';
import type { Clock } from '../../src/lib/kernel/clock.ts';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { interrupted } from '../../src/lib/runtime/interrupt.ts';
import { registerEmulator } from '../../src/lib/runtime/emulator/running.ts';
import { type CliHome, type CliOptions, type CliResult, createCliHome, runCli } from '../helpers/cli.ts';
import { startTestEmulator, type TestEmulator } from '../helpers/emulator.ts';
import { createFastClock } from '../helpers/fast-clock.ts';
import { type FaultPlan, type FaultProxy, type ProxiedRequest, startFaultProxy } from '../helpers/fault-proxy.ts';
import { listenOnLoopback } from '../helpers/loopback.ts';
import type { CommandCase } from './cases.ts';
import { GIVE_UP_MS } from './sweep.ts';
import { CANARIES, FIXTURES, PENDING, stageFiles } from './stage.ts';

/** Speed of the clock of programs and platforms, relative to the machine's clock. */
const SPEED_UP = 200;

/** A genuine callback from the platform, verbatim. */
export interface Callback {
  headers: Record<string, string>;
  body: string;
}

export interface Outcome extends CliResult {
  /** True if the command did not finish. */
  hangs: boolean;
  /** The error from `serves`. */
  served?: Error;
}

export interface World {
  readonly platform: TestEmulator;
  readonly proxy: FaultProxy;
  /** The working directory of the current run. */
  readonly folder: string;
  readonly home: CliHome;
  /** Values of placeholders in command lines, known only at run time. */
  readonly words: Map<string, string>;
  readonly callback: Callback;
  /** The clock of programs and platforms. */
  readonly clock: Clock;
  /** Runs a command line that must succeed. */
  runOk(line: string): Promise<CliResult>;
  /** Creates a new home, resets the platform and runs the steps before the command. */
  prepare(wanted: CommandCase): Promise<void>;
  /** Resets the proxy for another run after `prepare`. */
  begin(plan?: FaultPlan): Promise<void>;
  /** Runs the case's command line in the prepared home. */
  run(wanted: CommandCase, flags?: readonly string[], plan?: FaultPlan, options?: CliOptions): Promise<Outcome>;
  /** Returns the command line as `run` runs it. */
  lineOf(wanted: CommandCase, flags?: readonly string[]): string[];
  /** The environment of the program. */
  env(wanted?: CommandCase): Record<string, string>;
  leave(): void;
  close(): Promise<void>;
}

/** How long pending requests stay pending, by the platform's fast clock. */
const FRESH_MS = 600_000;

/** Creates a world. `options` are the platform's options. */
export async function createWorld(options: Pick<StartOptions, 'names'> = {}): Promise<World> {
  const clock = createFastClock(SPEED_UP);
  const platform = await startTestEmulator({
    fixtures: FIXTURES,
    systemClock: clock,
    ...options,
  });
  const proxy = await startFaultProxy(platform.port);
  const callback = await genuineCallback(platform, options.names?.['email'] ?? 'email');
  const ready = readdressed(platform.ready, proxy.port);
  const words = new Map<string, string>();
  let home: CliHome | undefined;
  /** True if the platform's state may differ from the fixtures. */
  let changed = true;
  let staleAt = 0;

  const current = (): CliHome => {
    if (!home) throw new Error('nothing is prepared');
    return home;
  };
  const env = (wanted?: CommandCase): Record<string, string> => ({
    ...current().env,
    ...environmentOf(ready),
    CDPADM_ENVIRONMENT: 'production',
    CDP_SECRET: CANARIES.environment,
    CDPADM_EDITOR: 'sh editor.sh',
    ...wanted?.env,
  });

  async function runOk(line: string): Promise<CliResult> {
    const result = await runCli(line.split(' '), { cwd: current().cwd, clock, env: env() });
    if (result.code !== 0) throw new Error(`${line}: ${result.code} ${result.stderr}`);
    return result;
  }

  function lineOf({ args, command }: CommandCase, flags: readonly string[] = []): string[] {
    const own = typeof args === 'string' ? args.split(' ').filter(Boolean) : args;
    return [...command.split(' '), ...own.map((word) => words.get(word) ?? word), '--yes', ...flags];
  }

  const world: World = {
    platform,
    proxy,
    words,
    callback,
    clock,
    get home() {
      return current();
    },
    get folder() {
      return current().cwd;
    },
    runOk,
    env,
    lineOf,
    prepare: async ({ before = [] }) => {
      world.leave();
      home = createCliHome();
      if (changed || wrote(proxy.requests) || clock.now() > staleAt) {
        await platform.reset();
        staleAt = clock.now() + FRESH_MS;
      }
      changed = before.length > 0;
      await proxy.begin();
      stageFiles(home.cwd);
      writeFileSync(join(home.cwd, 'callback.json'), JSON.stringify(callback.headers));
      writeFileSync(join(home.cwd, 'callback.body'), callback.body);
      register(home, ready, platform.port);
      for (const step of before) await (typeof step === 'string' ? runOk(step) : step(world));
      // Each run starts without a token, so fetching one is among its requests.
      rmSync(current().env.CDPADM_CACHE_DIR ?? '', { recursive: true, force: true });
      rmSync(join(current().env.CDPADM_STATE_DIR ?? '', 'budget'), { recursive: true, force: true });
    },
    begin: async (plan) => {
      changed ||= wrote(proxy.requests);
      await proxy.begin(plan);
    },
    run: async (wanted, flags = [], plan, options = {}) => {
      await world.begin(plan);
      const stop = new AbortController();
      let served: Error | undefined;
      let serving = false;
      const running = runCli(lineOf(wanted, flags), {
        clock,
        cwd: current().cwd,
        env: env(wanted),
        stop,
        ...(wanted.stdin !== undefined && { stdin: wanted.stdin }),
        ...options,
        onOutput: (stdout) => {
          const end = stdout.indexOf('\n');
          if (!wanted.serves || serving || end < 0) return;
          serving = true;
          wanted
            .serves(stdout.slice(0, end), world)
            .catch((error: unknown) => {
              served = error instanceof Error ? error : new Error(String(error));
            })
            .finally(() => stop.abort(interrupted()));
        },
      });
      const hung = new Promise<undefined>((resolve) => {
        const timer = setTimeout(() => resolve(undefined), GIVE_UP_MS);
        void running.finally(() => clearTimeout(timer));
      });
      const result = await Promise.race([running, hung]);
      const outcome = result ?? { code: -1, stdout: '', stderr: '' };
      return { ...outcome, hangs: result === undefined, ...(served && { served }) };
    },
    leave: () => {
      home?.remove();
      home = undefined;
      words.clear();
    },
    close: async () => {
      world.leave();
      await proxy.close();
      await platform.close();
    },
  };
  return world;
}

/** True if the platform received a request that may change its state. */
function wrote(requests: readonly ProxiedRequest[]): boolean {
  return requests.some(
    ({ answered, method, target }) => answered !== undefined && method !== 'GET' && target !== '/oauth/token',
  );
}

/** Replaces the port in the addresses. */
function readdressed(ready: EmulatorReady, port: number): EmulatorReady {
  const own = new URL(ready.base_url).host;
  const text = JSON.stringify(ready).replaceAll(own, `127.0.0.1:${port}`);
  return JSON.parse(text) as EmulatorReady;
}

/** Registers the platform under the proxy's address for the `emulator` commands. */
function register({ env }: CliHome, ready: EmulatorReady, port: number): void {
  const folder = (kind: string): string => env[`CDPADM_${kind}_DIR`] ?? '';
  const paths = { config: folder('CONFIG'), state: folder('STATE'), cache: folder('CACHE'), data: folder('DATA') };
  registerEmulator(paths, { port, data: null, started: 0, ready });
}

/** Makes the platform send a callback and returns it; `email` is the platform's name for the email identity. */
async function genuineCallback(platform: TestEmulator, email: string): Promise<Callback> {
  const received: Callback[] = [];
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const wanted = Object.entries(request.headers).filter(([name]) => /^(x-opendsr|content-type)/.test(name));
      const headers = Object.fromEntries(wanted) as Record<string, string>;
      received.push({ headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(202).end();
    });
  });
  const port = await listenOnLoopback(receiver);
  const { workspace_key: key, workspace_secret: secret } = platform.ready;
  const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;
  const body = {
    regulation: 'gdpr',
    subject_request_id: PENDING.replace('8c11', '8c77'),
    subject_request_type: 'access',
    submitted_time: '2026-01-05T09:00:00Z',
    subject_identities: { [email]: { value: 'callback@people.example', encoding: 'raw' } },
    status_callback_urls: [`http://127.0.0.1:${port}/`],
  };
  const reply = await platform.send('POST', '/v3/requests', { body, headers: { authorization } });
  if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`);
  await platform.api.flushCallbacks();
  await new Promise<void>((resolve) => receiver.close(() => resolve()));
  const [callback] = received;
  if (!callback) throw new Error('no callback came');
  return callback;
}
