// Runs, on a real Redis server, the script that shares a rate among processes.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { RATE_SCRIPT } from '../../src/lib/bulk/rate-store.ts';
import { openRateStore, type RateStore } from '../../src/lib/bulk/rate-store.ts';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { createCliHome } from '../helpers/cli.ts';
import { startTestEmulator } from '../helpers/emulator.ts';
import { root } from '../helpers/root.ts';
import { makeCertificate } from '../helpers/certificate.ts';
import { listenOnLoopback } from '../helpers/loopback.ts';

const BIN = join(root, 'bin/cdpadm.js');

/** A server user with a password; without such a user, the server allows everything. */
const USER = ['--user', 'shard', 'on', '>open-sesame', '~*', '+@all'];

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) process.stderr.write('redis-server is not installed: the shared rate is not tested against it.\n');

test('prints why the built program cannot use a store', async () => {
  const platform = await startTestEmulator();
  const home = createCliHome();
  onTestFinished(async () => {
    await platform.close();
    home.remove();
  });
  const env = { ...home.env, ...environmentOf(platform.ready) };
  const run = async (line: string): Promise<string> => {
    const child = spawn(process.execPath, [BIN, ...line.split(' ')], { cwd: home.cwd, env });
    let text = '';
    child.stderr.on('data', (part) => (text += String(part)));
    child.stdout.on('data', (part) => (text += String(part)));
    expect(await once(child, 'close')).toEqual([0, null]);
    return text;
  };
  writeFileSync(join(home.cwd, 'users.ndjson'), await run('seed template --format ndjson'));
  // Nothing listens on port 1.
  const said = await run('seed bulk users.ndjson --shard 1/1 --rate 10 --rate-store redis://127.0.0.1:1 --yes');
  expect(said).toContain(
    'The rate store 127.0.0.1:1 cannot be used: connect ECONNREFUSED 127.0.0.1:1. This shard continues',
  );
});

test('keeps the script under 60 lines', () => {
  expect(RATE_SCRIPT.trim().split('\n').length).toBeLessThan(60);
});

describe.skipIf(!hasRedis)('with redis-server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cdpadm-redis-'));
  const socket = join(folder, 'redis.sock');
  let server: ChildProcess;
  const stores: RateStore[] = [];
  beforeAll(async () => {
    // Redis cannot choose a free port; a socket in a private folder needs no port.
    server = spawn('redis-server', ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', folder, ...USER]);
    for await (const text of server.stdout as AsyncIterable<Buffer>) if (String(text).includes('eady to accept')) break;
  });
  afterAll(async () => {
    for (const store of stores) store.close();
    const closed = once(server, 'close');
    server.kill();
    await closed;
    rmSync(folder, { recursive: true });
  });

  async function open(name: string, rate?: number): Promise<RateStore> {
    const store = await openRateStore(new URL(`redis+unix:${socket}`), [name], rate, undefined);
    stores.push(store);
    return store;
  }

  test('shares the rate among all processes with the same limit, but not across limits', async () => {
    const [a, b] = [await open('together', 10), await open('together', 10)];
    const first = await a.take(20);
    expect(first).toEqual({ inMs: 0, everyMs: 101 });
    // The 20 requests, sent 101 ms apart, fill about two seconds.
    const second = await b.take(1);
    expect(second.inMs).toBeGreaterThan(1000);
    expect(second.inMs).toBeLessThanOrEqual(2020);
    expect((await b.take(1)).inMs - second.inMs).toBeLessThanOrEqual(101);
    expect((await (await open('other', 10)).take(1)).inMs).toBe(0);
  });

  test('pauses all processes for as long as the platform requested', async () => {
    const [a, b] = [await open('paused', 100), await open('paused', 100)];
    await a.take(1);
    await a.limited(0, 60_000);
    const { inMs } = await b.take(1);
    expect(inMs).toBeGreaterThan(30_000);
    expect(inMs).toBeLessThanOrEqual(60_000);
  });

  test('shares a learned rate with all processes, and does not reduce a configured rate that was reached', async () => {
    const [a, b] = [await open('learned'), await open('learned')];
    expect(await a.take(50)).toEqual({ inMs: 0, everyMs: 0 });
    await a.limited(0, 0);
    // The learned rate is 97% of the 50 requests counted in this second, or less if a new second has begun.
    expect((await b.take(1)).everyMs).toBeGreaterThan(20);

    const [c, d] = [await open('known', 50), await open('known', 50)];
    await c.take(50);
    await c.limited(0, 0);
    expect((await d.take(1)).everyMs).toBeCloseTo(20.2);
  });

  test('rejects requests while the server is down', async () => {
    const store = await openRateStore(new URL('redis://127.0.0.1:1'), ['gone'], 10, undefined);
    stores.push(store);
    await expect(store.take(1)).rejects.toThrow('ECONNREFUSED');
  });

  test('requires the certificate authority and the password of an encrypted server', async () => {
    const { cert, key } = makeCertificate();
    const secure = createServer({ cert, key }, (client) => {
      const plain = connect(socket);
      client.on('error', () => plain.destroy());
      client.pipe(plain).pipe(client);
    });
    const port = await listenOnLoopback(secure);
    const take = async (password: string, ca?: string[]): Promise<unknown> => {
      const store = await openRateStore(new URL(`rediss://shard:${password}@localhost:${port}`), ['tls'], 10, ca);
      stores.push(store);
      return await store.take(1);
    };
    expect(await take('open-sesame', [cert])).toMatchObject({ inMs: 0 });
    await expect(take('open-sesame')).rejects.toThrow('self-signed certificate');
    await expect(take('swordfish', [cert])).rejects.toThrow('WRONGPASS');
    secure.close();
  });
});
