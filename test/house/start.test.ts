// Checks `bin/cdpadm.js`: it starts the bundle, or reports why it cannot.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../helpers/root.ts';

let folder: string;

/** Copies only `bin`. The tests that need a bundle create one that consists of a single line. */
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cdpadm-start-')));
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: packageJson.version }));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function start(args: string[], nodeArgs: string[] = []): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...nodeArgs, join(folder, 'bin/cdpadm.js'), ...args],
    {
      encoding: 'utf8',
    },
  );
  return { status, stdout, stderr };
}

/** Makes Node report a different version. */
function pretendToBe(version: string): string[] {
  const preload = join(folder, `node-${version}.cjs`);
  writeFileSync(
    preload,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`,
  );
  return ['--require', preload];
}

describe('bin/cdpadm.js without a build', () => {
  test.each(['--version', '-V'])('prints the version for %s', (flag) => {
    expect(start([flag])).toEqual({ status: 0, stdout: `${packageJson.version}\n`, stderr: '' });
  });

  test('prints that a build is required for any other argument', () => {
    expect(start(['roles', 'list'])).toEqual({
      status: 1,
      stdout: '',
      stderr: `cdpadm is not built yet. Run \`npm run build\` in ${folder}, then try again.\n`,
    });
  });

  test('does not fail when its output is closed early', async () => {
    const child = spawn(process.execPath, [join(folder, 'bin/cdpadm.js'), '--version']);
    child.stdout.destroy();
    const [exit, stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
    expect({ exit, stderr }).toEqual({ exit: [0, null], stderr: '' });
  });
});

describe('bin/cdpadm.js with a build', () => {
  beforeAll(() => {
    mkdirSync(join(folder, 'dist'));
    writeFileSync(
      join(folder, 'dist/main.js'),
      'exports.main = async () => console.log(JSON.stringify(process.argv.slice(2)))',
    );
  });

  test('starts the bundle, which also handles --version with other arguments', () => {
    expect(start(['--version', '--json'])).toEqual({ status: 0, stdout: '["--version","--json"]\n', stderr: '' });
    expect(start([]).stdout).toBe('[]\n');
  });

  test.each(['18.20.4', '20.18.3'])('rejects Node %s as too old', (version) => {
    const { status, stdout, stderr } = start([], pretendToBe(version));
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toBe(`cdpadm needs Node.js 20.19 or newer, and this is ${version}. Install a newer Node.js.\n`);
  });

  test.each(['20.19.0', '22.13.0', '24.1.0'])('accepts Node %s', (version) => {
    expect(start([], pretendToBe(version)).stdout).toBe('[]\n');
  });
});
