// Measures how long the receiver takes to handle a genuine callback with a cached certificate (four checks and a ledger
// lookup), and a forged callback, which the last check rejects. Compares these times, in interleaved rounds, with those
// of a bare server that returns 202. Also measures the four checks alone, without the network and the ledger; the
// guarantee applies to the 99th percentile of the time that these checks take.
import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, createServer, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const program = fileURLToPath(new URL('../bin/cdpadm.js', import.meta.url));
const CALLBACKS = 500;

/** @typedef {{ headers: Record<string, string>, body: Buffer }} Callback */

/** @type {(() => Promise<unknown>)[]} */
const ends = [];

/** @param {{ rounds: number | undefined }} options @returns {Promise<import('./figures.mjs').Section>} */
export async function measureCallbacks({ rounds = 5 }) {
  const folder = await mkdtemp(join(tmpdir(), 'cdpadm-bench-'));
  try {
    return await measure(folder, rounds);
  } finally {
    await Promise.all(ends.map((end) => end()));
    await rm(folder, { recursive: true });
  }
}

/** @param {string} folder @param {number} rounds @returns {Promise<import('./figures.mjs').Section>} */
async function measure(folder, rounds) {
  /** @type {Record<string, string>} */
  const dirs = Object.fromEntries(
    ['CONFIG', 'STATE', 'CACHE', 'DATA'].map((kind) => [`CDPADM_${kind}_DIR`, join(folder, kind)]),
  );
  const platform = await serve(['emulator', 'start', '--memory', '--port', '0', '-o', 'json'], dirs);
  const env = {
    ...dirs,
    CDPADM_BASE_URL: platform['base_url'] ?? '',
    CDPADM_DSR_BASE_URL: platform['dsr_base_url'] ?? '',
    CDPADM_VENDOR_DOMAIN: platform['vendor_domain'] ?? '',
    CDPADM_WORKSPACE_ID: String(platform['workspace_id']),
    CDPADM_WORKSPACE_KEY: platform['workspace_key'] ?? '',
    CDPADM_WORKSPACE_SECRET: platform['workspace_secret'] ?? '',
    CDPADM_CA_FILE: platform['ca_file'] ?? '',
  };
  /** @type {Callback[]} */
  const kept = [];
  const bare = await listen((callback) => void kept.push(callback));
  const request = ['--regulation', 'gdpr', '--type', 'access', '--identity', 'email=a@example.com', '--yes', '-q'];
  await run(['dsr', 'submit', ...request, '--callback-url', bare], env);
  const move = Buffer.from('{"advance":"20m"}');
  await post(`${platform['control_url']}/clock`, { headers: { 'content-type': 'application/json' }, body: move });
  await post(`${platform['control_url']}/callbacks/flush`, { headers: {}, body: Buffer.alloc(0) });
  const genuine = kept.at(-1);
  if (!genuine) throw new Error('the platform did not send a callback');
  const listener = await serve(['dsr', 'callbacks', 'listen', '--port', '0', '-o', 'json'], env);
  const ours = listener['callback_url'] ?? '';
  // The fourth check rejects this callback, so the ledger is not used.
  const forged = { ...genuine, body: Buffer.concat([genuine.body, Buffer.from(' ')]) };
  const check = await checker(env, folder);
  /** @type {Record<'genuine' | 'forged' | 'bare' | 'checks', number[]>} */
  const took = { genuine: [], forged: [], bare: [], checks: [] };
  for (let round = 0; round <= rounds; round += 1) {
    // The first round fetches the certificate and is not counted.
    const counts = round === 0 ? 50 : CALLBACKS;
    const times = {
      genuine: await timeEach(ours, genuine, counts, 202),
      forged: await timeEach(ours, forged, counts, 401),
      bare: await timeEach(bare, genuine, counts, 202),
      checks: await timeChecks(check, genuine, counts),
    };
    if (round === 0) continue;
    for (const kind of /** @type {const} */ (['genuine', 'forged', 'bare', 'checks'])) took[kind].push(...times[kind]);
  }
  const plain = Object.entries(took).map(
    ([kind, times]) => `${kind} ${at(times, 0.5).toFixed(2)} ms (${at(times, 0.99).toFixed(2)})`,
  );
  return {
    title: 'Callbacks',
    method: `Medians of ${took.genuine.length.toLocaleString('en')} calls each, one after another, with the 99th percentile in parentheses: the response times for genuine and forged callbacks, the response time of a bare server, and the time of the checks alone.`,
    results: [{ id: 'callbackChecks', value: at(took.checks, 0.99), plain: plain.join(', ') }],
  };
}

