// The table of hostile contents covers every file that a command reads.
import { expect, test } from 'vitest';
import { leavesBelow, loadProgram } from '../helpers/command-tree.ts';
import { READERS } from './readers.ts';

/** Files that are written but never read: `command flag`. */
const WRITTEN = new Set([
  'roles diff --save-plan',
  'warehouse diff --save-plan',
  'seed bulk --rejects',
  'seed results --rejects',
  // Only the names.
  'dsr bulk-results --parts',
  'dsr submit --save-map',
  'dsr prepare --save-map',
  'seed inspect --save-map',
  'dsr submit --results',
  'dsr submit --keep',
  'dsr status --keep',
  'dsr results --dir',
  'dsr callbacks listen --keep',
  'emulator sample-warehouse file',
  'emulator export file',
]);
/**
 * The embedded platform's files: test/unit/lib/emulator damages its database, and
 * test/unit/commands/emulator-served.test.ts passes an invalid state and invalid certificates.
 */
const OWN = new Set([
  'emulator start --data',
  'emulator start --tls-cert',
  'emulator start --tls-key',
  'emulator import file',
]);

const isFile = (value: string): boolean => /^(file|dir)\b/.test(value);

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
      .map(({ long, short }) => ({ command, label: long ?? '', names: [long ?? '', short ?? long ?? ''] })),
  ]);
}

const isTried = ({ command, names }: FileArgument): boolean =>
  READERS.some((reader) => {
    const words = reader.args.split(' ');
    return reader.command === command && (names.length === 0 || names.some((name) => words.includes(name)));
  });

test('tests every file that a command reads with hostile contents', async () => {
  const files = await fileArguments();
  const places = files.map(({ command, label }) => `${command} ${label}`);
  expect(places).toContain('roles push file');
  expect([...WRITTEN, ...OWN].filter((place) => !places.includes(place))).toEqual([]);
  const missing = files.filter((one) => !isTried(one)).map(({ command, label }) => `${command} ${label}`);
  expect(missing.filter((place) => !WRITTEN.has(place) && !OWN.has(place))).toEqual([]);
});
