// Every platform that a test has to do with is judged, whoever starts it: a judge that hears nothing finds nothing.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliHome, createCliHome } from '../helpers/cli.ts';
import { judgedOf, judgedPlatforms } from '../helpers/wire-judge.ts';
import { PROGRAM, root } from '../helpers/root.ts';

/** A call of which the platform bears what no document knows. */
const LINE = ['api', 'GET', '/platform/v2/organizations/{orgId}/accounts/{accountId}/roles?everything=1'];
const LOCAL = ['--profile', 'local'];

let home: CliHome;
beforeEach(() => (home = createCliHome()));
afterEach(() => home.remove());

describe('a platform that the program starts', () => {
  test.each([
    ['in this process', async () => (await home.run([...LINE, ...LOCAL])).code],
    ['in its own', () => program(home.env)],
  ])('%s is judged, each exchange of it', async (_where, run) => {
    expect(await run()).toBe(0);
    const [platform = '', ...more] = await judgedPlatforms();
    expect(more).toEqual([]);
    const { count, violations } = await judgedOf(platform);
    // The token, and the call itself.
    expect(count).toBe(2);
    expect(violations).toEqual([expect.stringContaining('query parameter everything: is not documented')]);
    expect(await judgedPlatforms()).toEqual([]);
  });

  test('is not judged without the environment of a home', async () => {
    const { NODE_OPTIONS: _told, ...env } = home.env;
    expect(program(env)).toBe(0);
    expect(await judgedPlatforms()).toEqual([]);
  });

  function program(env: Record<string, string>): number | null {
    const words = [PROGRAM, ...LINE, ...LOCAL];
    return spawnSync(process.execPath, words, { cwd: home.cwd, env, stdio: 'ignore' }).status;
  }
});

/** The files that run our program as a process. */
const RUNS = /\b(?:PROGRAM|cdpadm\.js)\b|openTerminal\(|bundleEntry\(|runProgram\(/;
/** An environment from which its platforms are heard of. */
const TOLD = /\bcreate(?:\w*Home|World)\(|\bopenPlatformHome\(|\btellingEnv\(/;
/** Those that have no platform in a process of its own, and why their environment is another. */
const WITHOUT: Record<string, string> = {
  'test/helpers/root.ts': 'says where it is',
  'test/helpers/bundle.ts': 'makes what others run',
  'test/helpers/pty.ts': 'has the environment that it is given',
  'test/sweeps/program.ts': 'has the environment of its world',
  'test/house/chunks.test.ts': 'what a start loads is counted',
  'test/house/code-cache.test.ts': 'starts of a program of its own',
  'test/house/help-screens.test.ts': 'help alone',
  'test/house/start.test.ts': 'starts alone',
  'test/e2e/seed-rejects.test.ts': 'one module alone',
  'test/e2e/durable.test.ts': 'one module alone',
  'test/e2e/lock.test.ts': 'one module alone',
  'test/e2e/chain-kill.test.ts': 'one module alone',
  'test/e2e/make-folder.test.ts': 'one module alone',
};

test('judges every process that may have a platform', () => {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const untold = files
    .map((name) => ({ path: `test/${name}`, text: readFileSync(join(root, 'test', name), 'utf8') }))
    .filter(({ text }) => RUNS.test(text) && !TOLD.test(text))
    .map(({ path }) => path);
  expect(untold.sort()).toEqual(Object.keys(WITHOUT).sort());
});
