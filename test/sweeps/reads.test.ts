// Every command that takes several profiles because it only reads: it sends nothing but questions, and leaves no file.
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { helpAt, loadProgram } from '../helpers/command-tree.ts';
import { CASES } from './cases.ts';
import { createWorld, type World } from './world.ts';

const program = await loadProgram();

/** They try the credentials of seeding, which has nothing to read, by a batch without users, which is refused. */
const TRY = ['auth test', 'doctor'];

const cases = CASES.filter(
  ({ command, elsewhere }) => elsewhere === undefined && helpAt(program, command)?.reads === true,
);

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

test.each(cases.map((one) => [`${one.command} ${String(one.args)}`, one] as const))('%s', async (_line, one) => {
  await world.prepare(one);
  const before = readdirSync(world.folder, { recursive: true });
  const { code, stderr } = await world.run(one);
  expect(one.exits ?? [0], stderr).toContain(code);
  const sent = world.proxy.requests.filter(({ target }) => target !== '/oauth/token');
  const writes = sent.filter(({ method }) => method !== 'GET' && method !== 'HEAD');
  if (!TRY.includes(one.command)) expect(writes).toEqual([]);
  else expect(writes.map(({ answered }) => answered?.status)).toEqual([400]);
  expect(readdirSync(world.folder, { recursive: true })).toEqual(before);
});
