// Whoever looks for a command finds it by its name: `roles push` is src/commands/roles/push.ts.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/lib/kernel/clock.ts';
import { createContext } from '../../src/lib/runtime/create-context.ts';
import { helpOf } from '../../src/lib/runtime/help.ts';
import { entries, loadAll } from '../../src/program.ts';
import { root } from './sources.ts';

async function wholeProgram(): Promise<Command> {
  const io = {
    env: {},
    cwd: root,
    stdin: Readable.from([]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    tty: { stdin: false, stdout: false, stderr: false },
    columns: () => 80,
    clock: systemClock,
    random: Math.random,
  };
  return loadAll(createContext(io, new AbortController().signal));
}

/** The paths of all commands that do something, such as `['roles', 'push']`. */
async function leaves(): Promise<string[][]> {
  const program = await wholeProgram();
  return program.commands.flatMap((command) => below(command, [command.name()]));
}

function below(command: Command, path: string[]): string[][] {
  if (command.commands.length === 0) return [path];
  return command.commands.flatMap((child) => below(child, [...path, child.name()]));
}

test('every command has the file that its name says', async () => {
  const all = await leaves();
  expect(all.length).toBeGreaterThanOrEqual(entries.length);
  const lost = all.filter(([group = '', ...verbs]) => {
    const places = verbs.length === 0 ? [`${group}.ts`, `${group}/index.ts`] : [`${group}/${verbs.join('-')}.ts`];
    return !places.some((place) => existsSync(join(root, 'src/commands', place)));
  });
  expect(lost.map((path) => path.join(' '))).toEqual([]);
});

test('a note of the help is a paragraph, and not a line of one', async () => {
  const told = (command: Command): string[] => [...(helpOf(command)?.notes ?? []), ...command.commands.flatMap(told)];
  const notes = told(await wholeProgram());
  expect(notes.length).toBeGreaterThan(50);
  // It ends as a sentence does, or in a command line.
  expect(notes.filter((note) => !/[.:!?]$|cdpadm /.test(note))).toEqual([]);
});
