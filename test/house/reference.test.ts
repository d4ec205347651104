// The reference pages in `docs/` and the manual match the command records and the error registry.
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

it('lists every command and every help topic in the README table', () => {
  const rows = [
    ...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \| (.*) \|$/gm),
  ];
  const textOf = (name: string): string => rows.find(([, names]) => names?.includes(`\`${name}\``))?.[2] ?? '';
  const missing = all.groups.flatMap(({ commands, name }) => {
    // `pipelines` shares its commands with the row above it.
    const text = `${textOf(name)} ${name === 'pipelines' ? textOf('data-models') : ''}`;
    if (text.trim() === '') return [name];
    const verbs = new Set(commands.flatMap(({ path }) => path.split(' ')[1] ?? []));
    return [...verbs]
      .filter((verb) => !new RegExp(`(?<![\\w-])${verb}(?![\\w-])`).test(text))
      .map((verb) => `${name} ${verb}`);
  });
  expect(missing).toEqual([]);
  expect(Object.keys(all.topics).filter((topic) => !textOf('help').includes(topic))).toEqual([]);
});

it('names every page in the index, with a link if it is packed, and links every workflow from the CI page', () => {
  const page = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8');
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
  const guides = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');
  const recipes = readdirSync(join(root, 'docs/recipes')).map((name) => `recipes/${name}`);
  const mentionOf = (name: string): string => (files.includes(`!docs/${name}`) ? `\`docs/${name}\`` : `](${name})`);
  expect([...guides, ...recipes].filter((name) => !page('README.md').includes(mentionOf(name)))).toEqual([]);
  const workflows = recipes.filter((name) => name.endsWith('.yml'));
  expect(workflows.filter((name) => !page('ci.md').includes(`](${name})`))).toEqual([]);
});

it('includes a manual page for every command and one for the program', () => {
  const words = all.groups.flatMap(({ commands }) => commands.map(({ path }) => path.split(' ')));
  expect(words.length).toBeGreaterThan(100);
  expect(
    ['cdpadm', ...words.map((path) => `cdpadm-${path.join('-')}`)].filter((name) => !manual.has(`${name}.1`)),
  ).toEqual([]);
});

it('lists every manual page in package.json, because npm installs only listed pages (to fix: run `npm run docs`)', () => {
  const { man } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { man: string[] };
  expect(man).toEqual([...manual.keys()].sort().map((name) => `dist/man/${name}`));
});

it('links each manual page to the pages of the program, the group, and every command in the group', () => {
  const referred = (name: string): string[] =>
    [...(manual.get(`${name}.1`) ?? '').matchAll(/^\.Xr (\S+) 1/gm)].map(([, page = '']) => page);
  const names = [...manual.keys()].map((file) => file.replace(/\.1$/, ''));
  expect(names.flatMap(referred).filter((name) => !manual.has(`${name}.1`))).toEqual([]);
  for (const { commands, name } of all.groups) {
    const pages = [
      ...new Set([`cdpadm-${name}`, ...commands.map(({ path }) => `cdpadm-${path.replaceAll(' ', '-')}`)]),
    ];
    for (const page of pages) expect(new Set([page, ...referred(page)]), page).toEqual(new Set([...pages, 'cdpadm']));
  }
});

it('describes each flag in an example on the same manual page, or on the page of the group or the program', () => {
  const flagsOn = (page: string): string[] =>
    page.replace(/\\%|\\(?=-)/g, '').match(/(?<=^\.It .*)-{1,2}[\w-]+/gm) ?? [];
  expect(flagsOn(manual.get('cdpadm.1') ?? '')).toContain('--dry-run');
  for (const [name, page] of manual) {
    const examples = page.replace(/\\%|\\(?=-)/g, '').match(/^\$ cdpadm [^|;>#"']*/gm) ?? [];
    const used = examples.flatMap((line) => line.match(/(?<= )-{1,2}[a-z][\w-]*/g) ?? []);
    const own = [...manual].filter(([other]) => name.startsWith(other.replace(/\.1$/, '')));
    const known = [...own.flatMap(([, text]) => flagsOn(text)), '-h', '--help'];
    expect({ name, missing: used.filter((flag) => !known.includes(flag)) }).toEqual({ name, missing: [] });
  }
});

it('escapes dots, backslashes and capitalized words in the manual', () => {
  const [group] = all.groups;
  if (!group) throw new Error('there is no group');
  const [command] = group.commands;
  if (!command) throw new Error('unknown command');
  const notes = [".json and 'quoted' are not requests. No It is a macro: C:\\dir\\file -o."];
  const page = manPages({ ...all, groups: [{ ...group, commands: [{ ...command, notes }] }] }, '2026-01-31');
  expect(page.get(`cdpadm-${command.path.replaceAll(' ', '-')}.1`)).toContain(
    "\n\\&.json and 'quoted' are not requests.\n\\&No \\&It is a macro: C:\\edir\\efile \\%\\-o.\n",
  );
});

it.skipIf(!hasMandoc)(
  'writes a manual that mandoc accepts without warnings (skipped if mandoc is not installed)',
  () => {
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
  },
);
