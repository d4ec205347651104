// The table of readers covers every file that a command reads.
import { expect, test } from 'vitest';
import { leavesBelow, loadProgram } from '../helpers/command-tree.ts';
import type { CommandRecord } from '../../src/lib/runtime/command-line/define-command.ts';
import type { CommandHelp } from '../../src/lib/runtime/command-line/help.ts';
import { recordOf } from './cases.ts';
import { READERS } from './readers.ts';

/**
 * Files without a line in the table, and why they do not need one. A flag that writes a file has `writes` in its
 * record.
 */
const WITHOUT: Readonly<Record<string, string>> = {
  'dsr bulk-results --parts': 'only the names are used',
  'emulator sample-warehouse file': 'is written',
  'emulator export file': 'is written',
  'emulator start --tls-cert': 'test/commands/emulator-served.test.ts passes invalid certificates',
  'emulator start --tls-key': 'test/commands/emulator-served.test.ts passes invalid keys',
  'emulator import file': 'test/commands/emulator-served.test.ts passes an invalid state',
};

const isFile = (value: string): boolean => /^(file|dir)\b/.test(value);

const writesTo = (command: string, flag: string): boolean =>
  (recordOf({ command }) as CommandHelp & CommandRecord).flags?.[flag]?.writes === true;

/** `names` are the flag's spellings on a command line. */
interface FileArgument {
  command: string;
  label: string;
  names: readonly string[];
}

async function fileArguments(): Promise<FileArgument[]> {
  return leavesBelow(await loadProgram()).flatMap(([command, { options, registeredArguments }]) => [
    ...registeredArguments
      .filter((one) => isFile(one.name()))
      .map((one) => ({ command, label: one.name(), names: [] })),
    ...options
      .filter(({ flags }) => isFile(/<([^>]+)>/.exec(flags)?.[1] ?? ''))
      .filter((option) => !writesTo(command, option.attributeName()))
      .map(({ long, short }) => ({ command, label: long ?? '', names: [long ?? '', short ?? long ?? ''] })),
  ]);
}

const isTried = ({ command, names }: FileArgument): boolean =>
  READERS.some((reader) => {
    const words = reader.args.split(' ');
    return reader.command === command && (names.length === 0 || names.some((name) => words.includes(name)));
  });

test('tests hostile contents for every file that a command reads', async () => {
  const files = await fileArguments();
  const places = files.map(({ command, label }) => `${command} ${label}`);
  expect(places).toContain('roles push file');
  expect(Object.keys(WITHOUT).filter((place) => !places.includes(place))).toEqual([]);
  const missing = files.filter((one) => !isTried(one)).map(({ command, label }) => `${command} ${label}`);
  expect(missing.filter((place) => !(place in WITHOUT))).toEqual([]);
});
