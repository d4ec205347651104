// Measures the size on disk after `npm install cdpadm`, and the size of the program's own code.
import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Returns the size of the package's own files and its runtime dependencies.
 * @param {string} root the project's folder, built and with its dependencies installed
 * @returns {Promise<number>} megabytes (of a million bytes)
 */
export async function installedSize(root) {
  const listed = await run('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: root });
  // The first line is the project itself, only part of which is packed.
  const folders = listed.stdout.trim().split('\n').slice(1);
  const packed = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root });
  /** @type {{ unpackedSize: number }[]} */
  const packages = JSON.parse(packed.stdout);
  const sizes = await Promise.all(folders.map((path) => folderSize(path)));
  return [...sizes, ...packages.map(({ unpackedSize }) => unpackedSize)].reduce((sum, size) => sum + size, 0) / 1e6;
}

/**
 * Returns the size of the code in `dist/` without the chunks of the embedded platform.
 * @param {string} root
 * @returns {Promise<number>} megabytes (of a million bytes)
 */
export async function bundleSize(root) {
  const isProgram = (/** @type {string} */ path) => path.endsWith('.js') && !/^(emulator|hono)\b/.test(basename(path));
  return (await folderSize(join(root, 'dist'), isProgram)) / 1e6;
}

/**
 * @param {string} folder
 * @param {(path: string) => boolean} counts
 */
async function folderSize(folder, counts = () => true) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.filter(counts).map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
