// Runs every command that writes to the platform with a limit on file sizes, as on a full disk or with an exhausted
// quota. The program does not send a write that it cannot save first, does not damage existing files, and completes the
// work when it is run again with enough space.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { helpAt, loadProgram } from '../helpers/command-tree.ts';
import type { CommandCase } from './cases.ts';
import { type Clean, cleanOf, operations, judge, repeatable } from './judge.ts';
import { savedAgain } from './kills.ts';
import { nameOf, runProgram, torn, WRITING, writes } from './program.ts';
import { pick, randomFrom } from '../helpers/random.ts';
import { isWhole } from '../helpers/size.ts';
import { SEED, printLine } from './sweep.ts';
import { createWorld, type World } from './world.ts';

/** File size limits in 512-byte blocks: zero, a few, and not enough for longer files. */
const LIMITS = [0, 1, 2, 4, 8, 16];
/** Commands that save an id or a copy before they send a request. */
const SAVES_FIRST = /^(dsr submit|roles (push|edit|create|update|delete|rollback))/;
/** Commands that repeat their write when they are run again. */
const REPEATS_WRITE = /^(pipelines (trigger|reset)|connections update|intake event|api|dsr submit --regulation)/;
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

/** Returns the contents of the files in the user's folder, keyed by path. */
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
  if (fileLimit === 0 && SAVES_FIRST.test(nameOf(wanted)) && done.size > 0)
    problems.push(`sent, although nothing could be saved: ${[...done.keys()].join(', ')}`);
  const after = contents(world.folder);
  for (const [path, text] of before) {
    if (after.get(path) !== text && ended.code !== 0) problems.push(`${path} was damaged`);
  }

  const name = nameOf(wanted);
  // A user does not rerun a command that succeeded.
  if (!(wanted.exits ?? [0]).includes(ended.code ?? -1) && !REPEATS_WRITE.test(name)) {
    let again = await runProgram(world, wanted, { flags: RESUMED.test(name) ? ['--resume'] : [] });
    let requests = [...first, ...world.proxy.requests];
    // There was nothing to resume, or the first run applied part of a saved plan.
    if ((again.code === 2 && RESUMED.test(name)) || (await savedAgain(world, wanted, again.stderr))) {
      again = await runProgram(world, wanted);
      requests = [...requests, ...world.proxy.requests];
    }
    const all = operations(requests);
    const made = repeatable(requests);
    for (const [operation, count] of clean.operations) {
      if ((all.get(operation) ?? 0) !== count)
        problems.push(`with enough space, done ${all.get(operation) ?? 0} times: ${operation}`);
    }
    for (const call of clean.repeatable) if (!made.has(call)) problems.push(`with enough space, not sent: ${call}`);
    if (!(wanted.exits ?? [0]).includes(again.code ?? -1) && !again.stderr.includes('"hint"'))
      problems.push(`then exit ${again.code}: ${again.stderr}`);
  }
  return problems.map(
    (problem) => `${name} | ${fileLimit} blocks: ${problem} [exit ${ended.code} ${ended.stderr.slice(0, 300)}]`,
  );
}

/** Number of command lines in a sample, all of which write, and the minimum number of runs. */
const SAMPLE = 4;
const LEAST = isWhole ? (process.env.ONLY ? 1 : 200) : 2 * SAMPLE;

/** Returns the items in an order that the seed determines. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

test(
  'sends nothing that a full disk cannot save, and does not damage a file',
  async () => {
    const random = randomFrom(SEED);
    const program = await loadProgram();
    const candidates = WRITING.filter(({ command }) => helpAt(program, command)?.reads !== true);
    const problems: string[] = [];
    let lines = 0;
    let count = 0;
    printLine(`seed ${SEED}`);
    for (const wanted of isWhole ? candidates : shuffled(candidates, random)) {
      if (!isWhole && lines >= SAMPLE) break;
      const clean = await cleanRun(wanted);
      if (!writes(clean)) continue;
      lines++;
      for (const limit of isWhole ? LIMITS : [0, pick(LIMITS, random)]) {
        const found = await problemsOf(wanted, limit, clean);
        for (const problem of isWhole ? found : []) printLine(problem);
        problems.push(...found);
        count++;
      }
    }
    printLine(`${count} runs on a limited disk, ${problems.length} problems`);
    expect(problems).toEqual([]);
    expect(count).toBeGreaterThanOrEqual(LEAST);
  },
  isWhole ? 3_600_000 : 300_000,
);
