// `help --json`: every command as data that matches its schema.
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { helpOf } from '../../src/lib/runtime/command-line/help.ts';
import { runCli } from '../helpers/cli.ts';
import { commandsBelow, loadProgram } from '../helpers/command-tree.ts';

interface Described {
  path: string;
  flags: { flag: string; many: boolean; type: string }[];
  output: object | null;
}

const described = async (...args: string[]): Promise<Described[]> => {
  const { code, stderr, stdout } = await runCli(args);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Described[];
};

it('lists every command in the documented format, with a valid result schema for each', async () => {
  const commands = await described('--help', '-o', 'json');
  const acting = commandsBelow(await loadProgram()).filter(([, command]) => helpOf(command));
  expect(commands.map(({ path }) => path)).toEqual(acting.map(([path]) => path));
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const [, list] = ((await described('help', '--json', 'help'))[0]?.output as { anyOf: object[] }).anyOf;
  expect(ajv.validate(list ?? {}, commands), ajv.errorsText()).toBe(true);
  for (const { output } of commands) expect(() => ajv.compile(output ?? {})).not.toThrow();
});

it.each([
  ['help --json roles push', ['roles push']],
  ['roles push --help --json', ['roles push']],
  ['help emulator clock --json', ['emulator clock', 'emulator clock advance']],
  [
    'help seed -o json',
    ['seed validate', 'seed inspect', 'seed preview', 'seed template', 'seed set', 'seed bulk', 'seed results'],
  ],
])('responds to `%s` with a description of the commands %j', async (line, paths) => {
  const commands = await described(...line.split(' '));
  expect(commands.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
});

it('describes the type of each flag, and whether it may be repeated', async () => {
  const [submit] = await described('help', '--json', 'dsr', 'submit');
  const [list] = await described('help', '--json', 'dsr', 'list');
  const shapeOf = (name: string) => {
    const { many, type } = [...(submit?.flags ?? []), ...(list?.flags ?? [])].find(({ flag }) => flag === name) ?? {};
    return [type, many];
  };
  expect(['--identity', '--bulk', '--group-id', '--wait', '--limit'].map(shapeOf)).toEqual([
    ['string', true],
    ['string', true],
    ['string', false],
    ['boolean', false],
    ['integer', false],
  ]);
  const [push] = await described('help', '--json', 'roles', 'push');
  expect(push?.flags.find(({ flag }) => flag === '--no-write-back')).toMatchObject({ type: 'boolean' });
});

it('rejects an unknown command', async () => {
  expect(await runCli(['help', '--json', 'rols'])).toMatchObject({ code: 2, stdout: '' });
});
