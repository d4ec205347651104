// The declarations of the library: those of its entry and of what they mention, and no others.
import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/**
 * @param {string} root the project's folder
 * @param {string} folder where they go
 */
export async function emitLibraryTypes(root, folder) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [tsc, '-p', join(root, 'tsconfig.library.json'), '--outDir', folder];
  await promisify(execFile)(process.execPath, args, { cwd: root });
  const mentioned = new Set([join(folder, 'library.d.ts')]);
  // A set goes on to what is added while it is walked.
  for (const file of mentioned) {
    const text = await readFile(file, 'utf8');
    for (const [, specifier = ''] of text.matchAll(/(?:\bfrom |\bimport\()['"](\..*?)\.ts['"]/g)) {
      mentioned.add(resolve(dirname(file), `${specifier}.d.ts`));
    }
  }
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !mentioned.has(file)) await rm(file);
  }
}
