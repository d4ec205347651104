// Every command line under a profile with `access: read`: a write ends with 12 before anything is sent for it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CASES, type CommandCase } from './cases.ts';
import { nameOf } from './program.ts';
import { createWorld, type World } from './world.ts';

const cases = CASES.filter(({ elsewhere, local, serves }) => elsewhere === undefined && local !== true && !serves);

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** Every request that is not a read or the token's; the control of an embedded platform is no call of the platform. */
function writes({ command }: CommandCase): string[] {
  if (command.startsWith('emulator ')) return [];
  const sent = world.proxy.requests.filter(
    ({ method, target }) => !['GET', 'HEAD'].includes(method) && target !== '/oauth/token',
  );
  return sent.map(({ method, target }) => `${method} ${target}`);
}

async function prepare(one: CommandCase): Promise<void> {
  await world.prepare(one);
  writeFileSync(join(world.folder, '.cdpadm.yaml'), 'access: read\n');
}

test.each(cases.map((one) => [nameOf(one), one] as const))('%s', async (_name, one) => {
  await prepare(one);
  const blocked = await world.run(one);
  expect(writes(one)).toEqual([]);
  if (blocked.code === 12) {
    expect(blocked.stderr).toContain('access: read');
    await prepare(one);
    const dry = await world.run(one, ['--dry-run']);
    expect(dry.code, dry.stderr).toBe(0);
    expect(writes(one)).toEqual([]);
  } else {
    expect(one.exits ?? [0], blocked.stderr).toContain(blocked.code);
  }
});

test('blocks every command line that writes otherwise', async () => {
  for (const one of cases) {
    await world.prepare(one);
    await world.run(one);
    const sent = writes(one);
    if (sent.length === 0 || ['auth test', 'doctor'].includes(one.command)) continue;
    await prepare(one);
    expect((await world.run(one)).code, nameOf(one)).toBe(12);
  }
});
