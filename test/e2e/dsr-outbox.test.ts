// `dsr callbacks listen` with hooks and a forward address, and `dsr callbacks outbox`, with callbacks from the
// platform.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CallbackReceiver, startCallbackReceiver } from '../helpers/callback-receiver.ts';
import type { CliResult } from '../helpers/cli.ts';
import { createDsrHome } from '../helpers/dsr-home.ts';
import { type Listener, listenForCallbacks } from '../helpers/listener.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';
import { PATIENT } from '../helpers/patient.ts';

interface Listed {
  id: string;
  event_id: string;
  target: string;
  state: string;
  attempts: number;
  request_status: string;
  subject_request_id: string;
  reason: string | null;
}

const LIST = 'dsr callbacks outbox list';

let home: PlatformHome;
let receiver: CallbackReceiver;
const stops: (() => Promise<CliResult>)[] = [];

beforeEach(async () => {
  home = await createDsrHome();
  receiver = await startCallbackReceiver();
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await receiver.close();
  await home.close();
});

async function listen(...flags: string[]): Promise<Listener> {
  const listener = await listenForCallbacks(home, flags);
  stops.push(listener.stop);
  return listener;
}

/** Submits a request and returns its id. An erasure stays pending for a week. */
async function submit(url: string, type = 'access'): Promise<string> {
  const flags = ['--regulation', 'gdpr', '--type', type, '--identity', 'email=a@example.com', '--yes'];
  const { stdout } = await home.run(['dsr', 'submit', ...flags, '--callback-url', url, '-o', 'json']);
  return (JSON.parse(stdout) as { subject_request_id: string }).subject_request_id;
}

async function advance(duration: string): Promise<void> {
  await home.platform.api.advance(duration);
  await home.platform.api.flushCallbacks();
}

async function list(): Promise<Listed[]> {
  return (await home.json<Listed[]>(LIST)).data;
}

/** Returns a command that appends the ids and statuses of its event to the file `told`, and then runs `end`. */
function hook(end = ''): string {
  home.write(
    'hook.cjs',
    `const { appendFileSync, readFileSync } = require('node:fs');
const { CDPADM_EVENT_ID, CDPADM_REQUEST_ID, CDPADM_REQUEST_STATUS } = process.env;
const body = JSON.parse(readFileSync(0, 'utf8'));
appendFileSync('told', [CDPADM_EVENT_ID, CDPADM_REQUEST_ID, CDPADM_REQUEST_STATUS, body.request_status].join(' ') + '\\n');
${end}`,
  );
  home.write('told', '');
  return `${process.execPath} hook.cjs`;
}

const hookLog = (): string[][] =>
  home
    .read('told')
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '));

