// Runs the example programs on the page about the embedded platform as written, with the installed package.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../helpers/root.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const run = promisify(execFile);

const page = readFileSync(join(root, 'docs/emulator.md'), 'utf8');
const programs = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

function projectWith(program: string): { folder: string; file: string } {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'cdpadm'), 'junction');
  const file = join(folder, 'program.mjs');
  writeFileSync(file, program);
  return { folder, file };
}

test('finds two example programs on the page, one of them with fixtures', () => {
  expect(programs).toHaveLength(2);
  expect(programs[1]).toContain('fixtures: {');
});

test.each(programs.map((text, index) => [index + 1, text] as const))(
  'runs example program %i',
  async (_number, program) => {
    const { folder, file } = projectWith(program);
    // The process exits only after everything that it started has stopped.
    expect(await run(process.execPath, [file], { cwd: folder })).toEqual({ stdout: '', stderr: '' });
  },
);

test('reports invalid options to a program without types', async () => {
  const { folder, file } = projectWith(`
import { startEmulator } from 'cdpadm';
const told = await startEmulator({ clock: 'slow' }).catch(({ code, message }) => code + ': ' + message);
console.log(told);
`);
  const { stdout } = await run(process.execPath, [file], { cwd: folder });
  expect(stdout).toBe('usage: The option `clock` of startEmulator must be `real` or `manual`.\n');
});
