// Checks the script that validates the commit subjects in a pull request.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { faultsOf } from '../../scripts/check-commits.mjs';
import { root } from '../helpers/root.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

describe('a commit subject', () => {
  it.each([
    'fix(dsr): confirm a lost response only by a body with our id',
    'feat!: remove the old flags',
    'docs: explain the ledger',
  ])('is accepted: %s', (subject) => expect(faultsOf(subject)).toEqual([]));

  it.each([
    'Fix the reader',
    'fix(dsr) confirm it',
    'fix: Confirm it',
    'fix: confirm it.',
    'idea: confirm it',
    `fix: ${'x'.repeat(68)}`,
  ])('is rejected: %s', (subject) => expect(faultsOf(subject)).toHaveLength(1));
});

it('names the commit with an invalid subject and exits with 1', () => {
  const folder = temporaryFolder();
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x.example', ...args], { cwd: folder });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'chore: begin');
  const check = () =>
    spawnSync(process.execPath, [`${root}/scripts/check-commits.mjs`, 'HEAD'], { cwd: folder, encoding: 'utf8' });
  expect(check().status).toBe(0);
  git('commit', '-q', '--allow-empty', '-m', 'Add more');
  expect(check()).toMatchObject({ status: 1, stderr: expect.stringContaining('Add more') as string });
});
