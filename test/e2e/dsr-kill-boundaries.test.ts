// Sends SIGKILL to a bulk run and to its resumption: before a request is delivered, after it is delivered, or after its
// response. Also fills the disk during a bulk run, and kills a listener while it acknowledges callbacks.
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDsrHome } from '../helpers/dsr-home.ts';
import type { PlatformHome } from '../helpers/platform-home.ts';
import { send } from '../helpers/emulator.ts';
import { isStrayed } from '../helpers/stray-file.ts';
import { listenOnLoopback } from '../helpers/loopback.ts';
import { PROGRAM } from '../helpers/root.ts';
import { size } from '../helpers/size.ts';

const MINUTES = 60_000;
const ROWS = 8;
/** With `--mode whole`, the run is killed at every request; otherwise at one request per moment. */
const STEP = size(1, ROWS);

type Moment = 'before' | 'unanswered' | 'answered';
const MOMENTS: readonly Moment[] = ['before', 'unanswered', 'answered'];

let home: PlatformHome;
let proxy: Server;
let address: string;
/** Kills `child` at request number `at`, counted from now. */
let trap: { at: number; moment: Moment; child: ChildProcess } | undefined;

beforeEach(async () => {
  home = await createDsrHome();
  trap = undefined;
  const platform = home.env.CDPADM_DSR_BASE_URL ?? '';
  proxy = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const strikes = trap !== undefined && --trap.at === 0 ? trap : undefined;
      const kill = (): void => void strikes?.child.kill('SIGKILL');
      if (strikes?.moment === 'before') {
        kill();
        request.socket.destroy();
        return;
      }
      const { authorization = '', 'content-type': type } = request.headers;
      const body = Buffer.concat(chunks);
      void send(request.method ?? '', new URL(request.url ?? '/', platform).href, {
        headers: { authorization, ...(type !== undefined && { 'content-type': type }) },
        ...(body.length > 0 && { body: body.toString('utf8') }),
      }).then(({ headers, status, text }) => {
        if (strikes?.moment === 'unanswered') {
          kill();
          request.socket.destroy();
          return;
        }
        const { 'content-length': _length, 'transfer-encoding': _coding, connection: _connection, ...rest } = headers;
        response.writeHead(status, rest as Record<string, string>).end(text, kill);
      });
    });
  });
  address = `http://127.0.0.1:${await listenOnLoopback(proxy)}/v3`;
});
afterEach(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await home.close();
});

/** Runs the built program; returns its exit code, or null if it was killed. */
function run(file: string, resume: boolean, at?: number, moment: Moment = 'before'): Promise<number | null> {
  const flags = ['--regulation', 'gdpr', '--type', 'access', '--concurrency', '2', '--yes', '-q'];
  const child = spawn(
    process.execPath,
    [PROGRAM, 'dsr', 'submit', '--bulk', file, ...flags, ...(resume ? ['--resume'] : [])],
    {
      cwd: home.cwd,
      env: { PATH: process.env.PATH, ...home.env, CDPADM_DSR_BASE_URL: address },
      stdio: 'ignore',
    },
  );
  trap = at === undefined ? undefined : { at, moment, child };
  return new Promise((resolve) => child.on('close', (code) => resolve(code)));
}

