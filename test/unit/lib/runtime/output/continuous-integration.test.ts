// Output for continuous integration: the step summary, annotations and the log.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KnownError } from '../../../../../src/lib/kernel/errors.ts';
import { createRedactor } from '../../../../../src/lib/kernel/redact.ts';
import { readGlobalFlags } from '../../../../../src/lib/runtime/command-line/global-flags.ts';
import { environmentOf } from '../../../../../src/lib/runtime/emulator/environment.ts';
import { annotation } from '../../../../../src/lib/runtime/output/annotations.ts';
import { begin } from '../../../../../src/lib/runtime/output/output.ts';
import { showFailure } from '../../../../../src/lib/runtime/output/show-failure.ts';
import { type CliHome, createCliHome, createTestIo } from '../../../../helpers/cli.ts';
import { startTestEmulator } from '../../../../helpers/emulator.ts';
import { commandsIn } from '../../../../helpers/github-log.ts';

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
});
afterEach(() => home.remove());

const cli = (args: string[], env: Record<string, string> = {}) => home.run(args, { env });

describe('--summary', () => {
  test('appends the result as Markdown, even with -o json', async () => {
    const file = join(home.cwd, 'summary.md');
    writeFileSync(file, '# Before\n');
    const { code, stdout } = await cli(['profile', 'list', '-o', 'json', '--summary'], { GITHUB_STEP_SUMMARY: file });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'local' }]);
    expect(readFileSync(file, 'utf8')).toMatch(/^# Before\n\| NAME \|[^]*\| local \|/);
  });

  /** Runs a command that must exit with `exit`, and returns its summary. */
  async function summaryOf(args: string[], exit: number, env: Record<string, string> = {}): Promise<string> {
    const file = join(home.cwd, 'summary.md');
    const { code, stderr } = await cli([...args, '--summary'], { ...env, GITHUB_STEP_SUMMARY: file });
    expect(code, stderr).toBe(exit);
    return readFileSync(file, 'utf8');
  }

  test('lists each issue in an invalid file', async () => {
    writeFileSync(join(home.cwd, 'roles.yaml'), 'roles:\n  - role_id: x\n    naem: y\n');
    const text = await summaryOf(['roles', 'validate'], 9);
    expect(text).toMatch(/^### Failed: `input\.invalid` \(exit code 9\)\n\n[^]*\n- roles\.yaml:\d+:\d+: /);
  });

  test('contains the errors about guards, missing roles and invalid rows', async () => {
    const platform = await startTestEmulator();
    try {
      const env = environmentOf(platform.ready);
      const ids = ['user-role', 'audiences-only-role', 'read-only-role', 'support-role'];
      const guarded = await summaryOf(['roles', 'delete', ...ids, '-y'], 12, env);
      expect(guarded).toMatch(
        /^### Failed: `roles\.guard\.delete` \(exit code 12\)\n\n.*support-role[^]*--allow-delete/,
      );
      const unknown = await summaryOf(['roles', 'get', 'none'], 5, env);
      expect(unknown.slice(guarded.length)).toMatch(/^### Failed: `roles\.not_found` \(exit code 5\)\n/);
      writeFileSync(join(home.cwd, 'bad.csv'), 'who\nx\n');
      for (const args of [
        ['seed', 'validate', 'bad.csv'],
        ['dsr', 'submit', '--bulk', 'bad.csv', '--regulation', 'gdpr', '-o', 'json'],
      ]) {
        writeFileSync(join(home.cwd, 'summary.md'), '');
        expect(await summaryOf(args, 9, env)).toMatch(
          /^### Failed: `input\.invalid` \(exit code 9\)\n\n[^]*\n- bad\.csv/,
        );
      }
    } finally {
      await platform.close();
    }
  });

  test('contains the error about an invalid flag', async () => {
    expect(await summaryOf(['profile', 'list', '--retries', 'x'], 2)).toContain('### Failed: `usage` (exit code 2)\n');
  });

  test('lists the warnings for a valid file', async () => {
    const role = '  - role_id: x\n    name: X\n    description: x\n    tasks: [no:such, audiences:view]\n';
    writeFileSync(join(home.cwd, 'roles.yaml'), `roles:\n${role}`);
    const text = await summaryOf(['roles', 'validate'], 0);
    expect(text).toMatch(/^roles\.yaml is valid: 1 role, \d warnings?\.\n\n- roles\.yaml:5:\d+: /);
  });

  test.each<[string, Record<string, string>]>([
    ['GITHUB_STEP_SUMMARY is not set', {}],
    ['its folder does not exist', { GITHUB_STEP_SUMMARY: 'no/such/folder/x' }],
    ['it is a folder', { GITHUB_STEP_SUMMARY: '.' }],
  ])('is rejected before the command runs if %s', async (_what, env) => {
    const { code, stdout, stderr } = await cli(['profile', 'list', '--summary'], env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Error: --summary /);
    expect(existsSync(join(home.cwd, 'no'))).toBe(false);
  });

  test.runIf(existsSync('/dev/full'))(
    'prints the result, then reports that the summary file cannot be written',
    async () => {
      const env = { GITHUB_STEP_SUMMARY: '/dev/full' };
      const { code, stdout, stderr } = await cli(['profile', 'list', '-o', 'json', '--summary'], env);
      expect(JSON.parse(stdout)).toMatchObject([{ name: 'local' }]);
      expect([code, JSON.parse(stderr)]).toMatchObject([
        1,
        { error: { code: 'files.write', message: 'Cannot write /dev/full: the disk is full.' } },
      ]);
    },
  );
});

