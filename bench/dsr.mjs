// Compares the speed of a bulk run of data subject requests, which keeps a journal and verifies signatures, with that of
// `xargs curl`, which does neither. The two run in interleaved rounds and send to the same sink, which counts the
// requests. Discovery and the certificate come from an embedded platform. With its key, the responses are signed before
// the measurement, because signing takes longer than everything else.
import { spawn } from 'node:child_process';
import { createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './measure.mjs';
import { startPlatform } from './serve.mjs';

const program = join(dirname(fileURLToPath(import.meta.url)), '..', 'bin', 'cdpadm.js');
const rows = 10_000;
const WORKSPACE = '1';

const DOMAIN_HEADER = 'x-opendsr-processor-domain';
const SIGNATURE_HEADER = 'x-opendsr-signature';

const arrived = new Set();
/** Signatures by request id. @type {Map<string, string>} */
const signatures = new Map();
let discovery = '{}';
let domain = '';
const sink = createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    if (request.method !== 'POST') return void response.end(discovery);
    const { subject_request_id: id } = JSON.parse(Buffer.concat(chunks).toString());
    arrived.add(id);
    response.writeHead(201, { [DOMAIN_HEADER]: domain, [SIGNATURE_HEADER]: signatures.get(id) ?? '' });
    response.end(replyTo(id));
  });
});

/** @param {string} id */
function replyTo(id) {
  return JSON.stringify({
    subject_request_id: id,
    expected_completion_time: '2026-12-01T00:00:00Z',
    received_time: '2026-11-21T08:00:00.000Z',
    controller_id: WORKSPACE,
  });
}

/** @param {{ rounds: number | undefined }} options @returns {Promise<import('./figures.mjs').Section>} */
export async function measureDsr({ rounds = 3 }) {
  sink.listen(0, '127.0.0.1');
  await once(sink, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (sink.address());
  const url = `http://127.0.0.1:${port}/v3`;
  const folder = await mkdtemp(join(tmpdir(), 'cdpadm-bench-'));
  const { ready, stop } = await startPlatform(folder);
  const key = await useIdentity(ready);
  /** @type {Record<'ours' | 'curl', number[]>} */
  const seconds = { ours: [], curl: [] };
  try {
    for (let round = 0; round < rounds; round++) {
      const ids = Array.from({ length: rows }, () => crypto.randomUUID());
      for (const id of ids) signatures.set(id, sign('sha256', Buffer.from(replyTo(id)), key).toString('base64'));
      seconds.ours.push(await timed(() => ours({ url, folder, round, ids, platform: ready })));
      const others = ids.map(() => crypto.randomUUID());
      seconds.curl.push(await timed(() => curl({ url, folder, round, ids: others })));
    }
  } finally {
    sink.close();
    await stop();
    await rm(folder, { recursive: true });
  }
  const [mine, theirs] = [median(seconds.ours), median(seconds.curl)];
  const rate = (/** @type {number} */ took) => Math.round(rows / took).toLocaleString('en');
  const plain = `${rate(mine)} rows/s with journal, ${rate(theirs)} without`;
  return {
    title: 'Data subject requests in bulk',
    method: `${rows.toLocaleString('en')} rows; medians of ${rounds} interleaved rounds; the sink counts the requests.`,
    results: [{ id: 'dsrXargs', value: theirs / mine, plain }],
  };
}

/**
 * Lets the sink act as the platform's processor, and returns the processor's key.
 * @param {import('./serve.mjs').Ready} ready
 */
async function useIdentity({ ca_file, dsr_base_url, workspace_key, workspace_secret }) {
  const basic = Buffer.from(`${workspace_key}:${workspace_secret}`).toString('base64');
  const response = await fetch(`${dsr_base_url}/discovery/`, { headers: { authorization: `Basic ${basic}` } });
  discovery = await response.text();
  const { processor_certificate: url } = /** @type {{ processor_certificate: string }} */ (JSON.parse(discovery));
  const { subjectAltName = '' } = new X509Certificate(await (await fetch(url)).text());
  domain = subjectAltName.replace('DNS:', '');
  return createPrivateKey(await readFile(join(dirname(ca_file), `${domain}.pem`)));
}

/** @typedef {{ url: string, folder: string, round: number, ids: string[] }} Round */

/** @param {Round & { platform: import('./serve.mjs').Ready }} round */
async function ours({ url, folder, round, ids, platform }) {
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
    CDPADM_VENDOR_DOMAIN: platform.vendor_domain,
    CDPADM_CA_FILE: platform.ca_file,
    CDPADM_WORKSPACE_ID: WORKSPACE,
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
  if (done !== rows) throw new Error(`${done} of ${rows} rows are in the results file`);
}

/** @param {Round} round */
async function curl({ url, folder, round, ids }) {
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
  if (code !== 0) throw new Error(`exited with ${code}`);
}