/**
 * @param {string[]} args
 * @param {Record<string, string>} env
 * @returns {Promise<Record<string, string>>} the parsed line that the command prints when it is ready
 */
async function serve(args, env) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  ends.push(() => {
    const ended = once(child, 'close');
    child.kill();
    return ended;
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, 'line');
  const ready = /** @type {Record<string, string>} */ (JSON.parse(String(line)));
  return ready;
}

/** @param {string[]} args @param {Record<string, string>} env */
async function run(args, env) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`cdpadm ${args.slice(0, 2).join(' ')} exited with ${code}`);
}

/** @param {(callback: Callback) => void} take @returns {Promise<string>} the address of a server that returns 202 */
async function listen(take) {
  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const wanted = Object.entries(request.headers).filter(([name]) => /^(x-opendsr|content-type)/.test(name));
      take({
        headers: Object.fromEntries(wanted.map(([name, text]) => [name, String(text)])),
        body: Buffer.concat(chunks),
      });
      response.writeHead(202).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    const ended = once(server, 'close');
    server.close();
    server.closeAllConnections();
    return ended;
  });
  return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`;
}

/** @param {string} url @param {Callback} callback @param {Agent | false} agent @returns {Promise<number | undefined>} */
function post(url, { headers, body }, agent = false) {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } });
    sent.on('error', reject);
    sent.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode)));
    sent.end(body);
  });
}

/** @param {string} url @param {Callback} callback @param {number} count @param {number} wanted */
async function timeEach(url, callback, count, wanted) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times = [];
  for (let index = 0; index < count; index += 1) {
    const begun = performance.now();
    const status = await post(url, callback, agent);
    times.push(performance.now() - begun);
    if (status !== wanted) throw new Error(`unexpected status ${status}`);
  }
  agent.destroy();
  return times;
}

/**
 * Returns a function that runs the program's own four checks with a cached certificate.
 * @param {Record<string, string>} env @param {string} into
 * @returns {Promise<(callback: Callback) => Promise<boolean>>}
 */
async function checker(env, into) {
  const source = (/** @type {string} */ path) => fileURLToPath(new URL(`../src/lib/${path}`, import.meta.url));
  const build = await rolldown({
    input: { verify: source('workflows/verify-message.ts'), certificate: source('domain/callbacks/certificate.ts') },
    platform: 'node',
  });
  await build.write({ dir: into, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
  await build.close();
  const load = (/** @type {string} */ name) =>
    /** @type {Promise<unknown>} */ (import(pathToFileURL(join(into, name)).href));
  const { createMessageVerifier } = /** @type {typeof import('../src/lib/workflows/verify-message.ts')} */ (
    await load('verify.mjs')
  );
  const { indexRoots } = /** @type {typeof import('../src/lib/domain/callbacks/certificate.ts')} */ (
    await load('certificate.mjs')
  );
  const basic = Buffer.from(`${env['CDPADM_WORKSPACE_KEY']}:${env['CDPADM_WORKSPACE_SECRET']}`).toString('base64');
  const discovery = await fetch(`${env['CDPADM_DSR_BASE_URL']}/discovery/`, {
    headers: { authorization: `Basic ${basic}` },
  });
  const { processor_certificate: url } = /** @type {{ processor_certificate: string }} */ (await discovery.json());
  const certificate = { url, pem: await (await fetch(url)).text(), cached: true };
  const roots = indexRoots([new X509Certificate(await readFile(env['CDPADM_CA_FILE'] ?? ''))]);
  const verify = createMessageVerifier({
    allow: ['opendsr.platform.example'],
    certificates: {
      get: () => Promise.resolve(certificate),
      refresh: () => Promise.resolve(undefined),
      from: () => url,
    },
    roots: () => Promise.resolve(roots),
    clock: { now: () => Date.now(), sleep: () => Promise.reject(new Error('unexpected sleep')) },
  });
  return async ({ headers, body }) => {
    const { valid } = await verify(Object.entries(headers), body);
    return valid;
  };
}

/** @param {(callback: Callback) => Promise<boolean>} check @param {Callback} callback @param {number} count */
async function timeChecks(check, callback, count) {
  const times = [];
  for (let index = 0; index < count; index += 1) {
    const begun = performance.now();
    const isValid = await check(callback);
    times.push(performance.now() - begun);
    if (!isValid) throw new Error('a genuine callback was rejected');
  }
  return times;
}

/** @param {number[]} times @param {number} share */
function at(times, share) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
