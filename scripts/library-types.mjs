// Emits the type declarations of the library's entry point and of the files that it references.
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/**
 * @param {string} root the project folder
 * @param {string} folder the target folder
 */
export async function emitLibraryTypes(root, folder) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [tsc, '-p', join(root, 'tsconfig.library.json'), '--outDir', folder];
  await promisify(execFile)(process.execPath, args, { cwd: root });
  const mentioned = new Set([join(folder, 'library.d.ts')]);
  // The loop also visits files that are added to the set while it runs.
  for (const file of mentioned) {
    const text = await readFile(file, 'utf8');
    // TypeScript before 5.0 does not support imports that end in .ts. Every version resolves x.js to x.d.ts.
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