describe('a listener', () => {
  it('runs the hook for each status in order, and sends the same event id to the forward address', async () => {
    const { url } = await listen('--on', 'any', hook(), '--forward-to', receiver.url);
    const id = await submit(url);
    await advance('4d');
    await receiver.count(3);
    await vi.waitFor(async () => expect(await list()).toEqual([]), PATIENT);
    expect(hookLog().map(([, request, status, body]) => [request, status, body])).toEqual(
      ['pending', 'in_progress', 'completed'].map((status) => [id, status, status]),
    );
    expect(receiver.received.map(({ headers }) => headers['idempotency-key'])).toEqual(
      hookLog().map(([event]) => event),
    );
  });

  it('runs a hook on the first callback with a status even if `dsr status` already saw that status', async () => {
    const { lines, url } = await listen('--on', 'any', hook());
    const id = await submit(url);
    await home.platform.api.advance('4d');
    expect((await home.run(['dsr', 'status', id])).code).toBe(0);
    await home.platform.api.flushCallbacks();
    await vi.waitFor(() => expect(hookLog().map(([, , status]) => status)).toContain('completed'), PATIENT);
    expect(hookLog()).toHaveLength(3);
    expect(lines().map((line) => line.new)).toEqual([true, true, true]);
  });

  it("delivers an earlier run's pending deliveries if its own flags match", async () => {
    const first = await listen('--on', 'any', 'there-is-no-such-command');
    await submit(first.url, 'erasure');
    await advance('20m');
    await vi.waitFor(async () => expect((await list())[0]?.attempts).toBeGreaterThan(0), PATIENT);
    expect((await list())[0]?.reason).toMatch(/^the command could not be started: /);
    await first.stop();
    const second = await listen('--on', 'completed', 'true');
    expect((await second.stop()).stderr).toContain(
      'This listener has no matching --on or --forward-to for 1 delivery from an earlier run.',
    );
    await listen('--on', 'any', hook());
    await vi.waitFor(async () => expect(await list()).toEqual([]), PATIENT);
    expect(hookLog().map(([, , status]) => status)).toEqual(['pending']);
  });

  it('terminates a hung command and its children when the listener stops, and keeps the delivery due', async () => {
    const { stop, url } = await listen(
      ...[
        '--on',
        'any',
        hook(`require('node:child_process').spawn('sleep', ['3600'], { stdio: 'ignore' });
appendFileSync('told', process.pid + '\\n');
process.on('SIGTERM', () => undefined);
setInterval(() => undefined, 1000);`),
      ],
    );
    await submit(url, 'erasure');
    await advance('20m');
    await vi.waitFor(() => expect(hookLog()).toHaveLength(2), PATIENT);
    const group = Number(hookLog()[1]?.[0]);
    expect(() => process.kill(-group, 0)).not.toThrow();
    expect((await stop()).code).toBe(130);
    await vi.waitFor(() => expect(() => process.kill(-group, 0)).toThrow('ESRCH'), PATIENT);
    expect(await list()).toMatchObject([{ state: 'due', attempts: 0, target: 'on-any', request_status: 'pending' }]);
  });

  it('terminates a command that exceeds --hook-timeout, and counts the attempt', async () => {
    const { url } = await listen('--on', 'any', 'sleep 3600', '--hook-timeout', '50ms', '--hook-attempts', '1');
    await submit(url, 'erasure');
    await advance('20m');
    await vi.waitFor(async () => {
      expect(await list()).toMatchObject([{ state: 'dead', attempts: 1, reason: 'the command ran longer than 50ms' }]);
    }, PATIENT);
  });

  it('does not start with a hook while another listener with a hook runs for the same workspace', async () => {
    const { url } = await listen('--on', 'any', hook());
    const line = ['dsr', 'callbacks', 'listen', '--port', '0', '--on', 'any', 'true'];
    const { code, stderr } = await home.run(line);
    expect([code, stderr]).toEqual([6, expect.stringContaining(`Another listener (process ${process.pid} on `)]);
    // A listener without deliveries, or for another workspace, may run at the same time.
    await listen();
    await listen('--workspace', '3002', '--on', 'any', 'true');
    await submit(url, 'erasure');
    await advance('20m');
    await vi.waitFor(() => expect(hookLog()).toHaveLength(1), PATIENT);
  });

  it('keeps its outbox private, and deletes each body after its delivery', async () => {
    const { stop, url } = await listen('--forward-to', receiver.url);
    await submit(url, 'erasure');
    await advance('20m');
    await vi.waitFor(async () => expect(await list()).toEqual([]), PATIENT);
    await stop();
    await (await listen('--forward-to', receiver.url)).stop();
    const folder = join(home.env.CDPADM_STATE_DIR ?? '', 'dsr', 'outbox');
    const names = readdirSync(folder);
    expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{24}\.ndjson$/)]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const path = join(folder, names[0] ?? '');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toMatch(/^\{"event":"seen",.*\}\n$/);
  });

  it.each([
    [['--on', 'completed', ' '], '--on needs a command after its status.'],
    [['--hook-concurrency', '0'], '--hook-concurrency must be a whole number from 1 to 64, not `0`.'],
    [['--hook-attempts', 'many'], '--hook-attempts must be a whole number from 1 to 100, not `many`.'],
    [['--hook-timeout', '5'], '--hook-timeout must be a duration such as 10m or 14d, not `5`.'],
    [['--forward-to', 'http://example.com/'], '--forward-to must be an https address'],
    [['--forward-to', 'https://me:pw@example.com/'], '--forward-to must not contain a user name or password.'],
    [['--forward-to', 'https://:pw@example.com/'], '--forward-to must not contain a user name or password.'],
  ])('rejects %j', async (flags, message) => {
    const { code, stderr } = await home.run(['dsr', 'callbacks', 'listen', '--port', '0', ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('the outbox', () => {
  /** Creates two dead letters for one request while the listener keeps running. */
  async function withDeadLetters(): Promise<{ id: string; dead: Listed[] }> {
    receiver.next(...Array<number>(4).fill(500));
    const { url } = await listen('--forward-to', receiver.url, '--hook-attempts', '1');
    const id = await submit(url);
    await advance('1d');
    await vi.waitFor(async () => expect((await list()).map(({ state }) => state)).toEqual(['dead', 'dead']), PATIENT);
    return { id, dead: await list() };
  }

  it('lists dead letters with their reasons, and replays them while the listener runs', async () => {
    const { dead, id } = await withDeadLetters();
    expect(dead).toMatchObject(
      ['pending', 'in_progress'].map((status) => ({
        target: 'forward',
        subject_request_id: id,
        request_status: status,
        attempts: 1,
        reason: `${receiver.url} responded with 500`,
      })),
    );
    expect((await home.json<Listed[]>(`${LIST} --dead`)).data).toEqual(dead);
    const dry = await home.run('dsr callbacks outbox replay --all --dry-run');
    expect(dry.stdout).toContain('2 deliveries would be tried again.');
    // The deliveries fail again; then the receiver accepts them.
    const { data } = await home.json<Listed[]>(`dsr callbacks outbox replay ${id}`);
    expect(data.map((it) => [it.id, it.state])).toEqual(dead.map((it) => [it.id, 'due']));
    await vi.waitFor(async () => expect((await list()).map((it) => it.state)).toEqual(['dead', 'dead']), PATIENT);
    expect((await home.run('dsr callbacks outbox replay --all')).code).toBe(0);
    await receiver.count(6);
    await vi.waitFor(async () => expect(await list()).toEqual([]), PATIENT);
    const keys = receiver.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([...keys.slice(0, 2), ...keys.slice(0, 2), ...keys.slice(0, 2)]);
  });

  it('drops deliveries by id after confirmation', async () => {
    const { dead } = await withDeadLetters();
    const [first, second] = dead;
    const drop = ['dsr', 'callbacks', 'outbox', 'drop', first?.id ?? ''];
    expect((await home.run(drop)).code).toBe(2);
    expect(await list()).toHaveLength(2);
    expect((await home.run([...drop, '--yes'])).code).toBe(0);
    expect((await list()).map(({ id }) => id)).toEqual([second?.id]);
    const gone = await home.run([...drop, '--yes']);
    expect([gone.code, gone.stderr]).toEqual([5, expect.stringContaining(`No delivery has the id ${first?.id}.`)]);
    expect((await home.run(['dsr', 'callbacks', 'outbox', 'drop', second?.event_id ?? '', '--yes'])).code).toBe(0);
    const { stderr, stdout } = await home.run(LIST);
    expect([stdout.split('\n').length, stderr]).toEqual([2, expect.stringContaining('No pending deliveries')]);
  });

  it.each(['replay', 'drop'])('requires ids or --all for %s', async (verb) => {
    for (const words of ['', '--all some'])
      expect((await home.run(`dsr callbacks outbox ${verb} ${words}`.trim())).code).toBe(2);
    const { code, stderr } = await home.run(`dsr callbacks outbox ${verb} --all --yes`);
    expect([code, stderr]).toEqual([0, expect.stringContaining('There are no dead letters.')]);
  });

  it('delivers the valid entries of a damaged file', async () => {
    const first = await listen('--on', 'any', 'false');
    await submit(first.url);
    await advance('1d');
    await vi.waitFor(async () => expect(await list()).toHaveLength(2), PATIENT);
    await first.stop();
    const none = await home.run('dsr callbacks outbox drop --all --yes');
    expect(none.stderr).toContain('--all covers only dead letters: 2 deliveries are still due');
    const folder = join(home.env.CDPADM_STATE_DIR ?? '', 'dsr', 'outbox');
    const path = join(folder, readdirSync(folder)[0] ?? '');
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const news = lines.filter((line) => line.includes('"received"'));
    writeFileSync(path, [news[0]?.slice(0, 80), 'null', '[]', '{"event":"received"}', '\0\0', news[1], ''].join('\n'));
    // The first line is not reported: a killed process may have left it unfinished, and the platform sends that
    // callback again.
    const unreadable = `Lines 2, 3, 4 of ${path} cannot be read, so a callback may be undelivered.`;
    expect((await home.run(LIST)).stderr).toContain(unreadable);
    const second = await listen('--on', 'any', hook());
    await vi.waitFor(() => expect(hookLog().map(([, , status]) => status)).toEqual(['in_progress']), PATIENT);
    expect((await second.stop()).stderr).toContain(unreadable);
    expect(readFileSync(path, 'utf8')).toContain(news[0]?.slice(0, 80));
  });
});
