// Mistyped commands, flags, values, ids and types: checks the suggestion and the exit code.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Option } from 'commander';
import { runCli } from '../helpers/cli.ts';
import { helpOf } from '../../src/lib/runtime/command-line/help.ts';
import { commandsBelow, loadProgram } from '../helpers/command-tree.ts';
import { openPlatformHome, type PlatformHome } from '../helpers/platform-home.ts';
import { sample } from '../helpers/size.ts';
import { FIXTURES, stageFiles } from '../sweeps/stage.ts';

const program = await loadProgram();
const commands = commandsBelow(program).map(([path, command]) => [path.split(' '), command] as const);
const groups = commands.filter(([, command]) => command.commands.length > 0);
const RESOURCES = ['connections', 'data-models', 'pipelines'];
const standalone = groups.filter(([, command]) => helpOf(command) === undefined);

let home: PlatformHome;
beforeAll(async () => {
  home = await openPlatformHome({ fixtures: FIXTURES });
  stageFiles(home.cwd);
  const { code, stderr } = await home.run('profile create prod --base-url https://api.example.com');
  expect(code, stderr).toBe(0);
});
afterAll(() => home.close());

async function runMistyped(line: string | string[]): Promise<{ code: number; message: string }> {
  const { code, stderr, stdout } = await home.run(line);
  expect(stdout, String(line)).toBe('');
  return { code, message: stderr.replaceAll('`', '') };
}

test('suggests the right command or subcommand if its first letter is doubled', async () => {
  for (const [path] of sample(commands, 40)) {
    if (path[0] === 'help') continue;
    const { code, message } = await runMistyped([...path.slice(0, -1), `${path.at(-1)?.[0]}${path.at(-1)}`]);
    expect({ code, message }, path.join(' ')).toEqual({
      code: 2,
      message: expect.stringContaining(`mean ${path.at(-1)}?`) as string,
    });
  }
});

test.each([
  ['conn', 'connections'],
  ['pipe', 'pipelines'],
  ['em', 'emulator'],
  ['schema dat', 'data-model'],
  ['roles get suppo', 'support'],
])('treats `%s` as an abbreviation and suggests %s', async (line, expected) => {
  const { message } = await runMistyped(line);
  expect(message).toContain(`Did you mean ${expected}?`);
});

test.each([
  'constructor',
  'roles constructor',
  'help constructor',
  'help toString -o json',
  'help error constructor',
  'help recipes constructor',
  'schema constructor',
  'schema output constructor',
  'completion constructor',
  'tour constructor',
  'roles list -o constructor',
  'dsr submit --regulation gdpr --type access --extension-identity constructor=x --dry-run',
])('rejects `%s`, although every object has that property', async (line) => {
  const { code, message } = await runMistyped(line);
  expect({ code, message }).toEqual({ code: 2, message: expect.stringMatching(/constructor|toString/) as string });
  expect(message).not.toMatch(/bug|undefined|Pass it with/);
});

test('suggests a flag for a mistyped flag in every command', async () => {
  for (const [path, { options }] of [[[], program] as const, ...sample(commands, 25)]) {
    const known = new Set([...options, ...program.options].map(({ long }) => long));
    for (const { long } of options) {
      if (!long || known.has(`${long}x`)) continue;
      const { code, message } = await runMistyped([...path, `${long}x`]);
      expect({ code, message }, `${path.join(' ')} ${long}`).toEqual({
        code: 2,
        message: expect.stringContaining('Did you mean --') as string,
      });
    }
  }
});

test('suggests a value for a mistyped value of every flag and argument with fixed values', async () => {
  const global = program.options.filter(({ long }) =>
    ['--output', '--color', '--progress', '--annotations'].includes(long ?? ''),
  );
  expect(global).toHaveLength(4);
  let seen = 0;
  for (const [path, command] of commands) {
    const { options, registeredArguments } = command;
    for (const subject of [...options, ...registeredArguments]) {
      const name = subject instanceof Option ? (subject.long ?? '') : subject.name();
      // Fields of a resource are validated together with the whole resource; a test below covers them. A completion
      // such as `email=` is only a prefix, so it is skipped.
      const isField = RESOURCES.includes(path[0] ?? '');
      const offers = isField ? undefined : helpOf(command)?.values?.[name];
      const offered = offers?.({ typed: '', before: undefined, operands: [] }) ?? [];
      const known = subject.argChoices ?? offered.filter((value) => /\w$/.test(value));
      const [value] = known.filter((one) => one.length > 2);
      if (value === undefined) continue;
      seen++;
      // A flag with two values also needs the second value.
      const second = subject instanceof Option && !subject.argChoices && subject.variadic ? ['x'] : [];
      const line = (word: string): string[] => {
        const words = registeredArguments.map((one) => (one === subject ? word : 'x'));
        return [...path, ...words, ...(subject instanceof Option ? [name, word, ...second] : [])];
      };
      const word = `${value}${value.at(-1)}`;
      const { code, message } = await runMistyped(line(word));
      expect({ code, message }, `${path.join(' ')} ${word}`).toEqual({
        code: 2,
        message: expect.stringContaining(`Did you mean ${value}?`) as string,
      });
      // The command itself parses the value of a flag with two values.
      if (!(subject instanceof Option) || !subject.parseArg || second.length > 0) continue;
      for (const spelling of [value.toUpperCase(), value.toLowerCase()]) {
        const read = subject.parseArg<unknown>(spelling, undefined);
        expect([read].flat(), `${path.join(' ')} ${name}`).toEqual([value]);
      }
    }
  }
  expect(seen).toBeGreaterThan(10);
});

