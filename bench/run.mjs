// `npm run bench [-- --rounds N]`: measures the built program against the floor and writes `bench/results.md`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FIGURES, verdict } from './figures.mjs';
import { bundleSize, installedSize } from './installed.mjs';
import { BIG_ORG, editedYaml, SMALL_ORG } from './manifests.mjs';
import { medians, peakMemory, time } from './measure.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..');
const program = join(root, 'bin', 'cdpadm.js');

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '31' } } });
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds wants a positive whole number');

// What other programs do meanwhile makes every ratio worse, and the more so the more there is to run.
const [load = 0] = loadavg();
const busy = load > cpus().length / 2;

const folder = await mkdtemp(join(tmpdir(), 'cdpadm-bench-'));
const platform = spawn(process.execPath, [join(here, 'platform.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
try {
  const [address] = /** @type {[string]} */ (await once(createInterface(platform.stdout), 'line'));
  const results = await measureAll(address);
  const table = describe(results);
  await writeFile(join(here, 'results.md'), table);
  process.stdout.write(table);
  const missed = results.filter(({ id, value }) => verdict(id, value) === 'MISSED');
  process.exitCode = missed.length === 0 ? 0 : 1;
} finally {
  platform.stdin.end();
  await rm(folder, { recursive: true });
}

/**
 * @param {string} address of the server of fixed answers
 * @returns {Promise<{id: import('./figures.mjs').FigureId, value: number, plain: string}[]>}
 */
async function measureAll(address) {
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
    // New for each run: the client's budget of requests a minute lives there, and would make later runs wait.
    CDPADM_STATE_DIR: mkdtempSync(join(folder, 'state-')),
  });
  /**
   * @param {string[]} args
   * @param {string} [org]
   */
  const command = (args, org = SMALL_ORG) => ({ args: [program, ...args], env: environment(org) });
  const floor = { args: [empty], env: environment(SMALL_ORG), silent: true };
  const get = command(['roles', 'list']);

  const cases = {
    floor,
    version: command(['--version']),
    help: command(['--help']),
    groupHelp: command(['roles', '--help']),
    commandHelp: command(['roles', 'push', '--help']),
    get,
    diff: command(['roles', 'diff', edited], BIG_ORG),
  };
  const milliseconds = medians(cases, rounds, time);
  const megabytes = medians({ floor, get }, Math.min(rounds, 11), peakMemory);

  const times = /** @type {const} */ (['version', 'help', 'groupHelp', 'commandHelp', 'get', 'diff']);
  return [
    ...times.map((id) => ({
      id,
      value: milliseconds[id] / milliseconds.floor,
      plain: `${milliseconds[id].toFixed(1)} ms of ${milliseconds.floor.toFixed(1)}`,
    })),
    {
      id: 'getMemory',
      value: megabytes.get / megabytes.floor,
      plain: `${megabytes.get.toFixed(1)} MB of ${megabytes.floor.toFixed(1)}`,
    },
    { id: 'installed', value: await installedSize(root), plain: '' },
    { id: 'bundle', value: await bundleSize(root), plain: '' },
  ];
}

/** @param {Awaited<ReturnType<typeof measureAll>>} results */
function describe(results) {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const rows = results.map(({ id, value, plain }) => {
    const { name, unit, must, goal } = FIGURES[id];
    const cells = [name, `${value.toFixed(2)} ${unit}`, plain, most(must), most(goal), verdict(id, value)];
    return `| ${cells.join(' | ')} |`;
  });
  return `# Measured

Node ${process.versions.node}, ${process.platform} ${process.arch}, ${machine}; medians of ${rounds} interleaved rounds.
The floor (×) is \`node\` running an empty file, measured in the same rounds. Written by \`npm run bench\`.${
    busy ? `\n\n**Not to be relied on: the machine was busy (load ${load.toFixed(1)}) when this was measured.**` : ''
  }

| What | Measured | in plain figures | Must | Goal | |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
}

/** @param {number | undefined} limit */
function most(limit) {
  return limit === undefined ? '' : `≤ ${limit}`;
}
