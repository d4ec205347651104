// Runs every command that only reads and exits by itself. No such command may send a write that the platform accepts,
// or create a file.
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CASES, recordOf } from './cases.ts';
import { nameOf } from './program.ts';
import { createWorld, type World } from './world.ts';

const cases = CASES.filter((one) => one.elsewhere === undefined && recordOf(one).reads === true);

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

test.each(cases.map((one) => [nameOf(one), one] as const))(
  'does not send a write that the platform accepts, and does not create a file: %s',
  async (_line, one) => {
    await world.prepare(one);
    const before = readdirSync(world.folder, { recursive: true });
    const { code, stderr } = await world.run(one);
    expect(one.exits ?? [0], stderr).toContain(code);
    const sent = world.proxy.requests.filter(({ target }) => target !== '/oauth/token');
    const writes = sent.filter(({ method }) => method !== 'GET' && method !== 'HEAD');
    // Seeding has no read, so a check sends a batch without users, which the platform rejects.
    if (one.reports && writes.length > 0) expect(writes.map(({ answered }) => answered?.status)).toEqual([400]);
    else expect(writes).toEqual([]);
    expect(readdirSync(world.folder, { recursive: true })).toEqual(before);
  },
);