test.each(standalone.map(([path]) => [path.join(' '), path] as const))(
  'prints the help of %s and exits with 2 if the subcommand is missing',
  async (_name, path) => {
    const { code, stderr, stdout } = await runCli(path);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`cdpadm ${path.join(' ')} <command>`);
  },
);

describe('known ids and values', () => {
  const request = 'dsr submit --regulation gdpr --type access --yes';

  test.each<[line: string, code: number, expected: string]>([
    ['roles list -o jsn', 2, 'json'],
    ['roles list --color allways', 2, 'always'],
    ['roles list --progress plian', 2, 'plain'],
    ['roles list --annotations githb', 2, 'github'],
    ['roles list --fields role_idd', 2, 'role_id'],
    ['help exit-code', 2, 'exit-codes'],
    ['help rols', 2, 'roles'],
    ['schema output roles lst', 2, 'roles list'],

    ['roles get analist', 5, 'analyst'],
    ['roles explain analist', 5, 'analyst'],
    ['roles compare analist editor', 5, 'analyst'],
    ['roles update analist --name New --yes', 5, 'analyst'],
    ['roles delete analist --allow-delete --yes', 5, 'analyst'],
    ['roles edit analist', 5, 'analyst'],
    ['roles create new --from analist --name New --description New --yes', 5, 'analyst'],
    ['roles templates admn-role', 5, 'admin-role'],
    ['roles who-can audiences:veiw', 5, 'audiences:view'],
    ['roles create new --name New --description New --task rules:veiw --yes', 9, 'rules:view'],
    ['roles update analyst --add-task rules:veiw --yes', 9, 'rules:view'],
    ['roles update analyst --remove-task audiences:veiw --yes', 2, 'audiences:view'],

    ['roles list --profile prd', 2, 'prod'],
    ['roles diff wanted.yaml --against-profile prd', 2, 'prod'],
    ['profile use prd', 5, 'prod'],
    ['profile show prd', 5, 'prod'],
    ['profile edit prd --set protected=true', 5, 'prod'],
    ['profile edit prod --set protectd=true', 2, 'protected'],

    ['groups get houshold', 5, 'household'],
    ['groups delete houshold --yes', 5, 'household'],
    ['groups attributes add household points=latst --yes', 2, 'latest'],
    ['groups attributes remove household ciyt --yes', 5, 'city'],

    [`${request} --identity emial=a@b.example`, 2, 'email'],
    [`${request} --extension-identity other33=7`, 2, 'other3'],
    ['dsr prepare typo.csv --regulation gdpr --type access --out prepared.csv', 9, 'email'],

    ['connections get crmm', 5, 'crm'],
    ['connections list --service-provider PROVIDR_A', 2, 'PROVIDER_A'],
    ['data-models get active-custmers', 5, 'active-customers'],
    ['pipelines get custmers', 5, 'customers'],
    ['pipelines trigger custmers --yes', 5, 'customers'],
    ['pipelines doctor custmers', 5, 'customers'],
    ['pipelines runs custmers', 5, 'customers'],
    ['connections create -f typo.yaml --yes', 9, 'PROVIDER_A'],
    ['connections update crm --state activ --yes', 2, 'active'],
    ['data-models update active-customers --state activ --yes', 2, 'active'],
    ['pipelines update customers --state activ --yes', 2, 'active'],

    ['seed validate users.ndjson --format nsjson', 2, 'ndjson'],
    ['seed validate typo-seed.csv', 9, 'count'],
    ['emulator fault add --method PTU --status 503', 2, 'PUT'],
  ])('are suggested for mistyped ones: %s', async (line, code, expected) => {
    home.write('typo.csv', 'emial\na@b.example\n');
    home.write('typo-seed.csv', 'xpid,attr:Orders:cuont\n5,1\n');
    home.write('typo.yaml', 'id: new\nname: New\nservice_provider: PROVIDR_A\nconfig: {}\n');
    const result = await runMistyped(line);
    expect(result.message).toMatch(new RegExp(`[Dd]id you mean ${expected}\\?`));
    expect(result.code).toBe(code);
    expect(await home.writes()).toEqual([]);
  });
});
