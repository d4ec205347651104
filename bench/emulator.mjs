// The embedded platform under load, beside bare servers: 80 % reads and 20 % writes over 16 connections. The bare ones
// answer as many bytes and look at nothing: one of the library that finds the platform's routes, with its own server, and
// one of Node alone, which is what the platform listens with.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';

const CONNECTIONS = 16;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const GROUP = '/platform/workspaces/3001/groups/household';
const ATTRIBUTES = JSON.stringify({ attributes: [{ id: 'points', type: 'sum' }] });

const self = fileURLToPath(import.meta.url);
const program = fileURLToPath(new URL('../bin/cdpadm.js', import.meta.url));

/** @typedef {import('../src/lib/emulator/embedding.ts').EmulatorReady} Ready */
/** @typedef {{url: string, headers: Record<string, string>, stop: () => void}} Served */

/** @param {string[]} args @param {Record<string, string>} env */
async function serve(args, env = {}) {
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const ready = /** @type {Ready} */ (JSON.parse(String(line)));
  return { ready, stop: () => child.kill() };
}

/** @param {string} kind @returns {Promise<Served>} */
async function serveBare(kind) {
  const { ready, stop } = await serve([self, kind]);
  return { url: ready.base_url, headers: {}, stop };
}

/** @param {string} folder @returns {Promise<Served>} */
async function servePlatform(folder) {
  const { ready, stop } = await serve([program, 'emulator', 'start', '--memory', '--port', '0', '-o', 'json'], {
    CDPADM_CONFIG_DIR: folder,
    CDPADM_STATE_DIR: folder,
    CDPADM_CACHE_DIR: folder,
    CDPADM_DATA_DIR: folder,
  });
  const pool = new Pool(ready.base_url);
  const json = { 'content-type': 'application/json' };
  const { body } = await pool.request({
    method: 'POST',
    path: '/oauth/token',
    headers: json,
    body: JSON.stringify({
      client_id: ready.client_id,
      client_secret: ready.client_secret,
      audience: ready.base_url,
      grant_type: 'client_credentials',
    }),
  });
  const { access_token } = /** @type {{access_token: string}} */ (await body.json());
  const headers = { ...json, authorization: `Bearer ${access_token}` };
  const group = { id: 'household', source_user_attribute: 'address', attributes: [{ id: 'points', type: 'sum' }] };
  const made = await pool.request({
    method: 'POST',
    path: '/platform/workspaces/3001/groups/',
    headers,
    body: JSON.stringify(group),
  });
  if (made.statusCode !== 200) throw new Error(`the group was not made: ${await made.body.text()}`);
  await made.body.dump();
  await pool.close();
  return { url: ready.base_url, headers, stop };
}

/** Requests a second; every answer is a 200. @param {Served} served */
async function load({ url, headers }) {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const end = performance.now() + SECONDS * 1000;
  let done = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, lane) => {
      for (let turn = lane; performance.now() < end; turn += 1) {
        const { statusCode, body } =
          turn % 5 === 0
            ? await pool.request({ method: 'PATCH', path: GROUP, headers, body: ATTRIBUTES })
            : await pool.request({ method: 'GET', path: GROUP, headers });
        const text = await body.text();
        if (statusCode !== 200) throw new Error(`${String(statusCode)}: ${text}`);
        done += 1;
      }
    }),
  );
  await pool.close();
  return done / SECONDS;
}

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

async function bench() {
  const folder = mkdtempSync(join(tmpdir(), 'cdpadm-bench-'));
  /** @type {Record<string, Served>} */
  const servers = {};
  try {
    servers.platform = await servePlatform(folder);
    servers.hono = await serveBare('hono');
    servers.node = await serveBare('node');
    /** @type {Record<string, number[]>} */
    const rates = { platform: [], hono: [], node: [] };
    // The first round warms up and is not counted.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [name, served] of Object.entries(servers)) {
        const rate = await load(served);
        if (round > 0) rates[name]?.push(rate);
      }
    }
    const [platform, hono, node] = [rates.platform, rates.hono, rates.node].map((values) => median(values ?? []));
    process.stdout.write(
      [
        `emulator          ${platform?.toFixed(0)} requests/s`,
        `bare, Hono        ${hono?.toFixed(0)} requests/s; ratio ${((platform ?? 0) / (hono ?? 1)).toFixed(2)}`,
        `bare, Node alone  ${node?.toFixed(0)} requests/s; ratio ${((platform ?? 0) / (node ?? 1)).toFixed(2)}`,
        '',
      ].join('\n'),
    );
  } finally {
    for (const { stop } of Object.values(servers)) stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const ANSWER = {
  id: 'household',
  description: '',
  source_user_attribute: 'address',
  attributes: [{ id: 'points', type: 'sum' }],
  created_on: '2026-01-01T00:00:00.000Z',
  created_by: 'someone@example.com',
  last_modified_on: '2026-01-01T00:00:00.000Z',
  last_modified_by: 'someone@example.com',
};

/** @param {number} port */
const announce = (port) => process.stdout.write(`${JSON.stringify({ base_url: `http://127.0.0.1:${port}` })}\n`);

async function bareHono() {
  const [{ Hono }, { serve: listen }] = await Promise.all([import('hono'), import('@hono/node-server')]);
  const app = new Hono({ strict: false });
  app.get('/platform/workspaces/:workspace/groups/:group', (context) => context.json(ANSWER));
  app.patch('/platform/workspaces/:workspace/groups/:group', async (context) => {
    await context.req.json();
    return context.json(ANSWER);
  });
  listen({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => announce(port));
}

function bareNode() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ANSWER));
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address) announce(address.port);
  });
}

const kind = process.argv[2];
if (kind === 'hono') await bareHono();
else if (kind === 'node') bareNode();
else await bench();
if (kind !== undefined) process.stdin.resume().on('end', () => process.exit());
