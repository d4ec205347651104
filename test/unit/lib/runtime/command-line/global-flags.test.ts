// The values, defaults and errors of the global flags.
import { Command } from 'commander';
import { describe, expect, it, test } from 'vitest';
import { KnownError } from '../../../../../src/lib/kernel/errors.ts';
import type { GlobalFlags } from '../../../../../src/lib/runtime/context.ts';
import {
  defineGlobalFlags,
  lenientFlags,
  readGlobalFlags,
} from '../../../../../src/lib/runtime/command-line/global-flags.ts';
import { thrownBy } from '../../../../helpers/failure.ts';

function rawOf(args: string[]): Record<string, unknown> {
  const root = new Command().exitOverride();
  defineGlobalFlags(root);
  root.command('list').action(() => undefined);
  root.parse([...args, 'list'], { from: 'user' });
  return root.opts();
}

const flagsOf = (args: string[], env: Record<string, string> = {}): GlobalFlags => readGlobalFlags(rawOf(args), env);

test('uses the defaults if no global flags are given', () => {
  expect(flagsOf([])).toEqual({
    profile: undefined,
    profiles: [],
    workspace: undefined,
    org: undefined,
    account: undefined,
    output: 'table',
    wide: false,
    query: undefined,
    fields: undefined,
    header: true,
    out: undefined,
    summary: false,
    annotations: 'auto',
    dryRun: false,
    yes: false,
    confirm: [],
    input: true,
    quiet: false,
    verbose: false,
    debug: false,
    traceFile: undefined,
    curl: false,
    requestTimeoutMs: 30_000,
    retries: 4,
    timeoutMs: undefined,
    caFile: undefined,
    color: 'auto',
    progress: 'auto',
  } satisfies GlobalFlags);
});

it.each<[string[], Partial<GlobalFlags>]>([
  [
    ['--profile', 'prod', '--org', '1', '--account', '2', '--workspace', '3'],
    { profile: 'prod', profiles: ['prod'], org: '1', account: '2', workspace: '3' },
  ],
  [['--profile', 'b', '--profile', 'a', '--profile=b'], { profile: 'b', profiles: ['b', 'a'] }],
  [['--json'], { output: 'json' }],
  [['--json', '-o', 'json'], { output: 'json' }],
  [['-oyaml'], { output: 'yaml' }],
  [['-nyqv'], { dryRun: true, yes: true, quiet: true, verbose: true }],
  [['--fields', ' a, b ,', '--no-header'], { fields: ['a', 'b'], header: false }],
  [['--confirm', 'a', '--confirm=b'], { confirm: ['a', 'b'] }],
  [['--no-input', '--no-color', '--progress', 'none'], { input: false, color: 'never', progress: 'none' }],
  [['--color', 'always'], { color: 'always' }],
  // A timer cannot be longer.
  [['--request-timeout', '30d'], { requestTimeoutMs: 2 ** 31 - 1 }],
  [
    ['--timeout', '10m', '--request-timeout', '500ms', '--retries', '0'],
    { timeoutMs: 600_000, requestTimeoutMs: 500, retries: 0 },
  ],
])('accepts the flags %j', (args, expected) => {
  expect(flagsOf(args)).toMatchObject(expected);
});

describe('CDPADM_OUTPUT', () => {
  it.each<[string, string[], string, string]>([
    ['selects the format', [], 'csv', 'csv'],
    ['leaves the format at table if it is empty', [], '', 'table'],
    ['is overridden by -o', ['-o', 'name'], 'csv', 'name'],
    ['is overridden by --json', ['--json'], 'csv', 'json'],
  ])('%s', (_what, args, value, expected) => {
    expect(flagsOf(args, { CDPADM_OUTPUT: value }).output).toBe(expected);
  });
});

