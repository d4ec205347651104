// Generates the reference pages of `docs/` from the built program. Also updates `man` in package.json, because npm
// installs only the manual pages listed there. A test fails if the pages are out of date.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtProgram, quietIo } from './built-program.mjs';
import { markdownPages } from './markdown-pages.mjs';

const root = join(import.meta.dirname, '..');
const docs = join(root, 'docs');
const reference = await builtProgram(join(root, 'dist')).reference(quietIo(100));
await rm(join(docs, 'commands'), { recursive: true, force: true });
await mkdir(join(docs, 'commands'));
for (const [name, text] of markdownPages(reference)) await writeFile(join(docs, name), text);

const manifest = join(root, 'package.json');
/** @type {object} */
const fields = JSON.parse(await readFile(manifest, 'utf8'));
const man = (await readdir(join(root, 'dist/man'))).sort().map((name) => `dist/man/${name}`);
await writeFile(manifest, `${JSON.stringify({ ...fields, man }, null, 2)}\n`);
