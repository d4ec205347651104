// Requests an unknown column from every command that has columns: the command rejects the column, and does not send a
// write or change a file.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fieldsOf } from '../../src/lib/runtime/output/result-shape.ts';
import { CASES, type CommandCase, isEndless, leafOf, recordOf } from './cases.ts';
import { nameOf } from './program.ts';
import { createWorld, type World } from './world.ts';

/** Returns the result fields that the record declares. */
const fields = ({ command }: CommandCase): readonly string[] => fieldsOf(leafOf(command));

/**
 * Every command with columns. Excludes long-running commands, which print lines, and results without declared fields,
 * because these results are platform documents.
 */
const cases = CASES.filter(
  (one) =>
    one.elsewhere === undefined &&
    !one.plain &&
    !isEndless(one) &&
    (recordOf(one).columns !== undefined || fields(one).length > 0),
);

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

function filesOf(folder: string): Map<string, string> {
  const kept = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
  return new Map(kept.map((path) => [path, readFileSync(path, 'latin1')]));
}

/** Returns the settings and the files in the working directory, without caches or budgets. */
function kept(): Map<string, string>[] {
  return [world.folder, join(world.home.folder, 'config')].map((folder) =>
    statSync(folder, { throwIfNoEntry: false }) ? filesOf(folder) : new Map<string, string>(),
  );
}

const isWrite = (method: string): boolean => method !== 'GET' && method !== 'HEAD';

describe('an unknown column', () => {
  test.each(cases.map((one) => [nameOf(one), one] as const))('is rejected by %s', async (_line, one) => {
    await world.prepare(one);
    const before = kept();
    const { code, stderr, stdout } = await world.run(one, ['--fields', 'no_such_column', '-o', 'csv']);
    const sent = world.proxy.requests.filter(({ method, target }) => isWrite(method) && target !== '/oauth/token');
    expect(sent.map(({ method, target }) => `${method} ${target}`)).toEqual([]);
    expect(kept()).toEqual(before);
    expect(stdout).toBe('');
    expect(code, stderr).toBe(2);
    // Tab completion must offer only columns that exist.
    const line = `cdpadm ${one.command} ${one.args.includes('--bulk') ? '--bulk x ' : ''}--fields `;
    const completion = await world.home.run(['__complete', 'fish', 'cdpadm', line]);
    const offered = completion.stdout.trimEnd().split('\n').slice(1);
    expect(/Known fields: (.*)\.$/m.exec(stderr)?.[1]?.split(', ') ?? []).toEqual(expect.arrayContaining(offered));
    // Completion may offer nothing if the columns depend on a file that the command reads.
    if (typeof recordOf(one).columns !== 'function') expect(offered).not.toEqual([]);
  });
});
