// Every command that takes several profiles because it only reads: it sends nothing but questions, and leaves no file.
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Command } from 'commander';
import { createContext } from '../../src/lib/runtime/create-context.ts';
import { helpOf } from '../../src/lib/runtime/help.ts';
import { loadAll } from '../../src/program.ts';
import { createTestIo } from '../helpers/cli.ts';
import { CASES } from './cases.ts';
import { createWorld, type World } from './world.ts';

const program = await loadAll(createContext(createTestIo().io, new AbortController().signal));

function reads(path: string): boolean {
  const find = (command: Command | undefined, word: string) => command?.commands.find((child) => child.name() === word);
  const command = path.split(' ').reduce<Command | undefined>(find, program);
  return command !== undefined && helpOf(command)?.reads === true;
}

/** They try the credentials of seeding, which has nothing to read, by a batch without users, which is refused. */
const TRY = ['auth test', 'doctor'];

const cases = CASES.filter(({ command, elsewhere }) => elsewhere === undefined && reads(command));

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
