// Every embedded platform in a test is checked against the OpenAPI document, whatever process it runs in.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliHome, createCliHome } from '../helpers/cli.ts';
import { judgedOf, judgedPlatforms } from '../helpers/wire-judge.ts';
import { PROGRAM, root } from '../helpers/root.ts';

/** A call with an undocumented parameter, which the platform ignores. */
const LINE = ['api', 'GET', '/platform/v2/organizations/{orgId}/accounts/{accountId}/roles?everything=1'];
const LOCAL = ['--profile', 'local'];

let home: CliHome;
beforeEach(() => (home = createCliHome()));
afterEach(() => home.remove());

describe('a platform that the program starts', () => {
  test.each([
    ['in this process', async () => (await home.run([...LINE, ...LOCAL])).code],
    ['in its own process', () => program(home.env)],
  ])('is checked at every exchange if it runs %s', async (_where, run) => {
    expect(await run()).toBe(0);
    const [platform = '', ...more] = await judgedPlatforms();
    expect(more).toEqual([]);
    const { count, violations } = await judgedOf(platform);
    // One exchange is the token request, the other is the call itself.
    expect(count).toBe(2);
    expect(violations).toEqual([expect.stringContaining('query parameter everything: is not documented')]);
    expect(await judgedPlatforms()).toEqual([]);
  });

  test("is not checked without a test home's environment", async () => {
    const { NODE_OPTIONS: _told, ...env } = home.env;
    expect(program(env)).toBe(0);
    expect(await judgedPlatforms()).toEqual([]);
  });

  function program(env: Record<string, string>): number | null {
    const words = [PROGRAM, ...LINE, ...LOCAL];
    return spawnSync(process.execPath, words, { cwd: home.cwd, env, stdio: 'ignore' }).status;
  }
});

/** Matches code that runs the program as a process. */
const RUNS = /\b(?:PROGRAM|cdpadm\.js)\b|openTerminal\(|bundleEntry\(|runProgram\(/;
/** Matches code that uses an environment that reports exchanges. */
const REPORTS = /\bcreate(?:\w*Home|World)\(|\bopenPlatformHome\(|\breportingEnv\(/;
/** Files that do not start a platform in a process, and why they do not need an environment that reports exchanges. */
const WITHOUT: Record<string, string> = {
  'test/helpers/root.ts': 'only has the path',
  'test/helpers/bundle.ts': 'only builds the entry',
  'test/helpers/pty.ts': 'uses the environment of its caller',
  'test/sweeps/program.ts': 'uses the environment of its world',
  'test/house/chunks.test.ts': 'counts the loaded modules',
  'test/house/code-cache.test.ts': 'starts its own program',
  'test/house/help-screens.test.ts': 'only prints help',
  'test/house/start.test.ts': 'only checks the start',
  'test/e2e/release.test.ts': 'runs a small script instead of the program',
  'test/helpers/release.ts': 'runs a small script instead of the program',
  'test/e2e/durable.test.ts': 'runs a single module',
  'test/e2e/lock.test.ts': 'runs a single module',
  'test/e2e/chain-kill.test.ts': 'runs a single module',
  'test/e2e/make-folder.test.ts': 'runs a single module',
  'test/e2e/hook-without-files.test.ts': 'runs a single module',
};

test('checks every process that may run a platform', () => {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const unreported = files
    .map((name) => ({ path: `test/${name}`, text: readFileSync(join(root, 'test', name), 'utf8') }))
    .filter(({ text }) => RUNS.test(text) && !REPORTS.test(text))
    .map(({ path }) => path);
  expect(unreported.sort()).toEqual(Object.keys(WITHOUT).sort());
});
