// The first run, before anything is set up: three lines that say what to do.
import { expect, test } from 'vitest';
import { runCli } from '../../../helpers/cli.ts';

test.each([
  [['roles', 'list']],
  [['groups', 'list']],
  [['pipelines', 'list', '--workspace', '5']],
  [['dsr', 'discovery']],
])('%j', async (args) => {
  const { code, stdout, stderr } = await runCli(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.trimEnd().split('\n')).toEqual([
    expect.stringContaining('does not know your platform yet'),
    expect.stringContaining('cdpadm profile create NAME'),
    expect.stringContaining('--profile local'),
  ]);
});

test('with one variable set, what is missing is named', async () => {
  const { code, stderr } = await runCli(['roles', 'list'], { env: { CDPADM_BASE_URL: 'https://api.example.com' } });
  expect(code).toBe(2);
  expect(stderr).toContain('--org VALUE, or CDPADM_ORG_ID');
});

test('as JSON it has a code of its own', async () => {
  const { stderr } = await runCli(['roles', 'list', '-o', 'json']);
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'setup.none', issues: [] } });
});
