// Measures how well eight shards of very different sizes share one rate: `node bench/shared-rate.mjs [--seconds N]
// [--rate N]`. Each shard is a separate process with its own files; the platform rejects requests beyond the limit in
// any second. Needs redis-server. With `--learn`, the shards must discover the rate. With `--divided`, they split the
// rate without a store, to measure what that costs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '200' },
    learn: { type: 'boolean', default: false },
    divided: { type: 'boolean', default: false },
  },
});
const LIMIT = Number(values.rate);
const REQUESTS = LIMIT * Number(values.seconds);
/** Relative sizes: the largest shard has 64 times as many rows as the smallest. */
const SHARES = [64, 32, 16, 8, 4, 2, 1, 1];
const BATCH = 10;
const LATENCY_MS = 50;
const USER = '{"environment":"production","xpid":7,"calculated_attributes":{}}\n';
const program = fileURLToPath(new URL('../bin/cdpadm.js', import.meta.url));

const folder = await mkdtemp(join(tmpdir(), 'cdpadm-bench-'));
const port = await freePort();
const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder], {
  stdio: 'ignore',
});

/** @type {number[]} times at which the requests of the last second were accepted */
const accepted = [];
let [done, rejected, startedAt, endedAt] = [0, 0, 0, 0];
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const now = performance.now();
    while (accepted.length > 0 && Number(accepted[0]) <= now - 1000) accepted.shift();
    if (accepted.length >= LIMIT) {
      rejected += 1;
      response.writeHead(429, { 'retry-after': '1' }).end();
      return;
    }
    accepted.push(now);
    done += 1;
    endedAt = now;
    setTimeout(() => response.writeHead(202).end(), LATENCY_MS);
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();

try {
  const total = SHARES.reduce((sum, share) => sum + share, 0);
  /** @type {string[]} */
  const files = [];
  for (const [index, share] of SHARES.entries()) {
    const name = `part-${index}.ndjson.gz`;
    const rows = Math.round((REQUESTS * share) / total) * BATCH;
    await writeFile(join(folder, name), gzipSync(USER.repeat(rows)));
    files.push(name);
  }
  startedAt = performance.now();
  const codes = await Promise.all(
    SHARES.map(async (_share, index) => {
      const env = {
        PATH: process.env.PATH ?? '',
        CDPADM_SEEDING_URL: `http://127.0.0.1:${typeof address === 'object' && address?.port}`,
        ...{ CDPADM_WORKSPACE_KEY: 'k', CDPADM_WORKSPACE_SECRET: 's-of-the-bench', CDPADM_WORKSPACE_ID: '5001' },
        ...{ CDPADM_ENVIRONMENT: 'production', CDPADM_CONFIG_DIR: folder, CDPADM_CACHE_DIR: join(folder, 'cache') },
        CDPADM_STATE_DIR: join(folder, `state-${index}`),
      };
      const rate = values.learn ? [] : ['--rate', String(LIMIT)];
      const store = values.divided ? [] : ['--rate-store', `redis://127.0.0.1:${port}`];
      const args = ['seed', 'bulk', ...files, '--shard', `${index + 1}/8`, ...rate, ...store];
      const child = spawn(process.execPath, [program, ...args, '--batch-size', String(BATCH), '--yes'], {
        ...{ cwd: folder, env },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let text = '';
      child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ data) => (text += data));
      const [code] = /** @type {[number | null]} */ (await once(child, 'close'));
      if (code !== 0 || text.includes('unreachable')) process.stderr.write(text);
      return code;
    }),
  );
  const ideal = done / LIMIT;
  const seconds = (performance.now() - startedAt) / 1000;
  process.stdout.write(
    [
      `${done.toLocaleString('en')} requests in ${seconds.toFixed(1)} s; the minimum at this limit is ${ideal.toFixed(1)} s: ${((seconds / ideal - 1) * 100).toFixed(1)}% longer`,
      `from the start to the last request ${((endedAt - startedAt) / 1000).toFixed(1)} s`,
      `${rejected} requests rejected with 429: ${((rejected / (done + rejected)) * 100).toFixed(2)}%; exit codes ${codes.join(' ')}`,
      '',
    ].join('\n'),
  );
} finally {
  redis.kill();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
}

/** @returns {Promise<number>} */
async function freePort() {
  const socket = createSocket().listen(0, '127.0.0.1');
  await once(socket, 'listening');
  const bound = socket.address();
  socket.close();
  await once(socket, 'close');
  return typeof bound === 'object' && bound ? bound.port : 0;
}
