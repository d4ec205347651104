// The whole program: help, usage errors, exit codes and streams.
import { describe, expect, it, test } from 'vitest';
import { VERSION } from '../../../../src/lib/kernel/version.ts';
import { interrupted } from '../../../../src/lib/runtime/interrupt.ts';
import { entries } from '../../../../src/program.ts';
import { runCli } from '../../../helpers/cli.ts';
import { createTestClock } from '../../../helpers/clock.ts';

describe('help', () => {
  it.each([[['--help']], [['-h']], [['help']], [['--no-color', 'help']]])(
    'is printed on standard output with every group for %j',
    async (args) => {
      const { code, stdout, stderr } = await runCli(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const { name, heading } of entries) {
        expect(stdout).toContain(`\n  ${name} `);
        expect(stdout).toContain(`\n${heading}\n`);
      }
    },
  );

  it.each([[['emulator', 'clock', '--help']], [['help', 'emulator', 'clock']], [['-q', 'emulator', 'clock', '-h']]])(
    "contains a command's flags and examples for %j",
    async (args) => {
      const { code, stdout } = await runCli(args);
      expect(code).toBe(0);
      await expect(stdout).toMatchFileSnapshot('../../../golden/help-emulator-clock.txt');
    },
  );

  it.each(['exit-codes', 'environment', 'formatting', 'files', 'recipes', 'flags'])(
    'is printed for the topic %s',
    async (topic) => {
      const { code, stdout } = await runCli(['help', topic]);
      expect(code).toBe(0);
      await expect(stdout).toMatchFileSnapshot(`../../../golden/help-${topic}.txt`);
    },
  );

  test('aligns exit codes on the left', async () => {
    const { stdout } = await runCli(['seed', 'bulk', '--help'], { columns: 60 });
    const section = /Exit codes:\n([^]*?)\n\n/.exec(stdout)?.[1]?.split('\n') ?? [];
    const own = section.slice(
      0,
      section.findIndex((line) => line.startsWith('  Also')),
    );
    expect(own.length).toBeGreaterThan(3);
    for (const line of own) expect(line).toMatch(/^ {2}(\d+ +| {4})\S/);
  });

  test('is wrapped to the terminal width', async () => {
    const { stdout } = await runCli(['emulator', 'start', '--help'], { columns: 60 });
    // Examples are exempt: they are not wrapped, so that users can copy them.
    const prose = (stdout.split('JSON:')[0] ?? '').split('\n').filter((line) => !line.startsWith('  $ '));
    for (const line of prose) expect(line.length).toBeLessThanOrEqual(60);
  });

  it.each([[[]], [['emulator']], [['emulator', 'fault']]])(
    'is printed on standard error with exit code 2 if the arguments %j do not name a command',
    async (args) => {
      const { code, stdout, stderr } = await runCli(args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('Usage:');
    },
  );

  it.each([[['-o', 'json']], [['roles', '--json']], [['emulator', 'fault', '-o', 'ndjson']]])(
    'is replaced by one error document if the arguments %j do not name a command',
    async (args) => {
      const { code, stdout, stderr } = await runCli(args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage', message: 'Missing command.' } });
    },
  );

  test('is replaced by the version with -V', async () => {
    expect(await runCli(['roles', '-V'])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
  });
});

describe('a usage error', () => {
  it.each<[string[], string, string]>([
    [['rols'], 'Unknown command `rols`', 'Did you mean `roles`?'],
    [['emulator', 'strat'], 'Unknown command `strat` for `cdpadm emulator`', 'Did you mean `start`?'],
    [['roles', 'lst', '--help'], 'Unknown command `lst` for `cdpadm roles`', 'Did you mean `list`?'],
    [['help', 'roles', 'lst'], 'Unknown command `lst` for `cdpadm roles`', 'Did you mean `list`?'],
    [
      ['dsr', 'callbacks', 'verfy', '-h'],
      'Unknown command `verfy` for `cdpadm dsr callbacks`',
      'Did you mean `verify`?',
    ],
    [['emulator', 'clock', 'advanc', '--help'], 'Unknown command `advanc` for `cdpadm emulator clock`', '`advance`?'],
    [['rols', '--help'], 'Unknown command `rols` for `cdpadm`', 'Did you mean `roles`?'],
    [['emulator', 'xyzzy'], 'Unknown command `xyzzy` for `cdpadm emulator`', 'See `cdpadm emulator --help`.'],
    [['emulator', 'log', '--prot', '1'], 'Unknown flag `--prot` for `cdpadm emulator log`', 'Did you mean `--port`?'],
    [['emulator', 'log', '--otput', 'json'], 'Unknown flag `--otput`', 'Did you mean `--output`?'],
    [['--versoin'], 'Unknown flag `--versoin`', 'Did you mean `--version`?'],
    [['emulator', 'log', 'more'], 'Unexpected argument `more`', 'See `cdpadm emulator log --help`.'],
    [
      ['emulator', 'clock', 'advance'],
      'Missing required argument `duration`',
      'See `cdpadm emulator clock advance --help`.',
    ],
    [
      ['pipelines', 'run', 'people'],
      'Missing required argument `run_id`',
      'Did you mean `cdpadm pipelines runs people`?',
    ],
    [['roles', 'rename'], 'Missing required argument `old_id`', 'To list them: cdpadm roles list'],
    [['roles', 'rename', 'old'], 'Missing required argument `new_id`', 'See `cdpadm roles rename --help`.'],
    [['schema'], 'Missing required argument `document`', 'Choose from roles, '],
    [['roles', 'list', '-o', 'tsv'], 'Invalid value `tsv` for --output', 'a piped table is tab-separated.'],
    [['pipelines', 'run'], 'Missing required argument `pipeline_id`', 'To list them: cdpadm pipelines list'],
    [['help', 'nonsense', 'thing'], 'Unknown command or help topic `nonsense`', 'Topics: exit-codes,'],
    [
      ['help', 'exit-codes', 'more'],
      'Unexpected word `more` after `help exit-codes`',
      'To read it: cdpadm help exit-codes',
    ],
    [['emulator', 'assign-role', 'x'], '`--user <email>` not specified', 'See `cdpadm emulator assign-role --help`.'],
    [['emulator', 'start', '--clock', 'slow'], 'Invalid value `slow` for --clock', 'Choose from real, manual.'],
    [['emulator', 'start', '--memory', '--data', 'x'], 'cannot be used with', 'See'],
    [['emulator', 'log', '-o'], '`-o, --output <format>` argument missing', 'See `cdpadm --help`.'],
    [['emulator', 'log', '-o', 'jsno'], 'Invalid value `jsno` for --output', 'Did you mean `json`?'],
    [['roles', 'list', '-o', 'jsno'], 'Invalid value `jsno` for --output', 'json, ndjson, yaml, csv, markdown, name.'],
    [
      ['roles', 'matrix', '-o', 'jsno'],
      'Invalid value `jsno` for --output',
      'json, ndjson, yaml, csv, markdown, name, html.',
    ],
    [['help', 'exit-code'], 'Unknown command or help topic `exit-code`', 'Did you mean `exit-codes`?'],
    [['emulator', 'env', '-o', 'html'], 'does not support the html format', 'It supports table, wide, json'],
    [
      ['completion', 'bash', '--out', 'x.html'],
      '--out x.html: the extension selects html',
      'such as .txt. Formats: table, json',
    ],
    [['emulator', 'log', '--query', 'a['], '--query is not a valid JMESPath expression', 'jmespath.org'],
    [['emulator', 'log', '--out', 'no/such/folder/x'], '--out cannot write', 'Create its folder'],
    [['emulator', 'log', '--out', '.'], 'it is a folder', 'choose another file'],
    [['emulator', 'log', '--out', `${import.meta.filename}/x`], 'is not a folder', 'choose another file'],
  ])('exits with 2 and a suggestion for %j', async (args, message, hint) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });

  it.each([['emulator log --prot -o json'], ['-o json rols'], ['emulator log --json more']])(
    'is printed as JSON: %s',
    async (line) => {
      const { code, stderr } = await runCli(line.split(' '));
      expect(code).toBe(2);
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage', issues: [] } });
    },
  );

  test('is printed in the format that CDPADM_OUTPUT sets', async () => {
    const { stderr } = await runCli(['rols'], { env: { CDPADM_OUTPUT: 'json' } });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage' } });
  });
});

describe('the exit code', () => {
  const serve = ['emulator', 'start', '--memory', '--port', '0'];

  test('is 130 for Ctrl-C', async () => {
    const stop = new AbortController();
    const onOutput = (stdout: string): void => {
      if (stdout.includes('ready')) stop.abort(interrupted());
    };
    const { code, stdout } = await runCli(serve, { stop, onOutput });
    expect(code).toBe(130);
    expect(stdout).toMatch(/^The embedded platform is ready at http:\/\/127\.0\.0\.1:\d+\n$/);
  });

  test('is 11 for --timeout', async () => {
    const { code } = await runCli([...serve, '--timeout', '5m'], { clock: createTestClock() });
    expect(code).toBe(11);
  });

  test('is 11 for --timeout even if the event loop is blocked', async () => {
    let now = 0;
    // On this clock, each read returns a time one minute later, and timers never fire.
    const clock = { now: () => (now += 60_000), sleep: () => new Promise<never>(() => undefined) };
    const { code, stderr } = await runCli(['completion', 'bash', '--timeout', '1s'], { clock });
    expect(code).toBe(11);
    expect(stderr).toContain('--timeout of 1s');
  });

  test('is 0 for a closed pipe, without an error message', async () => {
    const { code, stderr } = await runCli(['help', 'flags'], { brokenPipe: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});
