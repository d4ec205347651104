// What continuous integration reads: the step summary, and issues beside the code.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { annotation } from '../../../src/lib/runtime/annotations.ts';
import { type CliHome, createCliHome } from '../../helpers/cli.ts';

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
});
afterEach(() => home.remove());

const cli = (args: string[], env: Record<string, string> = {}) => home.run(args, { env });

describe('--summary', () => {
  test('appends the result as Markdown, whatever is printed', async () => {
    const file = join(home.cwd, 'summary.md');
    writeFileSync(file, '# Before\n');
    const { code, stdout } = await cli(['profile', 'list', '-o', 'json', '--summary'], { GITHUB_STEP_SUMMARY: file });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'local' }]);
    expect(readFileSync(file, 'utf8')).toMatch(/^# Before\n\| name \|[^]*\| local \|/);
  });

  test.each([{}, { GITHUB_STEP_SUMMARY: 'no/such/folder/x' }])('%j is refused before anything is done', async (env) => {
    const { code, stdout, stderr } = await cli(['profile', 'list', '--summary'], env as Record<string, string>);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Error: --summary /);
    expect(existsSync(join(home.cwd, 'no'))).toBe(false);
  });
});

describe('--annotations', () => {
  const broken = (): void => writeFileSync(join(home.cwd, 'roles.yaml'), 'roles:\n  - role_id: x\n    naem: y\n');

  test.each<[string[], Record<string, string>, boolean]>([
    [[], { GITHUB_ACTIONS: 'true' }, true],
    [['--annotations', 'github'], {}, true],
    [[], {}, false],
    [['--annotations', 'none'], { GITHUB_ACTIONS: 'true' }, false],
    [['-o', 'json'], { GITHUB_ACTIONS: 'true' }, false],
  ])('%j with %j', async (flags, env, annotated) => {
    broken();
    const { code, stderr } = await cli(['roles', 'validate', ...flags], env);
    expect(code).toBe(9);
    expect(stderr.includes('::error file=roles.yaml,line=')).toBe(annotated);
    if (flags.includes('json')) expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'input.invalid' } });
  });

  test('nothing can end one early', () => {
    const issue = { path: '', message: 'a\n::error::b 5%', file: 'x,y:z.yaml', line: 1 };
    expect(annotation('error', issue)).toBe('::error file=x%2Cy%3Az.yaml,line=1::a%0A::error::b 5%25\n');
  });
});
