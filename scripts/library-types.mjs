// The declarations of the library: those of its entry and of what they mention, and no others.
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
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
    // Compilers of before 5.0 know no import that ends in .ts; all of them find x.d.ts when asked for x.js.
    const published = text.replace(/((?:\bfrom |\bimport\()['"])(\..*?)\.ts(?=['"])/g, (_, before, specifier) => {
      mentioned.add(resolve(dirname(file), `${specifier}.d.ts`));
      return `${before}${specifier}.js`;
    });
    await writeFile(file, published);
  }
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !mentioned.has(file)) await rm(file);
  }
}
