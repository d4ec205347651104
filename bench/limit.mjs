// Measures how closely a bulk run approaches the platform's rate limit: first with the limit in `--rate`, then with a
// limit that the run must discover.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './measure.mjs';

const program = fileURLToPath(new URL('../bin/cdpadm.js', import.meta.url));
/** Maximum number of requests that the server accepts in any one-second window. Real services have such limits. */
const LIMIT = 50;
const LATENCY_MS = 300;
/**
 * A run with a known limit respects it from the start. A run that must discover the limit exceeds it a few times at
 * first, so it sends more requests.
 */
const KNOWN_REQUESTS = 2000;
const FOUND_REQUESTS = 15_000;
const BATCH = 10;
const USER = '{"environment":"production","xpid":7,"calculated_attributes":{}}\n';

/** @param {{ rounds: number | undefined }} options @returns {Promise<import('./figures.mjs').Section>} */
export async function measureLimit({ rounds = 2 }) {
  const folder = await mkdtemp(join(tmpdir(), 'cdpadm-bench-'));
  await writeFile(join(folder, 'many.ndjson'), USER.repeat(FOUND_REQUESTS * BATCH));
  await writeFile(join(folder, 'users.ndjson'), USER.repeat(KNOWN_REQUESTS * BATCH));
  /** @type {number[]} times at which the requests of the last second were accepted */
  let accepted = [];
  let done = 0;
  let rejected = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const now = performance.now();
      accepted = accepted.filter((at) => at > now - 1000);
      if (accepted.length >= LIMIT) {
        rejected += 1;
        response.writeHead(429, { 'retry-after': '1' }).end();
        return;
      }
      accepted.push(now);
      done += 1;
      setTimeout(() => response.writeHead(202).end(), LATENCY_MS);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const env = {
    PATH: process.env.PATH ?? '',
    CDPADM_SEEDING_URL: `http://127.0.0.1:${typeof address === 'object' && address?.port}`,
    ...{ CDPADM_WORKSPACE_KEY: 'k', CDPADM_WORKSPACE_SECRET: 's-of-the-bench', CDPADM_WORKSPACE_ID: '5001' },
    ...{ CDPADM_ENVIRONMENT: 'production', CDPADM_CONFIG_DIR: folder, CDPADM_CACHE_DIR: join(folder, 'cache') },
  };

  /**
   * @param {number} requests @param {string} file @param {string[]} flags
   * @returns {Promise<{ took: number, rejected: number }>} `took` is relative to the shortest time that the limit
   * allows
   */
  async function run(requests, file, ...flags) {
    done = 0;
    rejected = 0;
    accepted = [];
    const fresh = { ...env, CDPADM_STATE_DIR: await mkdtemp(join(folder, 'state-')) };
    const args = [program, 'seed', 'bulk', file, '--batch-size', String(BATCH), '-q', '--yes', ...flags];
    const from = performance.now();
    const child = spawn(process.execPath, args, { cwd: folder, env: fresh, stdio: 'ignore' });
    const [code] = await once(child, 'close');
    const took = (performance.now() - from) / ((1000 * requests) / LIMIT);
    if (code !== 0 || done !== requests)
      throw new Error(`cdpadm exited with ${code}, ${done} of ${requests} requests accepted`);
    return { took, rejected };
  }

  /** @type {{ known: Awaited<ReturnType<typeof run>>[], found: Awaited<ReturnType<typeof run>>[] }} */
  const runs = { known: [], found: [] };
  try {
    for (let round = 0; round < rounds; round += 1) {
      runs.known.push(await run(KNOWN_REQUESTS, 'users.ndjson', '--rate', String(LIMIT)));
    }
    runs.found.push(await run(FOUND_REQUESTS, 'many.ndjson'));
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  }
  /** @param {import('./figures.mjs').FigureId} id @param {number} requests @param {Awaited<ReturnType<typeof run>>[]} of */
  const result = (id, requests, of) => ({
    id,
    value: median(of.map(({ took }) => took)),
    plain: `${requests} requests, ${median(of.map((one) => one.rejected))} rejected with 429`,
  });
  return {
    title: 'At a rate limit',
    method: `The platform accepts ${LIMIT} requests in any second and responds after ${LATENCY_MS} ms. The time includes the start and exit of the process; × is relative to the shortest time that the limit allows. The first row is the median of ${rounds} rounds; the second row is one round.`,
    results: [result('limitKnown', KNOWN_REQUESTS, runs.known), result('limitFound', FOUND_REQUESTS, runs.found)],
  };
}
