// Compares the throughput of the embedded platform with that of bare servers, at 80% reads and 20% writes over 16
// connections. The bare servers return as many bytes, but without checking anything. One uses the platform's router
// with that router's own server, and the other uses Node's server, as the platform does.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { median } from './measure.mjs';
import { serve, startPlatform } from './serve.mjs';

const CONNECTIONS = 16;
const SECONDS = 3;
const STARTS = 7;
const GROUP = '/platform/workspaces/3001/groups/household';
const ATTRIBUTES = JSON.stringify({ attributes: [{ id: 'points', type: 'sum' }] });

const bare = fileURLToPath(new URL('bare.mjs', import.meta.url));

/** @typedef {import('./serve.mjs').Ready} Ready */
/** @typedef {{url: string, headers: Record<string, string>, stop: () => Promise<void>}} Served */

/** @param {string} kind @returns {Promise<Served>} */
async function serveBare(kind) {
  const { ready, stop } = await serve([bare, kind]);
  return { url: ready.base_url, headers: {}, stop };
}

/** @param {string} folder @returns {Promise<Served>} */
async function servePlatform(folder) {
  const { ready, stop } = await startPlatform(folder);
  const pool = new Pool(ready.base_url);
  const headers = await makeGroup(ready, pool);
  await pool.close();
  return { url: ready.base_url, headers, stop };
}

/**
 * Creates the group that all measurements use, and returns the headers for the calls.
 * @param {Ready} ready @param {Pool} pool
 */
async function makeGroup(ready, pool) {
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
  if (made.statusCode !== 200) throw new Error(`the group was not created: ${await made.body.text()}`);
  await made.body.dump();
  return headers;
}

/** Returns the requests per second; every response must be a 200. @param {Served} served */
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

const PEOPLE = 10_000;
const PER_BATCH = 500;

/**
 * Returns the median time to take and restore a snapshot, in milliseconds.
 * @param {Pool} control @param {string} path
 */
async function saveState(control, path) {
  const post = async (/** @type {string} */ name, /** @type {object} */ body) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await control.request({ method: 'POST', path: path + name, headers, body: JSON.stringify(body) });
    if (reply.statusCode >= 300) throw new Error(await reply.body.text());
    return /** @type {object} */ (await reply.body.json());
  };
  const times = [];
  for (let turn = 0; turn < STARTS; turn += 1) {
    const begun = performance.now();
    await post('/snapshots/restore', await post('/snapshots', {}));
    times.push(performance.now() - begun);
  }
  return median(times);
}

/**
 * Advances the clock by a year on a platform with people and a group. Returns how many seconds this takes, and how many
 * milliseconds the slowest control request takes. Also measures snapshots with and without those people.
 * @param {string} folder
 */
async function passYear(folder) {
  const { ready, stop } = await startPlatform(folder);
  const pool = new Pool(ready.base_url);
  const json = { 'content-type': 'application/json' };
  const ok = async (/** @type {import('undici').Dispatcher.RequestOptions} */ call) => {
    const { statusCode, body } = await pool.request(call);
    const text = await body.text();
    if (statusCode >= 300) throw new Error(`${String(statusCode)}: ${text}`);
    return text;
  };
  const basic = Buffer.from(`${ready.workspace_key}:${ready.workspace_secret}`).toString('base64');
  const control = new Pool(ready.base_url, { connections: 1 });
  const path = new URL(ready.control_url).pathname;
  const empty = await saveState(control, path);
  for (let first = 0; first < PEOPLE; first += PER_BATCH) {
    const users = Array.from({ length: PER_BATCH }, (_, index) => ({
      environment: 'production',
      identities: { customer_id: `c${first + index}` },
      calculated_attributes: {},
      user_attributes: {
        [ready.workspace_id]: [
          { attribute_name: 'address', attribute_value: `a${Math.floor((first + index) / 4)}` },
          { attribute_name: 'points', attribute_value: String(index) },
        ],
      },
    }));
    const headers = { ...json, authorization: `Basic ${basic}` };
    await ok({ method: 'POST', path: '/v2/bulkcalculatedattributes', headers, body: JSON.stringify(users) });
  }
  const full = await saveState(control, path);
  await makeGroup(ready, pool);
  const begun = performance.now();
  const over = new AbortController();
  const advancing = ok({
    method: 'POST',
    path: `${path}/clock`,
    headers: json,
    body: JSON.stringify({ advance: '365d' }),
  }).finally(() => over.abort());
  let slowest = 0;
  while (!over.signal.aborted) {
    const asked = performance.now();
    const { body } = await control.request({ method: 'GET', path: `${path}/clock` });
    await body.dump();
    slowest = Math.max(slowest, performance.now() - asked);
  }
  await advancing;
  const seconds = (performance.now() - begun) / 1000;
  await Promise.all([pool.close(), control.close()]);
  await stop();
  return { seconds, slowest, empty, full };
}

/** @param {{ rounds: number | undefined }} options @returns {Promise<import('./figures.mjs').Section>} */
export async function measureEmulator({ rounds = 3 }) {
  const folder = mkdtempSync(join(tmpdir(), 'cdpadm-bench-'));
  /** @type {Served[]} */
  const served = [];
  /** @type {Record<'platform' | 'hono' | 'node', number[]>} */
  const rates = { platform: [], hono: [], node: [] };
  /** @type {number[]} */
  const ready = [];
  /** @type {Awaited<ReturnType<typeof passYear>>[]} */
  const years = [];
  try {
    // The first start creates the certificates and is not counted.
    for (let start = 0; start <= STARTS; start += 1) {
      const begun = performance.now();
      const { stop } = await startPlatform(folder);
      if (start > 0) ready.push(performance.now() - begun);
      await stop();
    }
    for (let round = 0; round < rounds; round += 1) years.push(await passYear(folder));
    const servers = {
      platform: await servePlatform(folder),
      hono: await serveBare('hono'),
      node: await serveBare('node'),
    };
    served.push(...Object.values(servers));
    const names = /** @type {const} */ (['platform', 'hono', 'node']);
    // The first round is a warm-up and is not counted.
    for (let round = 0; round <= rounds; round += 1) {
      for (const name of names) {
        const rate = await load(servers[name]);
        if (round > 0) rates[name].push(rate);
      }
    }
  } finally {
    for (const { stop } of served) await stop();
    rmSync(folder, { recursive: true });
  }
  const { platform, hono, node } = {
    platform: median(rates.platform),
    hono: median(rates.hono),
    node: median(rates.node),
  };
  const count = (/** @type {number} */ rate) => Math.round(rate).toLocaleString('en');
  return {
    title: 'The embedded platform',
    method: `80% reads and 20% writes over ${CONNECTIONS} connections, for ${SECONDS} s each; medians of ${rounds} interleaved rounds. The start time is the median of ${STARTS} starts.`,
    results: [
      {
        id: 'emulatorRate',
        value: platform / hono,
        plain: `${count(platform)} requests/s vs. ${count(hono)}; only Node: ${count(node)}`,
      },
      { id: 'emulatorReady', value: median(ready), plain: '' },
      { id: 'emulatorYear', value: median(years.map(({ seconds }) => seconds)), plain: '' },
      { id: 'emulatorControl', value: median(years.map(({ slowest }) => slowest)), plain: '' },
      { id: 'emulatorSnapshot', value: median(years.map(({ empty }) => empty)), plain: '' },
      { id: 'emulatorSnapshotFull', value: median(years.map(({ full }) => full)), plain: '' },
    ],
  };
}
