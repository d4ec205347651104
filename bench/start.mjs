// Measures the size of the built program, and its startup time and memory relative to Node running an empty file.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { bundleSize, installedSize } from './installed.mjs';
import { BIG_ORG, editedYaml, SMALL_ORG } from './manifests.mjs';
import { medians, peakMemory, time } from './measure.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..');
const program = join(root, 'bin', 'cdpadm.js');

/** @param {{ rounds: number | undefined }} options @returns {Promise<import('./figures.mjs').Section>} */
export async function measureStart({ rounds = 31 }) {
  const folder = await mkdtemp(join(tmpdir(), 'cdpadm-bench-'));
  const platform = spawn(process.execPath, [join(here, 'platform.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const [address] = /** @type {[string]} */ (await once(createInterface(platform.stdout), 'line'));
    const method = `Medians of ${rounds} interleaved rounds; × is relative to \`node\` running an empty file.`;
    return { title: 'Start time, memory and size', method, results: await measureAll(address, folder, rounds) };
  } finally {
    platform.stdin.end();
    await rm(folder, { recursive: true });
  }
}

/**
 * @param {string} address of the server with fixed responses
 * @param {string} folder
 * @param {number} rounds
 * @returns {Promise<import('./figures.mjs').Result[]>}
 */
async function measureAll(address, folder, rounds) {
  const empty = join(folder, 'empty.cjs');
  const edited = join(folder, 'roles.yaml');
  await writeFile(empty, '');
  await writeFile(edited, editedYaml());

  /** @param {string} org */
  const environment = (org) => () => ({
    CDPADM_BASE_URL: address,
    CDPADM_AUTH_URL: address,
    CDPADM_ORG_ID: org,
    CDPADM_ACCOUNT_ID: '1',
    CDPADM_CLIENT_ID: 'bench',
    CDPADM_CLIENT_SECRET: 'bench-secret',
    CDPADM_CONFIG_DIR: join(folder, 'config'),
    CDPADM_CACHE_DIR: join(folder, 'cache'),
    CDPADM_DATA_DIR: join(folder, 'data'),
    // Each run needs a new folder, because the client's request budget in an old one would delay the run.
    CDPADM_STATE_DIR: mkdtempSync(join(folder, 'state-')),
  });
  /**
   * @param {string[]} args
   * @param {string} [org]
   */
  const command = (args, org = SMALL_ORG) => ({ args: [program, ...args], env: environment(org) });
  const floor = { args: [empty], env: environment(SMALL_ORG), silent: true };
  const get = command(['roles', 'list']);
  const groups = commandGroups();
  /** @param {string} group each group has its own cache, because one cache keeps fewer files than there are groups */
  const tab = (group) => {
    // Completion never creates this folder, but uses it if an earlier command has created it.
    const cache = join(folder, `cache-${group}`);
    mkdirSync(cache);
    return {
      args: [program, '__complete', 'bash', ' ', 'cdpadm', `cdpadm ${group} `],
      env: () => ({ ...environment(SMALL_ORG)(), CDPADM_CACHE_DIR: cache }),
    };
  };

  const cases = {
    floor,
    version: command(['--version']),
    help: command(['--help']),
    groupHelp: command(['roles', '--help']),
    commandHelp: command(['roles', 'push', '--help']),
    ...Object.fromEntries(groups.map((group) => [`complete ${group}`, tab(group)])),
    get,
    diff: command(['roles', 'diff', edited], BIG_ORG),
  };
  const milliseconds = /** @type {Record<string, number>} */ (medians(cases, rounds, time));
  const slowest = groups
    .map((group) => ({ group, took: milliseconds[`complete ${group}`] ?? NaN }))
    .reduce((most, one) => (one.took > most.took ? one : most));
  const megabytes = medians({ floor, get }, Math.min(rounds, 11), peakMemory);

  const times = /** @type {const} */ (['version', 'help', 'groupHelp', 'commandHelp', 'get', 'diff']);
  const floorTime = milliseconds['floor'] ?? NaN;
  /** @param {number} took */
  const relative = (took) => ({ value: took / floorTime, plain: `${took.toFixed(1)} ms vs. ${floorTime.toFixed(1)}` });
  const completion = relative(slowest.took);
  return [
    ...times.map((id) => ({ id, ...relative(milliseconds[id] ?? NaN) })),
    { id: 'completion', value: completion.value, plain: `${completion.plain}, \`${slowest.group}\`` },
    {
      id: 'getMemory',
      value: megabytes.get / megabytes.floor,
      plain: `${megabytes.get.toFixed(1)} MB vs. ${megabytes.floor.toFixed(1)}`,
    },
    { id: 'installed', value: await installedSize(root), plain: '' },
    { id: 'bundle', value: await bundleSize(root), plain: '' },
  ];
}

/** Returns the names of the command groups, from `help --json`. */
function commandGroups() {
  const { stdout } = spawnSync(process.execPath, [program, 'help', '--json'], { encoding: 'utf8' });
  const commands = /** @type {{ path: string }[]} */ (JSON.parse(stdout));
  return [...new Set(commands.map(({ path }) => path.split(' ')[0] ?? ''))];
}
