// Runs every command line in a folder whose project file sets `access: read`: a write exits with 12 and sends nothing.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CASES, type CommandCase, recordOf } from './cases.ts';
import { nameOf } from './program.ts';
import { createWorld, type World } from './world.ts';

const cases = CASES.filter(({ elsewhere, local, serves }) => elsewhere === undefined && local !== true && !serves);

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** Returns the requests that write to the platform, excluding those to an embedded platform's control address. */
function writes(one: CommandCase): string[] {
  if (recordOf(one).calls === 'emulator') return [];
  const sent = world.proxy.requests.filter(
    ({ method, target }) => !['GET', 'HEAD'].includes(method) && target !== '/oauth/token',
  );
  return sent.map(({ method, target }) => `${method} ${target}`);
}

async function prepare(one: CommandCase): Promise<void> {
  await world.prepare(one);
  writeFileSync(join(world.folder, '.cdpadm.yaml'), 'access: read\n');
}

test.each(cases.map((one) => [nameOf(one), one] as const))(
  'does not send a write under `access: read`: %s',
  async (_name, one) => {
    await world.prepare(one);
    await world.run(one);
    const wouldWrite = recordOf(one).effect !== 'read' && writes(one).length > 0;
    await prepare(one);
    const blocked = await world.run(one);
    expect(writes(one)).toEqual([]);
    if (wouldWrite) expect(blocked.code).toBe(12);
    if (blocked.code === 12) {
      expect(blocked.stderr).toContain('access: read');
      await prepare(one);
      const dry = await world.run(one, ['--dry-run']);
      expect(dry.code, dry.stderr).toBe(0);
      expect(writes(one)).toEqual([]);
    } else {
      expect(one.exits ?? [0], blocked.stderr).toContain(blocked.code);
    }
  },
);
