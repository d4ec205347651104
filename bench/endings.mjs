// Measures how quickly a command exits after its own timeout, and after Ctrl-C while the platform does not respond.
// The slowest round is reported.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../bin/cdpadm.js', import.meta.url));
const LIMIT_MS = 1000;
const EVENT = {
  environment: 'development',
  events: [{ event_type: 'custom_event', data: { event_name: 'x', custom_event_type: 'other' } }],
  user_identities: { customer_id: 'a' },
};
const USER = '{"environment":"production","xpid":7,"calculated_attributes":{}}\n';

/** @param {{ rounds: number | undefined }} options @returns {Promise<import('./figures.mjs').Section>} */
export async function measureEndings({ rounds = 7 }) {
  const folder = await mkdtemp(join(tmpdir(), 'cdpadm-bench-'));
  await writeFile(join(folder, 'event.json'), JSON.stringify(EVENT));
  await writeFile(join(folder, 'users.ndjson'), USER.repeat(20_000));
  /** @type {() => void} */
  let onRequest = () => undefined;
  const server = createServer((request, response) => {
    if (request.url === '/oauth/token') {
      response.setHeader('content-type', 'application/json');
      response.end('{"access_token":"token","token_type":"Bearer","expires_in":28800}');
    } else onRequest();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address?.port}`;
  const env = {
    PATH: process.env.PATH ?? '',
    ...Object.fromEntries(['CONFIG', 'CACHE', 'DATA'].map((kind) => [`CDPADM_${kind}_DIR`, join(folder, kind)])),
    ...Object.fromEntries(['BASE', 'AUTH', 'EVENTS', 'SEEDING'].map((kind) => [`CDPADM_${kind}_URL`, url])),
    ...{ CDPADM_ORG_ID: '1', CDPADM_ACCOUNT_ID: '2', CDPADM_WORKSPACE_ID: '3', CDPADM_ENVIRONMENT: 'production' },
    ...{ CDPADM_CLIENT_ID: 'bench', CDPADM_CLIENT_SECRET: 'bench-secret' },
    ...{ CDPADM_WORKSPACE_KEY: 'k', CDPADM_WORKSPACE_SECRET: 's-of-the-bench' },
  };

  /**
   * @param {string[]} args
   * @param {boolean} isStopped whether to stop the command with Ctrl-C at its first request
   * @returns {Promise<number>} milliseconds to the exit, from Ctrl-C or, without Ctrl-C, from the first request
   */
  async function ending(args, isStopped) {
    // Each run needs a new folder; otherwise, it would resume the previous run.
    const fresh = { ...env, CDPADM_STATE_DIR: await mkdtemp(join(folder, 'state-')) };
    const child = spawn(process.execPath, [program, ...args], { cwd: folder, env: fresh, stdio: 'ignore' });
    const ended = once(child, 'close');
    const asked = new Promise((resolve) => (onRequest = () => resolve(undefined)));
    await Promise.race([asked, ended]);
    const from = performance.now();
    if (isStopped) child.kill('SIGINT');
    const [code] = await ended;
    const expected = isStopped ? 130 : 8;
    if (code !== expected) throw new Error(`cdpadm ${args.join(' ')} exited with ${code} instead of ${expected}`);
    return performance.now() - from;
  }

  const cases = {
    stopRead: () => ending(['roles', 'list'], true),
    stopWrite: () => ending(['intake', 'event', '-f', 'event.json', '--yes'], true),
    stopBulk: () => ending(['seed', 'bulk', 'users.ndjson', '--yes'], true),
    hang: async () => {
      const limits = ['--request-timeout', `${LIMIT_MS}ms`, '--retries', '0'];
      return (await ending(['roles', 'list', ...limits], false)) - LIMIT_MS;
    },
  };
  /** @type {Record<keyof typeof cases, number[]>} */
  const took = { stopRead: [], stopWrite: [], stopBulk: [], hang: [] };
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const name of /** @type {(keyof typeof cases)[]} */ (Object.keys(cases)))
        took[name].push(await cases[name]());
    }
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  }
  return {
    title: 'Exit times',
    method: `The platform accepts a request and does not respond. Each time is that of the slowest of ${rounds} rounds.`,
    results: /** @type {(keyof typeof cases)[]} */ (Object.keys(cases)).map((id) => ({
      id,
      value: Math.max(...took[id]),
      plain: id === 'hang' ? `after a timeout of ${LIMIT_MS} ms` : 'from SIGINT to exit',
    })),
  };
}
