// Compares the speed of bulk seeding with that of common alternatives. All run in interleaved rounds and send to the
// same sink, which counts the rows.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { median, peakOf } from './measure.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const entry = join(here, '..', 'bin', 'cdpadm.js');
const users = 1_000_000;
const CSV_HEADER =
  'xpid,identity:customer_id,attr:Lifetime Value:sum,attr:Average Order:average:sum,attr:Average Order:average:count,attr:Favorites:unique_list,cutoff_date\n';
const [OURS, OURS_CSV] = ['cdpadm', 'cdpadm, CSV'];
const [PLAIN, PLAIN_CSV] = ['plain node script', 'csv-parse, zod, stringify'];
const [XARGS, PYTHON, WRK] = ['split, xargs -P16, curl', 'python, threads', 'wrk, one fixed body'];
const WRK_SECONDS = 4;
/** Slow alternatives get fewer users. The benchmark compares users per second. */
const FEW = Math.ceil(users / 10);

/** @param {{ rounds: number | undefined }} options @returns {Promise<import('./figures.mjs').Section>} */
export async function measureSeed({ rounds = 2 }) {
  const folder = await mkdtemp(join(tmpdir(), 'cdpadm-bench-seed-'));
  const sink = spawn(process.execPath, [join(here, 'seed-sink.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const sinkLines = createInterface(sink.stdout)[Symbol.asyncIterator]();
  /** Returns the number of rows that the sink received since the last call. */
  const countedRows = async () => {
    sink.stdin.write('\n');
    /** @type {{rows: number}} */
    const { rows } = JSON.parse((await sinkLines.next()).value);
    return rows;
  };
  try {
    const url = `http://127.0.0.1:${(await sinkLines.next()).value}`;
    return await measure({ url, folder, rounds, countedRows });
  } finally {
    sink.stdin.end();
    await rm(folder, { recursive: true });
  }
}

/**
 * @param {{ url: string, folder: string, rounds: number, countedRows: () => Promise<number> }} stage
 * @returns {Promise<import('./figures.mjs').Section>}
 */
async function measure({ url, folder, rounds, countedRows }) {
  const files = {
    many: await generate(folder, 'many.ndjson', users, ndjsonRow),
    few: await generate(folder, 'few.ndjson', FEW, ndjsonRow),
    table: await generate(folder, 'table.csv', users, csvRow, CSV_HEADER),
    five: await generate(folder, 'five.ndjson', users * 5, ndjsonRow),
  };
  const plain = join(here, 'seed-plain.mjs');
  const xargs = `split -l 100 ${files.few} ${folder}/part- && ls ${folder}/part-* | xargs -P16 -I{} sh -c 'paste -sd, {} | sed "s/^/[/;s/$/]/" | curl -sS -o /dev/null -H "content-type: application/json" -u k:s --data-binary @- ${url}/v2/bulkcalculatedattributes' && rm ${folder}/part-*`;
  const lua = join(folder, 'post.lua');
  await writeFile(lua, wrkScript());
  const hasPython = spawnSync('python3', ['--version']).status === 0;
  const hasWrk = spawnSync('wrk', ['--version']).error === undefined;
  /** `rows` is undefined if only the sink knows the number of rows. */
  /** @type {Record<string, {rows: number | undefined, run: () => number | void}>} */
  const cases = {
    [OURS]: { rows: users, run: () => cdpadm(url, folder, files.many) },
    [PLAIN]: { rows: FEW, run: () => node([plain, 'ndjson', files.few, url]) },
    [XARGS]: { rows: FEW, run: () => shell(xargs) },
    ...(hasPython && {
      [PYTHON]: { rows: FEW, run: () => program('python3', [join(here, 'seed-plain.py'), files.few, url]) },
    }),
    ...(hasWrk && {
      [WRK]: {
        rows: undefined,
        run: () => program('wrk', ['-t1', '-c16', `-d${WRK_SECONDS}s`, '-s', lua, url]),
      },
    }),
    [OURS_CSV]: { rows: users, run: () => cdpadm(url, folder, files.table) },
    [PLAIN_CSV]: { rows: users, run: () => node([plain, 'csv', files.table, url]) },
  };
  /** @type {Record<string, number[]>} */
  const rates = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, { rows, run }] of Object.entries(cases)) {
      const before = performance.now();
      run();
      const seconds = (performance.now() - before) / 1000;
      const counted = await countedRows();
      if (rows !== undefined && counted !== rows) throw new Error(`${name}: ${counted} of ${rows} rows arrived`);
      (rates[name] ??= []).push(counted / seconds);
    }
  }
  /** @type {{one: number[], five: number[]}} */
  const peaks = { one: [], five: [] };
  for (let round = 0; round < rounds; round += 1) {
    peaks.one.push(cdpadm(url, folder, files.many));
    peaks.five.push(cdpadm(url, folder, files.five));
    const counted = await countedRows();
    if (counted !== users * 6) throw new Error(`memory: ${counted} of ${users * 6} rows arrived`);
  }
  return describe(rates, { one: median(peaks.one), five: median(peaks.five) }, rounds);
}

/**
 * @param {Record<string, number[]>} rates
 * @param {{one: number, five: number}} memory
 * @param {number} rounds
 * @returns {import('./figures.mjs').Section}
 */
