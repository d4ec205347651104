// The workflows of this repository, those of the recipes, and the action.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '@actions/languageservice';
import { describe, expect, test } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { parse } from 'yaml';
import { root } from '../helpers/root.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

interface Step {
  run?: string;
}

interface Workflow {
  jobs?: Record<string, { steps: Step[] }>;
  runs?: { steps: Step[] };
}

const below = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => join(folder, name));
const paths = ['action.yml', ...below('.github/workflows'), ...below('docs/recipes')];
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Makes each address unique, because the service caches what it parsed by address. */
let uses = 0;

/** Returns what GitHub's own language service finds in a file: `line: problem`. */
async function problemsOf(path: string, text: string): Promise<string[]> {
  uses += 1;
  const problems = await validate(TextDocument.create(`file:///${uses}/${path}`, 'yaml', 1, text));
  return problems.map(
    ({ message, range }) => `${range.start.line + 1}: ${typeof message === 'string' ? message : message.value}`,
  );
}

/** Returns the shell lines of every step. */
function commandsOf(path: string): string[] {
  const { jobs = {}, runs } = parse(textOf(path)) as Workflow;
  const steps = [...Object.values(jobs), ...(runs ? [runs] : [])].flatMap((job) => job.steps);
  return steps.flatMap(({ run }) => run ?? []);
}

test('finds the workflows and the action', () => {
  expect(paths.length).toBeGreaterThan(6);
  expect(paths.flatMap(commandsOf).length).toBeGreaterThan(20);
});

describe.each(paths)('%s', (path) => {
  test('is valid for GitHub', async () => {
    expect(await problemsOf(path, textOf(path))).toEqual([]);
  });

  // GitHub inserts the value before the shell reads the line, so a branch name could run as a command.
  test('passes values to the shell only in variables', () => {
    expect(commandsOf(path).filter((line) => line.includes('${{'))).toEqual([]);
  });
});

test.each([
  ['.github/workflows/a.yml', 'contents: read', 'content: read', /content/],
  ['.github/workflows/a.yml', 'github.token', 'githup.token', /githup/],
  ['action.yml', 'using: composite', 'using: compos', /compos/],
])('reports a mistake in %s: %s written as %s', async (path, from, to, problem) => {
  const text = textOf(path === 'action.yml' ? path : 'docs/recipes/roles-drift.yml');
  expect((await problemsOf(path, text.replace(from, to))).join('\n')).toMatch(problem);
});

const hasShellcheck = spawnSync('shellcheck', ['--version']).error === undefined;
test.skipIf(!hasShellcheck)('passes shellcheck in every step (skipped if shellcheck is not installed)', () => {
  const folder = temporaryFolder();
  const names = paths.flatMap((path) =>
    commandsOf(path).map((line, index) => {
      const name = `${path.replaceAll('/', '-')}-${index}`;
      writeFileSync(join(folder, name), line);
      return name;
    }),
  );
  const { stdout } = spawnSync('shellcheck', ['--shell=bash', ...names], { cwd: folder, encoding: 'utf8' });
  expect(stdout).toBe('');
});
