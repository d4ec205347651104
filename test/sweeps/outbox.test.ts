// Kills the callback receiver with SIGKILL before, during and after its writes and at random moments, while hooks fail
// or hang and the forward address fails. Each hook runs and each callback is forwarded at least once, in order per
// request, with one event id. Runs a sample by default; `npm run test:outbox` covers 1,000 callbacks, every write of a
// session and an outage of one minute.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Bundle, bundleEntry } from '../helpers/bundle.ts';
import { createDsrHome } from '../helpers/dsr-home.ts';
import { send } from '../helpers/emulator.ts';
import { listenOnLoopback } from '../helpers/loopback.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';
import { pick, randomFrom } from '../helpers/random.ts';
import { type SignedCallback, signedCallbacks } from '../helpers/signed-callbacks.ts';
import { isWhole, size } from '../helpers/size.ts';
import { GIVE_UP_MS, SEED, printLine } from './sweep.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/cdpadm.js', import.meta.url));
const HOURS = 3_600_000;
const PATIENT = { timeout: GIVE_UP_MS, interval: 50 };
const STATUSES = ['pending', 'in_progress', 'completed'];

/** Logs each step to `told`. The event id determines whether the first attempt fails, hangs or succeeds. */
const HOOK = `#!/bin/sh
cat > /dev/null
tell() { echo "$1 $CDPADM_REQUEST_ID $CDPADM_REQUEST_STATUS $CDPADM_EVENT_ID" >> told; }
tell start
if [ ! -e "tried-$CDPADM_EVENT_ID" ]; then
  : > "tried-$CDPADM_EVENT_ID"
  case "$CDPADM_EVENT_ID" in
    [012]*) tell failed; exit 3 ;;
    3*) sleep 600 ;;
  esac
fi
tell ok
`;

type Kill = { at: number; how: 'before' | 'half' | 'after' } | { ms: number };

interface Forwarded {
  id: string;
  status: string;
  event: string;
}

let home: PlatformHome;
let preload: Bundle;
let receiver: Server;
let forwardTo: string;
/** Callbacks that the forward address accepted. */
let forwarded: Forwarded[];
let answer: () => number;
let listener: ChildProcess | undefined;
let stderr: string;

beforeEach(async () => {
  home = await createDsrHome();
  preload = await bundleEntry('test/sweeps/children/kills-strike.ts');
  home.write('hook.sh', HOOK);
  home.write('told', '');
  forwarded = [];
  answer = () => 204;
  receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const status = answer();
      if (status === 204) {
        const { request_status, subject_request_id } = JSON.parse(body) as Record<string, string>;
        const event = String(request.headers['idempotency-key']);
        forwarded.push({ id: subject_request_id ?? '', status: request_status ?? '', event });
      }
      response.writeHead(status).end();
    });
  });
  forwardTo = `http://127.0.0.1:${await listenOnLoopback(receiver)}/`;
});
afterEach(async () => {
  listener?.kill('SIGKILL');
  receiver.closeAllConnections();
  receiver.close();
  preload.remove();
  await home.close();
});

