// Runs the documented vitest, pytest and Go test recipes as written.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createCliHome } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(ROOT, 'docs/recipes/your-own-tests.md'), 'utf8');

const recipe = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? '';

const works = (command: string, args: string[]): boolean => spawnSync(command, args, { stdio: 'pipe' }).status === 0;

/** Creates a folder with `cdpadm` on its PATH and in its node_modules. */
function project(file: string, text: string): { folder: string; env: Record<string, string> } {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules'));
  for (const [name, path] of [
    ['cdpadm', ROOT],
    ['vitest', join(ROOT, 'node_modules/vitest')],
  ] as const) {
    symlinkSync(path, join(folder, 'node_modules', name), 'junction');
  }
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const program = join(bin, 'cdpadm');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'bin/cdpadm.js')}" "$@"\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(folder, file), text);
  const { env, remove } = createCliHome();
  onTestFinished(remove);
  return { folder, env: { ...env, PATH: [bin, process.env['PATH']].join(delimiter) } };
}

it('runs the recipe for vitest', () => {
  const { folder, env } = project('rehearsal.test.ts', recipe('ts'));
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  execFileSync(process.execPath, [vitest, 'run', '--root', folder], { cwd: folder, env, stdio: 'pipe' });
});

it('runs the recipe for pytest', ({ skip }) => {
  const python = ['/usr/bin/python3', 'python3'].find((path) => works(path, ['-m', 'pytest', '--version']));
  if (python === undefined) return skip('needs python3 with pytest');
  const { folder, env } = project('test_rehearsal.py', recipe('python'));
  const said = execFileSync(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], {
    cwd: folder,
    env,
    stdio: 'pipe',
  });
  expect(said.toString()).toContain('1 passed');
});

it('runs the recipe for Go', ({ skip }) => {
  if (!works('go', ['version'])) return skip('needs go');
  const { folder, env } = project('rehearsal_test.go', recipe('go'));
  writeFileSync(join(folder, 'go.mod'), 'module rehearsal\n\ngo 1.19\n');
  // The cache is kept between runs, because with an empty cache, Go compiles its standard library.
  const cache = join(ROOT, 'node_modules/.cache/go-build');
  const own = { ...env, GOFLAGS: '-mod=mod', GOPROXY: 'off', GOCACHE: cache, CGO_ENABLED: '0' };
  const said = execFileSync('go', ['test', './...'], { cwd: folder, env: own, stdio: 'pipe' });
  expect(said.toString()).toMatch(/^ok\s+rehearsal/m);
});
