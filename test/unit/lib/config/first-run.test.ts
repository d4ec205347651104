// Without any configuration, the first run prints three lines of instructions.
import { expect, test } from 'vitest';
import { runCli } from '../../../helpers/cli.ts';

test.each(['roles list', 'groups list', 'pipelines list --workspace 5', 'dsr discovery'])(
  'prints how to set up a profile after `%s`',
  async (line) => {
    const { code, stdout, stderr } = await runCli(line.split(' '));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringContaining('No platform is configured'),
      expect.stringContaining('cdpadm profile create NAME'),
      expect.stringContaining('--profile local'),
    ]);
  },
);

test('reports a missing setting if only the platform address is set', async () => {
  const { code, stderr } = await runCli(['roles', 'list'], { env: { CDPADM_BASE_URL: 'https://api.example.com' } });
  expect(code).toBe(2);
  expect(stderr).toContain('--org VALUE, set CDPADM_ORG_ID, or create a profile: cdpadm profile create NAME');
});

test('prints a JSON error with the code `setup.none`', async () => {
  const { stderr } = await runCli(['roles', 'list', '-o', 'json']);
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'setup.none', issues: [] } });
});
