// Checks the table of command lines.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leavesBelow, loadProgram } from '../helpers/command-tree.ts';
import { CASES } from './cases.ts';
import { nameOf } from './program.ts';
import { createWorld, type World } from './world.ts';

const LOCAL = CASES.filter(({ elsewhere, local }) => local === true && elsewhere === undefined);

test('lists a case for every command', async () => {
  const covered = new Set(CASES.map(({ command }) => command));
  const leaves = leavesBelow(await loadProgram()).map(([path]) => path);
  expect(leaves.filter((path) => !covered.has(path))).toEqual([]);
});

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

test.each(LOCAL.map((one) => [nameOf(one), one] as const))(
  'runs without sending anything: %s',
  async (_name, wanted) => {
    await world.prepare(wanted);
    const before = await world.platform.api.requests();
    const { code, stderr } = await world.run(wanted);
    expect(wanted.exits ?? [0], stderr).toContain(code);
    expect(world.proxy.requests.map(({ method, target }) => `${method} ${target}`)).toEqual([]);
    expect(await world.platform.api.requests()).toEqual(before);
  },
);