function describe(rates, memory, rounds) {
  const rate = (/** @type {string} */ name) => median(rates[name] ?? []);
  const count = (/** @type {string} */ name) => Math.round(rate(name)).toLocaleString('en');
  /**
   * @param {import('./figures.mjs').FigureId} id @param {string} name @param {string} other
   * @returns {import('./figures.mjs').Result}
   */
  const compared = (id, name, other) =>
    rates[other] === undefined
      ? { id, value: undefined, plain: 'not installed' }
      : { id, value: rate(name) / rate(other), plain: `${count(name)} users/s vs. ${count(other)}` };
  const python = rates[PYTHON] && ` A Python script with threads: ${count(PYTHON)} users/s.`;
  return {
    title: 'Seeding in bulk',
    method: `${users.toLocaleString('en')} users, 100 per request; some alternatives get only ${FEW.toLocaleString('en')} users. Medians of ${rounds} interleaved rounds (for two, the mean); the sink counts the rows.${python ?? ''}`,
    results: [
      compared('seedXargs', OURS, XARGS),
      compared('seedPlain', OURS, PLAIN),
      compared('seedWrk', OURS, WRK),
      compared('seedCsv', OURS_CSV, PLAIN_CSV),
      { id: 'seedMemory', value: memory.five, plain: `${(users * 5).toLocaleString('en')} users` },
      {
        id: 'seedMemoryGrowth',
        value: memory.five / memory.one,
        plain: `${memory.five.toFixed(1)} MB vs. ${memory.one.toFixed(1)}`,
      },
    ],
  };
}

/** Returns a script for `wrk` that sends the same hundred users in every request. */
function wrkScript() {
  const rows = Array.from({ length: 100 }, (_, index) => ndjsonRow(index).trimEnd());
  return [
    'wrk.method = "POST"',
    'wrk.path = "/v2/bulkcalculatedattributes"',
    'wrk.headers["Content-Type"] = "application/json"',
    `wrk.body = [==[[${rows.join(',')}]]==]`,
  ].join('\n');
}

/**
 * @param {string} url
 * @param {string} folder
 * @param {string} file
 * @returns {number} peak memory in MB
 */
function cdpadm(url, folder, file) {
  const state = join(folder, `state-${Math.random().toString(36).slice(2)}`);
  const env = {
    PATH: process.env.PATH ?? '',
    CDPADM_SEEDING_URL: url,
    CDPADM_WORKSPACE_KEY: 'k',
    CDPADM_WORKSPACE_SECRET: 's-of-the-bench',
    CDPADM_WORKSPACE_ID: '5001',
    CDPADM_ENVIRONMENT: 'production',
    CDPADM_CONFIG_DIR: join(folder, 'config'),
    CDPADM_STATE_DIR: state,
    CDPADM_CACHE_DIR: join(folder, 'cache'),
  };
  const args = ['--require', join(here, 'peak.cjs'), entry, 'seed', 'bulk', file, '--yes', '-q'];
  const result = spawnSync(process.execPath, args, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  if (result.status !== 0) throw new Error(`cdpadm exited with ${result.status}: ${result.stderr}`);
  return peakOf(result);
}

/** @param {string[]} args */
function node(args) {
  program(process.execPath, args);
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function program(command, args) {
  check(spawnSync(command, args, { env: { PATH: process.env.PATH ?? '' }, encoding: 'utf8' }));
}

/** @param {string} script */
function shell(script) {
  check(spawnSync('sh', ['-c', script], { encoding: 'utf8' }));
}

/** @param {import('node:child_process').SpawnSyncReturns<string>} result */
function check({ status, stderr }) {
  if (status !== 0) throw new Error(`exited with ${status}: ${stderr}`);
}

/** @param {number} index */
function ndjsonRow(index) {
  const spread = (index * 2_654_435_761) % 4_294_967_296;
  const seed = (/** @type {string} */ name, /** @type {string} */ type, /** @type {object} */ form) => ({
    attribute_name: name,
    calculation_type: type,
    cutoff_date: '2024-01-31',
    seed: form,
  });
  const attributes = [
    seed('Lifetime Value', 'sum', { value: `${spread % 100_000}.50` }),
    seed('Average Order', 'average', {
      key_value_pairs: { sum: `${spread % 9999}.25`, count: `${1 + (spread % 99)}` },
    }),
    seed('Favorites', 'unique_list', { list: ['red shoes', 'blue hat'] }),
    seed('First Seen', 'first_occurrence_timestamp', { value: `${1_600_000_000_000 + (spread % 100_000_000)}` }),
  ];
  return `{"environment":"production","xpid":${index % 2 ? '-' : ''}${7_000_000_000_000_000_000n + BigInt(index)},"calculated_attributes":{"5001":${JSON.stringify(attributes)}}}\n`;
}

/** @param {number} index */
function csvRow(index) {
  const spread = (index * 2_654_435_761) % 4_294_967_296;
  return `${7_000_000_000_000_000_000n + BigInt(index)},c-${index},${spread % 100_000}.50,${spread % 9999}.25,${1 + (spread % 99)},red shoes|blue hat,2024-01-31\n`;
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {number} count
 * @param {(index: number) => string} row
 * @param {string} [header]
 */
async function generate(folder, name, count, row, header = '') {
  const path = join(folder, name);
  const out = createWriteStream(path);
  out.write(header);
  for (let index = 0; index < count;) {
    let text = '';
    for (const end = Math.min(count, index + 1000); index < end; index += 1) text += row(index);
    if (!out.write(text)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  return path;
}