function filesOfState(): string[] {
  const folder = home.env.CDPADM_STATE_DIR ?? '';
  return (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

it.each(MOMENTS)(
  'never loses or repeats a row when a bulk run and its resumption are killed at a request (moment: %s)',
  async (moment) => {
    for (let at = STEP === 1 ? 1 : MOMENTS.indexOf(moment) + 1; at <= ROWS; at += STEP) {
      const file = `${moment}${at}.csv`;
      const rows = Array.from({ length: ROWS }, (_, row) => `${moment}${at}-${row}@example.com,${moment}${at}`);
      home.write(file, `email,group_id\n${rows.join('\n')}\n`);
      expect(await run(file, false, at, moment)).toBeNull();
      // The resumption is killed at another request; if it sends fewer requests, it simply finishes.
      const again = await run(file, true, ((at * 5) % ROWS) + 1, MOMENTS[at % 3]);
      if (again !== 0) expect(await run(file, true)).toBe(0);
      const { data } = await home.json<{ subject_request_id: string }[]>(`dsr list --group-id ${moment}${at}`);
      const lines = home.read(`${file}.results.csv`).trimEnd().split('\n').slice(1);
      const ids = lines.map((line) => line.split(',')[2] ?? '');
      expect(lines.every((line) => line.includes(',submitted,'))).toBe(true);
      expect(data.map(({ subject_request_id: id }) => id).sort()).toEqual([...ids].sort());
      expect(new Set(ids).size).toBe(ROWS);
    }
    const files = filesOfState();
    // No lock or temporary file is left, and every line of every file is complete.
    expect(files.filter((path) => /\.lock|\.dead$/.test(path) || isStrayed(path))).toEqual([]);
    for (const path of files.filter((name) => name.endsWith('.ndjson'))) {
      for (const line of readFileSync(path, 'utf8').trimEnd().split('\n'))
        expect(() => JSON.parse(line) as unknown).not.toThrow();
    }
  },
);

it('does not send a row whose id cannot be saved on a full disk, and resumes once there is space', async () => {
  const rows = Array.from({ length: 1200 }, (_, row) => `p${row}@example.com,g${Math.floor(row / 150)}`);
  home.write('people.csv', `email,group_id\n${rows.join('\n')}\n`);
  const command = [PROGRAM, 'dsr', 'submit', '--bulk', 'people.csv', '--regulation', 'gdpr', '--type', 'access', '-y'];
  /** Runs the command with files limited to this many blocks of 512 or 1024 bytes, depending on the shell. */
  const runWithin = (blocks: string, ...more: string[]): Promise<{ code: number | null; stderr: string }> => {
    const limited = `ulimit -f ${blocks}; exec "$@"`;
    const child = spawn('/bin/sh', ['-c', limited, 'sh', process.execPath, ...command, ...more], {
      cwd: home.cwd,
      env: { PATH: process.env.PATH, ...home.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, stderr })));
  };
  const sent = () => home.received('POST', '/v3/requests');

  const none = await runWithin('8');
  expect([none.code, none.stderr.includes('--resume'), await sent()]).toEqual([1, true, 0]);
  // The disk has enough space for the ids, but not for all ledger entries.
  const some = await runWithin('200', '--resume');
  expect([some.code, some.stderr.includes('--resume')]).toEqual([1, true]);
  const journal = filesOfState().find((path) => /bulk.*\.ndjson$/.test(path)) ?? '';
  const planned = readFileSync(journal, 'utf8').match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [];
  expect(await sent()).toBeLessThanOrEqual(new Set(planned).size);
  expect(await runWithin('unlimited', '--resume')).toMatchObject({ code: 0 });
  let held = 0;
  for (let group = 0; group < 8; group++)
    held += (await home.json<unknown[]>(`dsr list --group-id g${group}`)).data.length;
  expect([held, await sent()]).toEqual([1200, 1200]);
});

it(
  'keeps every state that a killed listener acknowledged',
  async () => {
    const received: { body: string; headers: Record<string, string> }[] = [];
    const receiver = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const headers = Object.entries(request.headers).filter(([name]) => name.startsWith('x-opendsr'));
        received.push({ body, headers: Object.fromEntries(headers) as Record<string, string> });
        response.writeHead(202).end();
      });
    });
    const url = `http://127.0.0.1:${await listenOnLoopback(receiver)}/`;
    home.write('people.csv', `email\n${Array.from({ length: 60 }, (_, row) => `p${row}@example.com`).join('\n')}\n`);
    const flags = ['--regulation', 'gdpr', '--type', 'access', '--yes', '--callback-url', url];
    expect((await home.run(['dsr', 'submit', '--bulk', 'people.csv', ...flags])).code).toBe(0);
    await home.platform.api.advance('1d');
    await home.platform.api.flushCallbacks();
    receiver.close();
    const callbacks = received.filter(({ body }) => body.includes('in_progress'));
    expect(callbacks).toHaveLength(60);

    const acknowledged: string[] = [];
    for (let killAt = 10; killAt <= 50; killAt += size(10, 20)) {
      const child = spawn(process.execPath, [PROGRAM, 'dsr', 'callbacks', 'listen', '--port', '0', '-o', 'json'], {
        env: { PATH: process.env.PATH, ...home.env },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const ended = new Promise((resolve) => child.on('close', resolve));
      const listener = await new Promise<string>((resolve) => {
        child.stdout.once('data', (text: Buffer) =>
          resolve((JSON.parse(text.toString().split('\n')[0] ?? '') as { callback_url: string }).callback_url),
        );
      });
      child.stdout.resume();
      const open = callbacks.slice(acknowledged.length);
      const lane = async (): Promise<void> => {
        for (let next = open.shift(); next; next = open.shift()) {
          const status = await send('POST', listener, next).then(
            (answer) => answer.status,
            () => 0,
          );
          if (status !== 202) return;
          acknowledged.push((JSON.parse(next.body) as { subject_request_id: string }).subject_request_id);
          if (acknowledged.length >= killAt) child.kill('SIGKILL');
        }
      };
      await Promise.all([lane(), lane(), lane(), lane()]);
      await ended;
      const { data } = await home.json<{ id: string; states: { status: string }[] }[]>('dsr ledger export');
      const stored = new Set(
        data.filter(({ states }) => states.some(({ status }) => status === 'in_progress')).map(({ id }) => id),
      );
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(50);
  },
  5 * MINUTES,
);
