// `npm run bench:dsr [-- --rows N --rounds N]`: a bulk run of data subject requests with its journal beside `xargs curl`
// without one, against the same sink, in interleaved rounds. Counts what arrived.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const program = join(dirname(fileURLToPath(import.meta.url)), '..', 'bin', 'cdpadm.js');
const { values } = parseArgs({
  options: { rows: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '3' } },
});
const [rows, rounds] = [Number(values.rows), Number(values.rounds)];

const arrived = new Set();
const sink = createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (request.method !== 'POST') return void response.writeHead(404).end('{}');
    const { subject_request_id } = JSON.parse(Buffer.concat(chunks).toString());
    arrived.add(subject_request_id);
    response.writeHead(201, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        subject_request_id,
        expected_completion_time: '2026-12-01T00:00:00Z',
        received_time: '2026-11-21T08:00:00.000Z',
        controller_id: '1',
      }),
    );
  });
});
sink.listen(0, '127.0.0.1');
await once(sink, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (sink.address());
const url = `http://127.0.0.1:${port}/v3`;
const folder = await mkdtemp(join(tmpdir(), 'cdpadm-bench-'));

/** @type {Record<'ours' | 'curl', number[]>} */
const seconds = { ours: [], curl: [] };
try {
  for (let round = 0; round < rounds; round++) {
    const ids = Array.from({ length: rows }, () => crypto.randomUUID());
    seconds.ours.push(await timed(() => ours(round, ids)));
    seconds.curl.push(
      await timed(() =>
        curl(
          round,
          ids.map(() => crypto.randomUUID()),
        ),
      ),
    );
  }
} finally {
  sink.close();
  await rm(folder, { recursive: true });
}
const [mine, theirs] = [median(seconds.ours), median(seconds.curl)];
const ratio = theirs / mine;
const [MUST, GOAL] = [3, 8];
const verdict = ratio >= GOAL ? 'reaches the goal' : ratio >= MUST ? 'short of the goal' : 'MISSED';
process.exitCode = ratio >= MUST ? 0 : 1;
process.stdout.write(
  `${rows} rows: cdpadm ${Math.round(rows / mine)} rows/s with journal, xargs -P16 curl ${Math.round(rows / theirs)} rows/s without: ${ratio.toFixed(1)} x (must ${MUST}, goal ${GOAL}: ${verdict})\n`,
);

/** @param {number} round @param {string[]} ids */
async function ours(round, ids) {
  const file = join(folder, `${round}.csv`);
  await writeFile(
    file,
    `subject_request_id,email\n${ids.map((id, row) => `${id},p${round}x${row}@example.com\n`).join('')}`,
  );
  const dirs = Object.fromEntries(
    ['CONFIG', 'STATE', 'CACHE', 'DATA'].map((kind) => [`CDPADM_${kind}_DIR`, join(folder, kind)]),
  );
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    ...dirs,
    CDPADM_DSR_BASE_URL: url,
    CDPADM_VENDOR_DOMAIN: 'bench.example',
    CDPADM_WORKSPACE_ID: '1',
    CDPADM_WORKSPACE_KEY: 'bench-key',
    CDPADM_WORKSPACE_SECRET: 'bench-secret',
  };
  await finished(
    spawn(
      process.execPath,
      [program, 'dsr', 'submit', '--bulk', file, '--regulation', 'gdpr', '--type', 'access', '--yes', '-q'],
      { env, stdio: ['ignore', 'ignore', 'inherit'] },
    ),
  );
  const done = (await readFile(`${file}.results.csv`, 'utf8')).split(',submitted,').length - 1;
  if (done !== rows) throw new Error(`${done} of ${rows} rows are in the result file`);
}

/** @param {number} round @param {string[]} ids */
async function curl(round, ids) {
  const bodies = ids.map((id, row) =>
    JSON.stringify({
      regulation: 'gdpr',
      subject_request_id: id,
      subject_request_type: 'access',
      submitted_time: '2026-11-21T08:00:00Z',
      subject_identities: { email: { value: `c${round}x${row}@example.com`, encoding: 'raw' } },
      api_version: '3.0',
    }),
  );
  const file = join(folder, `${round}.bodies`);
  await writeFile(file, `${bodies.join('\n')}\n`);
  const line = `xargs -P16 -d '\\n' -n1 curl -s -o /dev/null -u bench-key:bench-secret -H 'content-type: application/json' ${url}/requests/ -d < ${file}`;
  await finished(spawn('/bin/sh', ['-c', line], { stdio: ['ignore', 'ignore', 'inherit'] }));
}

/** @param {() => Promise<void>} work */
async function timed(work) {
  arrived.clear();
  const begun = performance.now();
  await work();
  if (arrived.size !== rows) throw new Error(`${arrived.size} of ${rows} requests arrived`);
  return (performance.now() - begun) / 1000;
}

/** @param {import('node:child_process').ChildProcess} child */
async function finished(child) {
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`ended with ${code}`);
}

/** @param {number[]} numbers */
function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}
