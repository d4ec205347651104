// Writes the reference pages of `docs/` from the built program; a test fails if they are out of date.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtProgram, quietIo } from './built-program.mjs';
import { markdownPages } from './markdown-pages.mjs';

const root = join(import.meta.dirname, '..');
const docs = join(root, 'docs');
const reference = await builtProgram(join(root, 'dist')).reference(quietIo(100));
await rm(join(docs, 'commands'), { recursive: true, force: true });
await mkdir(join(docs, 'commands'));
for (const [name, text] of markdownPages(reference)) await writeFile(join(docs, name), text);
