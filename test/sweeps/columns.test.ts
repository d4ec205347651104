// Every command that writes, with a column that no result has: refused before anything is sent or written.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CASES } from './cases.ts';
import { createWorld, type World } from './world.ts';

/** What the first prints is whatever the platform answers; the second writes lines, not a table. */
const WITHOUT = new Set(['api', 'pipelines watch']);

/** Their columns are the platform's or the file's. */
const DYNAMIC = new Set(['profile export', 'roles matrix', 'seed preview', 'schema']);

const cases = CASES.filter(
  ({ elsewhere, command, plain }) => elsewhere === undefined && !WITHOUT.has(command) && !plain,
);

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** Every file of the present home that somebody would miss or wonder about, with what it holds. */
function filesOf(folder: string): Map<string, string> {
  const kept = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
  return new Map(kept.map((path) => [path, readFileSync(path, 'latin1')]));
}

/** Settings, and what lies where the user works; not caches and budgets. */
function kept(): Map<string, string>[] {
  return [world.folder, join(world.home.folder, 'config')].map((folder) =>
    statSync(folder, { throwIfNoEntry: false }) ? filesOf(folder) : new Map<string, string>(),
  );
}

const isWrite = (method: string): boolean => method !== 'GET' && method !== 'HEAD';

describe('an unknown column', () => {
  test.each(cases.map((one) => [`${one.command} ${String(one.args)}`, one] as const))('%s', async (_line, one) => {
    await world.prepare(one);
    const before = kept();
    const { code, stderr, stdout } = await world.run(one, ['--fields', 'no_such_column', '-o', 'csv']);
    const sent = world.proxy.requests.filter(({ method, target }) => isWrite(method) && target !== '/oauth/token');
    expect(sent.map(({ method, target }) => `${method} ${target}`)).toEqual([]);
    expect(kept()).toEqual(before);
    expect(stdout).toBe('');
    expect(code, stderr).toBe(2);
    // What Tab offers is there, and where the help knows the columns it offers some.
    const line = `cdpadm ${one.command} ${one.args.includes('--bulk') ? '--bulk x ' : ''}--fields `;
    const told = await world.home.run(['__complete', 'fish', 'cdpadm', line]);
    const offered = told.stdout.trimEnd().split('\n').slice(1);
    expect(/Known fields: (.*)\.$/m.exec(stderr)?.[1]?.split(', ') ?? []).toEqual(expect.arrayContaining(offered));
    expect(offered.length > 0).toBe(!DYNAMIC.has(one.command));
  });
});
