// Every read-only command works even if the home is read-only or the disk is full. The exit code is the same as with a
// writable home, and the command prints at most one warning.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { helpAt, loadProgram } from '../helpers/command-tree.ts';
import { pick, randomFrom } from '../helpers/random.ts';
import { isWhole } from '../helpers/size.ts';
import { CASES, type CommandCase } from './cases.ts';
import { nameOf, runProgram } from './program.ts';
import { SEED, printLine } from './sweep.ts';
import { createWorld, type World } from './world.ts';

/** A folder where no user can create anything. */
const NOWHERE = '/proc/cdpadm';
/** `doctor` reports problems with the home, so it is excluded. */
const EXAMINES = 'doctor';
/** These commands write a file for the user, which fails on a full disk. */
const WRITES_A_FILE = /^(roles pull|warehouse export|dsr results)/;

let world: World;
let reads: CommandCase[];
beforeAll(async () => {
  world = await createWorld();
  const program = await loadProgram();
  reads = CASES.filter(
    (one) =>
      one.elsewhere === undefined &&
      !one.serves &&
      helpAt(program, one.command)?.reads === true &&
      one.command !== EXAMINES,
  );
});
afterAll(() => world.close());

const warnings = (stderr: string): number => stderr.split('continues without it').length - 1;

test.skipIf(process.platform !== 'linux')(
  'exits with the same code without a cache or a state folder, and prints at most one warning',
  async () => {
    const problems: string[] = [];
    let warned = 0;
    for (const wanted of reads) {
      await world.prepare(wanted);
      const good = await world.run(wanted, ['-o', 'json']);
      await world.prepare(wanted);
      // These commands read state that earlier commands wrote, so they keep their state folder.
      const needsState = wanted.before !== undefined || wanted.command.startsWith('emulator');
      const env = {
        ...wanted.env,
        CDPADM_CACHE_DIR: NOWHERE,
        ...(needsState ? {} : { CDPADM_STATE_DIR: NOWHERE }),
      };
      const bad = await world.run({ ...wanted, env }, ['-o', 'json']);
      if (bad.code !== good.code) problems.push(`${nameOf(wanted)}: ${good.code}, then ${bad.code} ${bad.stderr}`);
      if (warnings(bad.stderr) > 1) problems.push(`${nameOf(wanted)}: ${bad.stderr}`);
      warned += warnings(bad.stderr);
    }
    expect(problems).toEqual([]);
    expect(reads.length).toBeGreaterThan(25);
    expect(warned).toBeGreaterThan(10);
  },
);

test('succeeds when no file can be written, and prints at most one warning', async () => {
  const random = randomFrom(SEED);
  printLine(`seed ${SEED}`);
  const candidates = reads.filter(({ command }) => !WRITES_A_FILE.test(command));
  const chosen = isWhole ? candidates : Array.from({ length: 4 }, () => pick(candidates, random));
  const problems: string[] = [];
  for (const wanted of chosen) {
    await world.prepare(wanted);
    const { code, hangs, stderr } = await runProgram(world, wanted, { fileLimit: 0 });
    const isExpected = code !== null && (wanted.exits ?? [0]).includes(code);
    if (hangs || !isExpected || warnings(stderr) > 1) problems.push(`${nameOf(wanted)}: ${code} ${stderr}`);
  }
  expect(problems).toEqual([]);
});
