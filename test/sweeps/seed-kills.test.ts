// Kills a seeding run with SIGKILL at each of its requests, before and after delivery and after the response, and kills
// the resumed run too. Every row arrives and each rejected row is reported once, with no manual repair. Runs a sample
// by default; `vitest --mode whole` runs every pair of kills.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCliHome } from '../helpers/cli.ts';
import { type Reply, type Sink, startSink } from '../helpers/seed-sink.ts';
import { isSwept } from '../helpers/stray-file.ts';
import { pick, randomFrom } from '../helpers/random.ts';
import { isWhole } from '../helpers/size.ts';
import { SEED, printLine } from './sweep.ts';
import { PROGRAM } from '../helpers/root.ts';

const ROWS = 40;
const BATCHES = 4;
/**
 * Number of requests in a run without kills: its batches, plus those that narrow down the row that the platform
 * rejects.
 */
const REQUESTS = 9;
/** One row fails validation, and the platform rejects another. */
const INVALID = 7;
const REJECTED = 23;

type Moment = 'before' | 'unanswered' | 'answered';
const MOMENTS: readonly Moment[] = ['before', 'unanswered', 'answered'];
interface Kill {
  at: number;
  moment: Moment;
}

const KILLS = MOMENTS.flatMap((moment) => Array.from({ length: REQUESTS }, (_, index) => ({ at: index + 1, moment })));
const random = randomFrom(SEED);
// Each request number is in the sample, both for the run and for the resumed run.
const PAIRS: (readonly [Kill, Kill])[] = isWhole
  ? KILLS.flatMap((first) => KILLS.map((second) => [first, second] as const))
  : Array.from({ length: REQUESTS }, (_, index) => [
      { at: index + 1, moment: pick(MOMENTS, random) },
      { at: ((index * 5) % REQUESTS) + 1, moment: pick(MOMENTS, random) },
    ]);

let sink: Sink;
const home = createCliHome();
let arrived = new Set<number>();
let trap: { at: number; moment: Moment; kill: () => void } | undefined;

beforeAll(async () => {
  sink = await startSink((body) => {
    const hit = trap !== undefined && --trap.at === 0 ? trap : undefined;
    if (hit?.moment === 'before') return dropped(hit.kill);
    const ids = [...body.toString('utf8').matchAll(/"xpid":(\d+)/g)].map(([, id]) => Number(id));
    const isRejected = ids.includes(REJECTED);
    if (!isRejected) for (const id of ids) arrived.add(id);
    if (hit?.moment === 'unanswered') return dropped(hit.kill);
    const answer: Reply = isRejected ? { status: 400, body: '{"message":"something is wrong"}' } : { status: 202 };
    return hit === undefined ? answer : { ...answer, after: hit.kill };
  });
});
afterAll(async () => {
  await sink.close();
  home.remove();
});

function dropped(kill: () => void): Reply {
  kill();
  return { status: 0, drop: true };
}

function row(id: number): string {
  const value = id === INVALID ? 'many' : '3';
  return `{"environment":"production","xpid":${id},"calculated_attributes":{"5001":[{"attribute_name":"Orders","calculation_type":"count","cutoff_date":"2024-01-31","seed":{"value":"${value}"}}]}}\n`;
}

/** Returns the program's exit code, or null if it was killed. */
function run(resume: boolean, kill?: Kill): Promise<number | null> {
  const flags = ['--batch-size', '10', '--concurrency', '2', '--yes', '-q', ...(resume ? ['--resume'] : [])];
  const child = spawn(process.execPath, [PROGRAM, 'seed', 'bulk', 'users.ndjson', ...flags], {
    cwd: home.cwd,
    env: {
      PATH: process.env.PATH,
      ...home.env,
      CDPADM_SEEDING_URL: sink.url,
      CDPADM_WORKSPACE_KEY: 'key',
      CDPADM_WORKSPACE_SECRET: 'a-secret-of-the-workspace',
      CDPADM_WORKSPACE_ID: '5001',
    },
    stdio: 'ignore',
  });
  trap = kill && { ...kill, kill: () => void child.kill('SIGKILL') };
  return new Promise((resolve) => child.on('close', (code) => resolve(code)));
}

/** The log of writes is kept between runs; `log verify` checks it. */
const LOG = /[\\/]log[\\/](log\.key|writes\.ndjson(\.head)?)$/;

function filesOfState(): string[] {
  const folder = home.env.CDPADM_STATE_DIR ?? '';
  return (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((path) => !isSwept(path) && !LOG.test(path) && statSync(path).isFile());
}

test(
  `sends every row and reports each rejected row once after kills at ${PAIRS.length} pairs of requests`,
  async () => {
    const file = join(home.cwd, 'users.ndjson');
    writeFileSync(file, Array.from({ length: ROWS }, (_, index) => row(index + 1)).join(''));
    let kills = 0;
    for (const [first, second] of PAIRS) {
      const what = `SEED=${SEED}: ${first.moment} ${first.at}, then ${second.moment} ${second.at}`;
      arrived = new Set();
      // If there are fewer requests than the kill waits for, the process simply exits.
      let code = await run(false, first);
      // A process whose request has no response cannot have finished.
      if (first.at <= BATCHES && first.moment !== 'answered') expect(code, what).toBeNull();
      if (code === null) {
        kills++;
        code = await run(true, second);
      }
      if (code === null) {
        kills++;
        code = await run(true);
      }
      expect(code, what).toBe(3);
      const reported = readFileSync(`${file}.rejects.ndjson`, 'utf8').trimEnd().split('\n');
      const lines = reported.map((line) => (JSON.parse(line) as { rejected: { line: number } }).rejected.line);
      expect(
        lines.toSorted((a, b) => a - b),
        what,
      ).toEqual([INVALID, REJECTED]);
      expect(arrived.size, what).toBe(ROWS - 2);
      // The state folder has one complete journal, and no lock or temporary file.
      const files = filesOfState();
      expect(files, what).toHaveLength(1);
      expect(() => JSON.parse(readFileSync(files[0] ?? '', 'utf8')) as unknown, what).not.toThrow();
      for (const path of [...files, `${file}.rejects.ndjson`]) rmSync(path);
    }
    const { code, stdout } = await home.run(['log', 'verify', '-o', 'json']);
    expect(code, stdout).toBe(0);
    printLine(`seed kills: ${kills} in ${PAIRS.length} runs, 0 rows lost, 0 reported twice`);
  },
  isWhole ? 3_600_000 : 300_000,
);
