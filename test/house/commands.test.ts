// Each command is defined in its group's folder, in a file that has its name or mentions it. Resource groups share
// `resource-commands.ts`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordOf } from '../../src/lib/runtime/command-line/define-command.ts';
import { helpOf } from '../../src/lib/runtime/command-line/help.ts';
import { entries } from '../../src/program.ts';
import { commandsBelow, leavesBelow, loadProgram } from '../helpers/command-tree.ts';
import { root } from '../helpers/root.ts';

const program = await loadProgram();

/** The verbs that `resource-commands.ts` builds for each resource group. */
const SHARED_VERBS = [
  ...readFileSync(join(root, 'src/commands/resource-commands.ts'), 'utf8').matchAll(
    /path: `\$\{\w+(?:\[type\])?\} (\w+)`/g,
  ),
].map(([, verb]) => verb);

test('defines every command in a file of its group that is named after the command or mentions it', async () => {
  // Paths of all commands without subcommands, such as `roles push`.
  const all = leavesBelow(program).map(([path]) => path);
  expect(all.length).toBeGreaterThanOrEqual(entries.length);
  const lost = all.filter((path) => {
    const [group = '', ...verbs] = path.split(' ');
    const places = verbs.length === 0 ? [`${group}.ts`, `${group}/index.ts`] : [`${group}/${verbs.join('-')}.ts`];
    if (places.some((place) => existsSync(join(root, 'src/commands', place)))) return false;
    const folder = join(root, 'src/commands', group);
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    // The group adds its own part under the verb's key, for example `get: {`.
    const isShared = SHARED_VERBS.some((verb) => verb === verbs.join(' '));
    const takes = (text: string): boolean => text.includes('= resourceCommands(') && text.includes(`  ${verbs[0]}: {`);
    if (isShared && texts.filter(takes).length === 1) return false;
    return texts.filter((text) => text.includes(`'${path}'`)).length !== 1;
  });
  expect(lost).toEqual([]);
});

test('offers a list on a terminal for every argument that is the id of an existing object', () => {
  const typed = leavesBelow(program).flatMap(([path, command]) =>
    Object.entries(recordOf(command)?.args ?? {}).flatMap(([name, spec]) => {
      const isKnown = spec.pick ?? spec.choices ?? spec.default ?? spec.optional ?? /^(?:file|dir)$/.test(name);
      return isKnown === false && !spec.help.includes('new') ? [`${path} ${name}`] : [];
    }),
  );
  expect(typed).toEqual([
    ...['groups attributes add attribute', 'groups attributes remove attribute', 'emulator clock advance duration'],
    // `emulator assign-role` uses the control address, which does not list roles.
    ...['emulator assign-role role_id', 'api path'],
  ]);
});

test('declares every numeric flag of an assistant tool as a number with a maximum', () => {
  const flags = leavesBelow(program).flatMap(([, command]) => {
    const { flags: own = {}, tool } = recordOf(command) ?? {};
    return tool ? tool.flatMap((key) => own[key] ?? []) : [];
  });
  expect(flags.filter(({ most, value }) => value === 'n' && most === undefined)).toEqual([]);
  expect(flags.filter(({ most }) => most !== undefined).length).toBeGreaterThan(4);
});

test('ends every paragraph of the help notes with a sentence or a command line', async () => {
  const notes = commandsBelow(program).flatMap(([, command]) => helpOf(command)?.notes ?? []);
  expect(notes.length).toBeGreaterThan(50);
  expect(notes.filter((note) => !/[.:!?]$|cdpadm /.test(note))).toEqual([]);
});
