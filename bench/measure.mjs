// Runs processes in interleaved rounds, so that a temporary slowdown of the machine affects all of them. Returns the
// medians.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PEAK = fileURLToPath(new URL('peak.cjs', import.meta.url));

/**
 * @typedef {object} Case
 * @property {string[]} args arguments for Node
 * @property {() => Record<string, string>} env the environment of each run, in addition to PATH. No other variables are
 * passed, in particular not NODE_EXTRA_CA_CERTS, which triples the startup time of Node 20
 * @property {number[]} [exits] the expected exit codes (default 0)
 * @property {boolean} [silent] no output is expected
 */

/**
 * @template {string} Name
 * @param {Record<Name, Case>} cases
 * @param {number} rounds
 * @param {(test: Case) => number} measure one run
 * @returns {Record<Name, number>} the median of each case
 */
export function medians(cases, rounds, measure) {
  const names = /** @type {Name[]} */ (Object.keys(cases));
  const samples = new Map(names.map((name) => [name, /** @type {number[]} */ ([])]));
  // The first round fills the token cache and the file system's cache, and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    const shift = round % names.length;
    for (const name of [...names.slice(shift), ...names.slice(0, shift)]) {
      const value = measure(cases[name]);
      if (round > 0) samples.get(name)?.push(value);
    }
  }
  return /** @type {Record<Name, number>} */ (
    Object.fromEntries([...samples].map(([name, values]) => [name, median(values)]))
  );
}

/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = NaN, high = NaN] = sorted.length % 2 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1);
  return (low + high) / 2;
}

/**
 * Returns the milliseconds from the start of the process to its exit.
 * @param {Case} test
 */
export function time(test) {
  const env = environment(test);
  const before = process.hrtime.bigint();
  const result = spawnSync(process.execPath, test.args, { env, encoding: 'utf8' });
  const after = process.hrtime.bigint();
  check(test, result);
  return Number(after - before) / 1e6;
}

/**
 * Returns the maximum resident set size in MB, which the process reports when it exits.
 * @param {Case} test
 */
export function peakMemory(test) {
  const result = spawnSync(process.execPath, ['--require', PEAK, ...test.args], {
    env: environment(test),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  check(test, result);
  return peakOf(result);
}

/**
 * Returns the peak memory that `peak.cjs` wrote, in MB (of a million bytes).
 * @param {import('node:child_process').SpawnSyncReturns<string>} result
 */
export function peakOf({ output }) {
  return (Number(output[3]) * 1024) / 1e6;
}

/** @param {Case} test */
function environment(test) {
  return { PATH: process.env.PATH ?? '', ...test.env() };
}

/**
 * Throws if the exit code or the output is not as expected, so that a quick failure does not count as a quick run.
 * @param {Case} test
 * @param {import('node:child_process').SpawnSyncReturns<string>} result
 */
function check(test, { status, stdout, stderr }) {
  const isExpected = (test.exits ?? [0]).includes(status ?? -1) && (test.silent === true || stdout !== '');
  if (!isExpected) throw new Error(`${test.args.join(' ')} exited with ${status}:\n${stdout}${stderr}`);
}
