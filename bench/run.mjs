// `npm run bench [-- --only start,seed,dsr,emulator,callbacks,limit,endings --rounds N]` measures every figure and its
// baseline in interleaved rounds. A complete run writes `bench/results.md`. Exits with 1 if a guarantee is missed.
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { measureCallbacks } from './callbacks.mjs';
import { measureDsr } from './dsr.mjs';
import { measureEmulator } from './emulator.mjs';
import { measureEndings } from './endings.mjs';
import { describeSection, FIGURES, verdict } from './figures.mjs';
import { measureLimit } from './limit.mjs';
import { measureSeed } from './seed.mjs';
import { measureStart } from './start.mjs';

/** @type {Record<string, (options: { rounds: number | undefined }) => Promise<import('./figures.mjs').Section>>} */
const AREAS = {
  start: measureStart,
  seed: measureSeed,
  dsr: measureDsr,
  emulator: measureEmulator,
  callbacks: measureCallbacks,
  limit: measureLimit,
  endings: measureEndings,
};

const { values } = parseArgs({ options: { only: { type: 'string' }, rounds: { type: 'string' } } });
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
  throw new Error('--rounds must be a whole number');
const wanted = values.only?.split(',') ?? Object.keys(AREAS);

// Other programs running on the machine make every ratio worse.
const [load = 0] = loadavg();
const busy = load > cpus().length / 2;
const head = `# Benchmark results

Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB. Written by \`npm run bench\`.${
  busy ? `\n\n**Unreliable: the machine was busy (load ${load.toFixed(1)}) during the measurement.**` : ''
}
`;
process.stdout.write(`${head}\n`);

/** @type {string[]} */
const sections = [];
/** @type {import('./figures.mjs').Result[]} */
const results = [];
for (const name of wanted) {
  const measure = AREAS[name];
  if (!measure) throw new Error(`--only must be a list of ${Object.keys(AREAS).join(', ')}`);
  const section = await measure({ rounds });
  const text = describeSection(section);
  process.stdout.write(`${text}\n`);
  sections.push(text);
  results.push(...section.results);
}

/** @param {string} sought */
const withVerdict = (sought) =>
  results
    .filter((result) => verdict(result) === sought)
    .map(({ id }) => FIGURES[id].name)
    .join('; ') || 'none';
const tail = `Guarantees missed: ${withVerdict('MISSED')}.\nGoals missed: ${withVerdict('goal missed')}.\n`;
process.stdout.write(tail);
if (values.only === undefined) {
  await writeFile(new URL('results.md', import.meta.url), `${head}\n${sections.join('\n')}\n${tail}`);
}
process.exitCode = results.some((result) => verdict(result) === 'MISSED') ? 1 : 0;