it.each<[string[], string, Record<string, string>?]>([
  [['-o', 'xml'], '--output'],
  [['--json', '-o', 'csv'], 'conflicts with'],
  [['--fields', 'a', '--json'], '--fields'],
  [['--org', 'acme'], '--org'],
  [['--workspace', '12.5'], '--workspace'],
  [['--account', '99999999999999999999'], '--account'],
  [['--profile', ' '], '--profile'],
  [['--timeout', '5'], '--timeout'],
  [['--timeout', '0s'], '--timeout'],
  [['--request-timeout', '1 month'], '--request-timeout'],
  [['--retries', '-1'], '--retries'],
  [['--retries', '21'], '--retries'],
  [['--retries', '1.5'], '--retries'],
  [['--color', 'blue'], '--color'],
  [['--progress', 'bar'], '--progress'],
  [[], 'CDPADM_OUTPUT', { CDPADM_OUTPUT: 'xml' }],
])('rejects the flags %j with a message that contains "%s"', (args, name, env) => {
  const failure = thrownBy(() => flagsOf(args, env));
  expect(failure).toBeInstanceOf(KnownError);
  expect(failure).toMatchObject({ code: 'usage', message: expect.stringContaining(name) as string });
});

test('uses the valid flags to format an error about an invalid flag', () => {
  expect(lenientFlags(rawOf(['--json', '--retries', 'x', '--no-color']), {})).toMatchObject({
    output: 'json',
    color: 'never',
  });
  expect(lenientFlags(rawOf(['-o', 'jsno']), {})).toMatchObject({ output: 'table' });
});

it.each(['CDPADM_DEBUG', 'RUNNER_DEBUG'])('treats %s=1 like --debug', (name) => {
  expect(flagsOf([], { [name]: '1' }).debug).toBe(true);
  expect(flagsOf([], { [name]: '0' }).debug).toBe(false);
});

it('uses CDPADM_TRACE_FILE unless --trace-file is given', () => {
  const env = { CDPADM_TRACE_FILE: 'a.ndjson' };
  expect(flagsOf([], env).traceFile).toBe('a.ndjson');
  expect(flagsOf(['--trace-file', 'b.ndjson'], env).traceFile).toBe('b.ndjson');
  expect(flagsOf([], { CDPADM_TRACE_FILE: '' }).traceFile).toBeUndefined();
});

describe('the --out extension', () => {
  it.each([
    ['x.json', 'json'],
    ['X.JSON', 'json'],
    ['a.b/x.ndjson', 'ndjson'],
    ['x.yaml', 'yaml'],
    ['x.yml', 'yaml'],
    ['x.csv', 'csv'],
    ['x.md', 'markdown'],
    ['x.html', 'html'],
    ['x.txt', 'table'],
  ])('sets the format for %s to %s and overrides CDPADM_OUTPUT', (file, output) => {
    const env = { CDPADM_OUTPUT: output === 'yaml' ? 'csv' : 'yaml' };
    expect(flagsOf(['--out', file], env).output).toBe(output);
    expect(flagsOf(['--out', file, '-o', output]).output).toBe(output);
  });

  it.each(['x', 'x.sh', 'json', '.constructor', '-', 'x.json.gz', 'x.json/y'])(
    'does not set a format for %s',
    (file) => {
      expect(flagsOf(['--out', file]).output).toBe('table');
      expect(flagsOf(['--out', file], { CDPADM_OUTPUT: 'csv' }).output).toBe('csv');
      expect(flagsOf(['--out', file, '-o', 'yaml']).output).toBe('yaml');
    },
  );

  it('is rejected if -o requests a different format, except plain text in a .txt file', () => {
    const error = thrownBy(() => flagsOf(['--out', 'x.json', '-o', 'yaml']));
    expect(error).toMatchObject({ code: 'usage', message: '-o yaml conflicts with --out x.json: .json means json.' });
    expect(thrownBy(() => flagsOf(['--out', 'x.csv', '--json']))).toMatchObject({ code: 'usage' });
    expect(thrownBy(() => flagsOf(['--out', 'x.txt', '-o', 'csv']))).toMatchObject({ code: 'usage' });
    expect(flagsOf(['--out', 'x.txt', '-o', 'name']).output).toBe('name');
  });

  it('does not set the format for a command that writes the file itself', () => {
    const raw = rawOf(['--out', 'x.json', '-o', 'yaml']);
    expect(readGlobalFlags(raw, {}, undefined, { outSetsFormat: false }).output).toBe('yaml');
  });
});

test.each([
  ['-o', ['-o', 'wide'], {}],
  ['CDPADM_OUTPUT', [], { CDPADM_OUTPUT: 'wide' }],
])('prints a table with all columns if %s requests wide output', (_by, args, env) => {
  expect(readGlobalFlags(rawOf(args), env)).toMatchObject({ output: 'table', wide: true });
});
