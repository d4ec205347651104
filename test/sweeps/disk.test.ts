// The built program where no file may grow beyond a limit, as on a full disk or at the end of a quota: for every command
// that writes to the platform. What has to be kept before it is done is not done; no file that stood there is harmed;
// and with room again, the same command line does the rest.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { helpAt, loadProgram } from '../helpers/command-tree.ts';
import type { CommandCase } from './cases.ts';
import { type Clean, cleanOf, operations, judge, repeatable } from './judge.ts';
import { nameOf, runProgram, torn, WRITING, writes } from './program.ts';
import { pick, randomFrom } from '../helpers/random.ts';
import { isWhole } from '../helpers/size.ts';
import { SEED, tell } from './sweep.ts';
import { createWorld, type World } from './world.ts';

/** Blocks of 512 bytes: nothing at all, hardly anything, and too little for files of some length. */
const LIMITS = [0, 1, 2, 4, 8, 16];
/** Commands that save an id or a copy before they send anything. */
const KEPT_FIRST = /^(dsr submit|roles (push|edit|create|update|delete|rollback))/;
/** Asked for again, these are done again. */
const ASKED_ANEW = /^(pipelines (trigger|reset)|connections update|intake event|api|dsr submit --regulation)/;
const RESUMED = /^(dsr submit --bulk|seed bulk)/;

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

async function cleanRun(wanted: CommandCase): Promise<Clean> {
  await world.prepare(wanted);
  const { code, stderr } = await world.run(wanted, ['-o', 'json']);
  expect(wanted.exits ?? [0], `${nameOf(wanted)}: ${stderr}`).toContain(code);
  return cleanOf(world.proxy.requests);
}

/** The files of the user's folder, by name. */
function contents(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ name, parentPath }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'latin1')]),
  );
}

async function problemsOf(wanted: CommandCase, fileLimit: number, clean: Clean): Promise<string[]> {
  await world.prepare(wanted);
  const before = contents(world.folder);
  const ended = await runProgram(world, wanted, { fileLimit });
  const first = [...world.proxy.requests];
  const problems = judge(wanted, { ...ended, code: ended.code ?? -1 }, first, clean);
  problems.push(...torn(world));
  const done = operations(first);
  if (fileLimit === 0 && KEPT_FIRST.test(nameOf(wanted)) && done.size > 0)
    problems.push(`sent, although nothing could be kept: ${[...done.keys()].join(', ')}`);
  const after = contents(world.folder);
  for (const [path, text] of before) {
    if (after.get(path) !== text && ended.code !== 0) problems.push(`${path} was harmed`);
  }

  const name = nameOf(wanted);
  // What was done is not asked for once more by somebody who was told so.
  if (!(wanted.exits ?? [0]).includes(ended.code ?? -1) && !ASKED_ANEW.test(name)) {
    let again = await runProgram(world, wanted, { flags: RESUMED.test(name) ? ['--resume'] : [] });
    let requests = [...first, ...world.proxy.requests];
    // There was nothing to resume yet.
    if (again.code === 2 && RESUMED.test(name)) {
      again = await runProgram(world, wanted);
      requests = [...requests, ...world.proxy.requests];
    }
    const all = operations(requests);
    const made = repeatable(requests);
    for (const [operation, count] of clean.operations) {
      if ((all.get(operation) ?? 0) !== count)
        problems.push(`with room again, done ${all.get(operation) ?? 0} times: ${operation}`);
    }
    for (const call of clean.repeatable) if (!made.has(call)) problems.push(`with room again, not sent: ${call}`);
    if (!(wanted.exits ?? [0]).includes(again.code ?? -1) && !again.stderr.includes('"hint"'))
      problems.push(`then exit ${again.code}: ${again.stderr}`);
  }
  return problems.map(
    (problem) => `${name} | ${fileLimit} blocks: ${problem} [exit ${ended.code} ${ended.stderr.slice(0, 300)}]`,
  );
}

/** How many command lines that write a sample has, and how many runs there are at least; a part is what it is. */
const SAMPLE = 4;
const LEAST = isWhole ? (process.env.ONLY ? 1 : 200) : 2 * SAMPLE;

/** All of them in an order that the seed gives. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

test(
  'sends nothing that a full disk cannot keep, and damages nothing that it keeps',
  async () => {
    const random = randomFrom(SEED);
    const program = await loadProgram();
    const candidates = WRITING.filter(({ command }) => helpAt(program, command)?.reads !== true);
    const problems: string[] = [];
    let lines = 0;
    let count = 0;
    tell(`seed ${SEED}`);
    for (const wanted of isWhole ? candidates : shuffled(candidates, random)) {
      if (!isWhole && lines >= SAMPLE) break;
      const clean = await cleanRun(wanted);
      if (!writes(clean)) continue;
      lines++;
      for (const limit of isWhole ? LIMITS : [0, pick(LIMITS, random)]) {
        const found = await problemsOf(wanted, limit, clean);
        for (const problem of isWhole ? found : []) tell(problem);
        problems.push(...found);
        count++;
      }
    }
    tell(`${count} runs on a limited disk, ${problems.length} problems`);
    expect(problems).toEqual([]);
    expect(count).toBeGreaterThanOrEqual(LEAST);
  },
  isWhole ? 3_600_000 : 300_000,
);
