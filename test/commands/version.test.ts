// `version` and `--version` with other flags. Only the built program knows its commit.
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { runCli } from '../helpers/cli.ts';

const { version } = packageJson;

test.each([['version'], ['--version'], ['-V', '--quiet']])('prints the version for `%s`', async (...args) => {
  expect(await runCli(args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([
  ['version', '--verbose'],
  ['--version', '--verbose'],
  ['-v', '-V'],
])('also prints the commit, its date and the Node version for `%s %s`', async (...args) => {
  const stdout = `cdpadm ${version}\ncommit unknown\ncommit date unknown\nnode ${process.versions.node}\n`;
  expect(await runCli(args)).toEqual({ code: 0, stdout, stderr: '' });
});

test('prints JSON for `--version --verbose -o json`', async () => {
  const { stdout } = await runCli(['--version', '--verbose', '-o', 'json']);
  expect(JSON.parse(stdout)).toEqual({ version, commit: 'unknown', date: 'unknown', node: process.versions.node });
});
