// The reference pages of `docs/` and the manual match the command records and the error registry.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { manPages } from '../../scripts/man-pages.mjs';
import { markdownPages } from '../../scripts/markdown-pages.mjs';
import { reference } from '../../src/main.ts';
import { createTestIo } from '../helpers/cli.ts';
import { root } from '../helpers/root.ts';

const all = await reference(createTestIo().io);
const manual = manPages(all, '2026-01-31');
const hasMandoc = spawnSync('mandoc', ['-Tlint'], { input: '' }).error === undefined;

it('keeps docs/ up to date (to fix: run `npm run docs`, then commit)', () => {
  const pages = markdownPages(all);
  const kept = readdirSync(join(root, 'docs/commands')).map((name) => `commands/${name}`);
  expect(kept.sort()).toEqual([...pages.keys()].filter((name) => name.startsWith('commands/')).sort());
  for (const [name, text] of pages) expect(readFileSync(join(root, 'docs', name), 'utf8'), name).toBe(text);
});

it('has a manual page for every command and one for the program', () => {
  const words = all.groups.flatMap(({ commands }) => commands.map(({ path }) => path.split(' ')));
  expect(words.length).toBeGreaterThan(100);
  expect(
    ['cdpadm', ...words.map((path) => `cdpadm-${path.join('-')}`)].filter((name) => !manual.has(`${name}.1`)),
  ).toEqual([]);
});

it('lists the manual in package.json, because npm installs only pages on that list (to fix: run `npm run docs`)', () => {
  const { man } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { man: string[] };
  expect(man).toEqual([...manual.keys()].sort().map((name) => `dist/man/${name}`));
});

it('escapes dots, backslashes and capitalized words in the manual', () => {
  const [group] = all.groups;
  if (!group) throw new Error('there is no group');
  const [command] = group.commands;
  if (!command) throw new Error('unknown command');
  const notes = [".json and 'quoted' are not requests. No It is a macro: C:\\dir\\file -o."];
  const page = manPages({ ...all, groups: [{ ...group, commands: [{ ...command, notes }] }] }, '2026-01-31');
  expect(page.get(`cdpadm-${command.path.replaceAll(' ', '-')}.1`)).toContain(
    "\n\\&.json and 'quoted' are not requests.\n\\&No \\&It is a macro: C:\\edir\\efile \\-o.\n",
  );
});

it.skipIf(!hasMandoc)('writes a manual without a warning from mandoc (skipped without mandoc)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cdpadm-man-'));
  try {
    for (const [name, text] of manual) writeFileSync(join(folder, name), text);
    const { status, stdout } = spawnSync('mandoc', ['-Tlint', '-W', 'warning', ...manual.keys()], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