describe('--annotations', () => {
  const broken = (): void => writeFileSync(join(home.cwd, 'roles.yaml'), 'roles:\n  - role_id: x\n    naem: y\n');

  test.each<[string, string[], Record<string, string>, boolean]>([
    ['is on by default in GitHub Actions', [], { GITHUB_ACTIONS: 'true' }, true],
    ['is on outside GitHub Actions if it is `github`', ['--annotations', 'github'], {}, true],
    ['is off by default outside GitHub Actions', [], {}, false],
    ['is off in GitHub Actions if it is `none`', ['--annotations', 'none'], { GITHUB_ACTIONS: 'true' }, false],
    ['is off in GitHub Actions with -o json', ['-o', 'json'], { GITHUB_ACTIONS: 'true' }, false],
  ])('%s', async (_what, flags, env, annotated) => {
    broken();
    const { code, stderr } = await cli(['roles', 'validate', ...flags], env);
    expect(code).toBe(9);
    expect(stderr.includes('::error file=roles.yaml,line=')).toBe(annotated);
    if (flags.includes('json')) expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'input.invalid' } });
  });

  test('prints its own workflow commands, but escapes workflow commands within errors', async () => {
    writeFileSync(join(home.cwd, 'roles.yaml'), 'roles:\n  - role_id: x\n    "##[error]y": z\n');
    const { stderr } = await cli(['roles', 'validate'], { GITHUB_ACTIONS: 'true' });
    const lines = stderr.split('\n');
    expect(lines.filter((line) => line.includes('##[') && !line.startsWith('::error file='))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('::error file=')).length).toBeGreaterThan(0);
  });

  test('masks a secret before escaping it', async () => {
    const secret = 'half/100%:done';
    const redactor = createRedactor();
    redactor.add(secret);
    const { io, stderr } = createTestIo();
    const flags = readGlobalFlags({ annotations: 'github' }, {});
    const issue = { file: 'x.yaml', line: 1, path: secret, message: `unexpected ${secret}` };
    await showFailure(new KnownError({ code: 'usage', message: 'No.', issues: [issue] }), io, flags, redactor, []);
    const { out } = await begin(io, flags, redactor, new AbortController().signal, []);
    out.warn(issue);
    const lines = stderr().split('\n');
    expect(lines.filter((line) => line.startsWith('::'))).toEqual([
      '::error file=x.yaml,line=1::********: unexpected ********',
      '::warning file=x.yaml,line=1::********: unexpected ********',
    ]);
  });

  test('escapes the fields of an annotation', () => {
    const issue = { path: '', message: 'a\n::error::b 5%', file: 'x,y:z.yaml', line: 1 };
    expect(annotation('error', issue)).toBe('::error file=x%2Cy%3Az.yaml,line=1::a%0A::error::b 5%25\n');
  });
});

describe('the GitHub Actions log', () => {
  test.each<[string, string[]]>([
    ['command', ['::error::x']],
    ['flag', ['roles', 'list', '--bogus\n::error::x']],
    ['argument', ['roles', 'list', 'a\n::error::x ##[error]y']],
    ['value', ['roles', 'list', '-o', '::error::x']],
    ['command after a group', ['roles', '::error::x']],
  ])('does not contain workflow commands from the text of an unknown %s', async (_what, args) => {
    const { code, stderr } = await cli(args, { GITHUB_ACTIONS: 'true' });
    expect(code).toBe(2);
    expect(stderr).toContain(':error::x');
    expect(commandsIn(stderr)).toEqual([]);
  });

  test("masks a command's credentials and token, but not identities", async () => {
    const platform = await startTestEmulator();
    try {
      const env = { ...environmentOf(platform.ready), GITHUB_ACTIONS: 'true' };
      const { client_secret, workspace_key, workspace_secret } = platform.ready;
      const roles = await cli(['roles', 'list'], env);
      const masks = commandsIn(roles.stderr);
      expect(masks).toContain(`::add-mask::${client_secret}`);
      const given = [client_secret, workspace_key, workspace_secret].map((secret) => `::add-mask::${secret}`);
      expect(masks.filter((mask) => !given.includes(mask))).toEqual([expect.stringMatching(/^::add-mask::\S{20,}$/)]);
      expect(new Set(masks).size).toBe(masks.length);
      const submit = [
        'dsr',
        'submit',
        '--regulation',
        'gdpr',
        '--type',
        'access',
        '--identity',
        'email=jane@example.com',
        '-y',
      ];
      const { stderr } = await cli(submit, env);
      expect(stderr).toContain('To watch it:');
      expect(commandsIn(stderr)).toContain(`::add-mask::${workspace_secret}`);
      expect(commandsIn(stderr)).toContain(`::add-mask::${workspace_key}`);
      expect(stderr).not.toContain('add-mask::jane');
      const json = await cli([...submit, '-o', 'json'], env);
      expect(json.stdout + json.stderr).not.toContain('add-mask');
    } finally {
      await platform.close();
    }
  });
});