/** Starts the built program; returns its address, or undefined if it was killed before it had an address. */
async function listen(kill: Kill | undefined, log: string, flags: readonly string[]): Promise<string | undefined> {
  const line = ['dsr', 'callbacks', 'listen', '--port', '0', '-o', 'json', '-q', ...flags];
  const child = spawn(process.execPath, [PROGRAM, ...line], {
    cwd: home.cwd,
    env: {
      PATH: process.env.PATH,
      ...home.env,
      NODE_OPTIONS: `--import ${preload.file}`,
      KILL_FOLDER: home.folder,
      KILL_LOG: log,
      ...(kill && 'at' in kill && { KILL_AT: String(kill.at), KILL_HOW: kill.how }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  listener = child;
  stderr = '';
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  const ended = once(child, 'exit');
  if (kill && 'ms' in kill) setTimeout(() => child.kill('SIGKILL'), kill.ms);
  const ready = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
  const first = await Promise.race([ready, ended]);
  child.stdout.resume();
  return child.exitCode === null && child.signalCode === null && typeof first[0] === 'string'
    ? (JSON.parse(first[0]) as { callback_url: string }).callback_url
    : undefined;
}

/** Fails if the listener exited before it was killed. */
function expectRunning(): void {
  expect(listener?.exitCode, stderr).toBeNull();
}

const isRunning = (): boolean => listener?.exitCode === null && listener.signalCode === null;

async function end(signal: NodeJS.Signals): Promise<number | null> {
  if (!listener || !isRunning()) return null;
  const ended = once(listener, 'exit');
  listener.kill(signal);
  return ((await ended) as [number | null])[0];
}

/**
 * Posts at most `most` callbacks, in order per request, and removes acknowledged ones from `open`. Also stops when the
 * listener exits.
 */
async function feed(url: string, open: SignedCallback[][], most: number, lanes: number): Promise<void> {
  let left = most;
  const busy = new Set<SignedCallback[]>();
  const lane = async (): Promise<void> => {
    for (;;) {
      const request = open.find((one) => one.length > 0 && !busy.has(one));
      const [callback] = request ?? [];
      if (!request || !callback || left-- <= 0 || !isRunning()) return;
      busy.add(request);
      const status = await send('POST', url, callback).then(
        (response) => response.status,
        () => 0,
      );
      busy.delete(request);
      if (status === 202) request.shift();
      else if (!isRunning() || status === 0) return;
      else throw new Error(`a genuine callback was answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

const hookLog = (): string[][] =>
  readFileSync(`${home.cwd}/told`, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '));

async function openDeliveries(): Promise<{ state: string }[]> {
  return (await home.json<{ state: string }[]>('dsr callbacks outbox list')).data;
}

/** Checks that each hook ran and each callback was forwarded at least once, in order per request, with one event id. */
function judge(requests: readonly (readonly SignedCallback[])[]): void {
  const lines = hookLog();
  const events = new Map<string, Set<string>>();
  const note = (id: string, status: string, event: string): void => {
    const key = `${id} ${status}`;
    events.set(key, (events.get(key) ?? new Set()).add(event));
  };
  for (const [, id = '', status = '', event = ''] of lines) note(id, status, event);
  for (const { event, id, status } of forwarded) note(id, status, event);
  const problems: string[] = [];
  for (const [{ id = '' } = {}] of requests) {
    const mine = lines.filter((line) => line[1] === id);
    const firsts = STATUSES.map((status) => mine.findIndex((line) => line[0] === 'ok' && line[2] === status));
    const starts = STATUSES.map((status) => mine.findIndex((line) => line[0] === 'start' && line[2] === status));
    if (firsts.includes(-1)) problems.push(`${id}: a hook did not run: ${firsts.join()}`);
    for (const [index, first] of firsts.entries())
      if ((starts[index + 1] ?? Infinity) < first) problems.push(`${id}: hooks out of order`);
    const order = [...new Set(forwarded.filter((one) => one.id === id).map(({ status }) => status))];
    if (order.join() !== STATUSES.join()) problems.push(`${id}: forwarded ${order.join()}`);
    for (const status of STATUSES) {
      const ids = events.get(`${id} ${status}`)?.size;
      if (ids !== 1) problems.push(`${id} ${status}: ${ids} event ids`);
    }
  }
  expect(problems).toEqual([]);
}

async function judgeLedger(requests: readonly (readonly SignedCallback[])[]): Promise<void> {
  const { data } = await home.json<{ id: string; states: { status: string }[] }[]>('dsr ledger export');
  const states = new Map(data.map((one) => [one.id, one.states.map(({ status }) => status)]));
  for (const [{ id = '' } = {}] of requests) expect(states.get(id)).toEqual(STATUSES);
  expect((await home.run('dsr ledger verify')).code).toBe(0);
}

test(
  'runs every hook and forwards every callback even if the listener is killed during writes and at random moments',
  async () => {
    printLine(`seed ${SEED}`);
    const random = randomFrom(SEED);
    const requests = (await signedCallbacks(home, size(334, 12))).map((one) => [...one]);
    const open = requests.map((one) => [...one]);
    answer = () => (random() < 0.2 ? 500 : 204);
    const flags = ['--on', 'any', 'sh hook.sh', '--forward-to', forwardTo, '--hook-timeout', '2s'];
    const hows = ['before', 'half', 'after'] as const;
    const each = 3;
    let sessions = 0;

    /**
     * Runs a listener for a few callbacks. Returns whether the kill took effect; if not, the listener is killed at the
     * end.
     */
    async function session(kill?: Kill): Promise<{ tookEffect: boolean; operations: number }> {
      const log = `${preload.file}.${sessions++}.log`;
      const url = await listen(kill, log, flags);
      if (url !== undefined) await feed(url, open, each, 3);
      const expected = hookLog().length + 2 * each;
      await vi
        .waitFor(() => expect(!isRunning() || hookLog().length >= expected).toBe(true), { timeout: 3000 })
        .catch(() => undefined);
      expectRunning();
      const tookEffect = listener?.signalCode === 'SIGKILL';
      await end('SIGKILL');
      return { tookEffect, operations: existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0 };
    }

    // Only the first session fetches the certificate, so that session is not measured.
    await session();
    const { operations } = await session();
    const writes = Array.from({ length: operations }, (_, at) => hows.map((how): Kill => ({ at, how }))).flat();
    const moments = Array.from({ length: size(60, 3) }, (): Kill => ({ ms: random() * 2000 }));
    const chosen = isWhole ? writes : Array.from({ length: 7 }, () => pick(writes, random));
    const kills = [...chosen, ...moments];
    let tookEffect = 0;
    for (const kill of kills) if ((await session(kill)).tookEffect) tookEffect++;
    printLine(
      `${tookEffect} of ${kills.length} kills took effect, at ${operations} file operations and at random moments`,
    );
    expect(tookEffect).toBeGreaterThanOrEqual(5);
    // Failures of the forward address would lengthen the pauses.
    answer = () => 204;
    const url = (await listen(undefined, `${preload.file}.log`, flags)) ?? '';
    expectRunning();
    await feed(url, open, Infinity, 8);
    expect(open.flat().length, stderr).toBe(0);
    await vi.waitFor(
      async () => expect(await openDeliveries()).toEqual([]),
      isWhole ? { timeout: HOURS, interval: 1000 } : PATIENT,
    );
    expect(await end('SIGTERM')).toBe(143);
    judge(requests);
    await judgeLedger(requests);
    expect(existsSync(`${home.folder}/state/dsr/outbox`)).toBe(true);
  },
  isWhole ? 6 * HOURS : 900_000,
);

test(
  'stores a burst of callbacks while the forward address is down, and runs at most four commands at once',
  async () => {
    const requests = await signedCallbacks(home, size(334, 20));
    const open = requests.map((one) => [...one]);
    // The complete run keeps the forward address down for a minute.
    answer = () => 503;
    home.write('hook.sh', HOOK.replaceAll(/\[012\]\*|3\*/g, 'none'));
    const flags = ['--on', 'any', 'sh hook.sh', '--forward-to', forwardTo];
    const url = (await listen(undefined, `${preload.file}.log`, flags)) ?? '';
    const started = performance.now();
    await feed(url, open, Infinity, 64);
    const stored = performance.now() - started;
    expect(open.flat().length, stderr).toBe(0);
    await vi.waitFor(() => expect(hookLog().filter(([what]) => what === 'ok')).toHaveLength(requests.length * 3), {
      ...PATIENT,
      timeout: 2 * GIVE_UP_MS,
    });
    if (isWhole) await vi.waitFor(() => expect(performance.now() - started).toBeGreaterThan(60_000), PATIENT);
    expect(forwarded).toEqual([]);
    answer = () => 204;
    if (!isWhole) {
      // Pauses may be long by now, but a restarted listener does not wait for them.
      expect(await end('SIGTERM')).toBe(143);
      await listen(undefined, `${preload.file}.2.log`, flags);
    }
    await vi.waitFor(
      async () => expect(await openDeliveries()).toEqual([]),
      isWhole ? { timeout: HOURS, interval: 1000 } : PATIENT,
    );
    judge(requests);
    let running = 0;
    let most = 0;
    for (const [what] of hookLog()) most = Math.max(most, what === 'start' ? ++running : running--);
    expect(most).toBeLessThanOrEqual(4);
    printLine(`${requests.length * 3} callbacks stored in ${Math.round(stored)} ms, at most ${most} commands at once`);
  },
  isWhole ? HOURS : 900_000,
);
