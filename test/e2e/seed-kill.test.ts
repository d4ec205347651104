// Kills a seeding run several times and resumes it: every row arrives, with no manual repair.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createCliHome } from '../helpers/cli.ts';
import { type Sink, startSink } from '../helpers/seed-sink.ts';
import { isSwept } from '../helpers/stray-file.ts';
import { PROGRAM } from '../helpers/root.ts';

const ROWS = 20_000;
const KILLS = 10;
const BAD = 777;

let sink: Sink | undefined;
const home = createCliHome();
afterEach(async () => {
  await sink?.close();
  home.remove();
});

function row(id: number): string {
  const value = id % BAD === 0 ? '"many"' : '"3"';
  return `{"environment":"production","xpid":${id},"calculated_attributes":{"5001":[{"attribute_name":"Orders","calculation_type":"count","cutoff_date":"2024-01-31","seed":{"value":${value}}}]}}\n`;
}

test('sends every row of a run that is killed several times, and reports each rejected row once', async () => {
  let kill: (() => void) | undefined;
  let killAt = Infinity;
  const { url } = (sink = await startSink((_body, request) => {
    // Kills the run during a request, so the next run cannot know whether that request arrived.
    if (request >= killAt) kill?.();
    return undefined;
  }));
  const file = join(home.cwd, 'users.ndjson');
  writeFileSync(file, Array.from({ length: ROWS }, (_, index) => row(index + 1)).join(''));

  const run = (resume: boolean): Promise<number | null> => {
    const args = [
      PROGRAM,
      'seed',
      'bulk',
      'users.ndjson',
      '--concurrency',
      '4',
      '--yes',
      '-q',
      ...(resume ? ['--resume'] : []),
    ];
    const child = spawn(process.execPath, args, {
      cwd: home.cwd,
      env: {
        PATH: process.env.PATH,
        ...home.env,
        CDPADM_SEEDING_URL: url,
        CDPADM_WORKSPACE_KEY: 'key',
        CDPADM_WORKSPACE_SECRET: 'a-secret-of-the-workspace',
        CDPADM_WORKSPACE_ID: '5001',
        CDPADM_ENVIRONMENT: 'production',
      },
      stdio: 'ignore',
    });
    kill = () => child.kill('SIGKILL');
    return new Promise((resolve) => child.on('close', (code) => resolve(code)));
  };

  for (let times = 0; times < KILLS; times++) {
    killAt = sink.requests + 3 + times * 2;
    expect(await run(times > 0)).toBeNull();
  }
  killAt = Infinity;
  expect(await run(true)).toBe(3);

  const arrived = new Set(
    sink.bodies.flatMap((body) => [...body.matchAll(/"xpid":(\d+)/g)].map(([, id]) => Number(id))),
  );
  const rejected = readFileSync(`${file}.rejects.ndjson`, 'utf8').trimEnd().split('\n');
  const lines = rejected.map((line) => (JSON.parse(line) as { rejected: { line: number } }).rejected.line);
  const bad = Array.from({ length: Math.floor(ROWS / BAD) }, (_, index) => (index + 1) * BAD);
  expect(lines.toSorted((a, b) => a - b)).toEqual(bad);
  expect(arrived.size).toBe(ROWS - bad.length);
  expect(bad.some((id) => arrived.has(id))).toBe(false);
  // The journal stays small for a file of any length.
  const folder = join(home.env.CDPADM_STATE_DIR ?? '', 'seed');
  const [journal = '', ...others] = readdirSync(folder).filter((name) => !isSwept(name));
  expect(others).toEqual([]);
  expect(statSync(join(folder, journal)).size).toBeLessThan(10_000);
});
