// Temporary folders: private, and those of killed processes go when the next one is made.
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { makeScratchFolder } from '../../../../src/lib/kernel/scratch-folder.ts';
import { DEAD_PID } from '../../../helpers/dead-process.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const LONG_AGO = new Date(Date.now() - 2 * 60 * 60_000);

/** A folder with something in it, as a process that is no more left it. */
function leftBehind(root: string, name: string, at = LONG_AGO): string {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'file'), 'text');
  utimesSync(folder, at, at);
  return folder;
}

it('makes an empty private folder that cannot be foretold', () => {
  const root = temporaryFolder();
  const [one, two] = [makeScratchFolder('edit', { root }), makeScratchFolder('edit', { root })];
  expect(one).not.toBe(two);
  expect(basename(one)).toMatch(new RegExp(`^cdpadm-edit-${process.pid}-[A-Za-z0-9]{6}$`));
  expect([readdirSync(one), statSync(one).mode & 0o777]).toEqual([[], 0o700]);
});

it('removes what a killed process left an hour ago, and nothing else', () => {
  const root = temporaryFolder();
  const target = temporaryFolder();
  const gone = leftBehind(root, `cdpadm-edit-${DEAD_PID}-abcDEF`);
  const kept = [
    leftBehind(root, `cdpadm-edit-${process.pid}-abcDEF`),
    leftBehind(root, `cdpadm-edit-${DEAD_PID}-young1`, new Date()),
    leftBehind(root, `cdpadm-warehouse-${DEAD_PID}-abcDEF`),
    leftBehind(root, `cdpadm-edit-${DEAD_PID}-abcDEFG`),
    leftBehind(root, 'cdpadm-edit-abcDEF'),
  ];
  symlinkSync(target, join(root, `cdpadm-edit-${DEAD_PID}-linked`));
  makeScratchFolder('edit', { root });
  expect(existsSync(gone)).toBe(false);
  expect(kept.filter((folder) => !existsSync(join(folder, 'file')))).toEqual([]);
  expect(existsSync(target)).toBe(true);
});

it('leaves what is still needed', () => {
  const root = temporaryFolder();
  const names = [`cdpadm-edit-${DEAD_PID}-needed`, `cdpadm-edit-${DEAD_PID}-spent1`];
  for (const name of names) leftBehind(root, name);
  makeScratchFolder('edit', { root, isSpent: (folder) => folder.endsWith('spent1') });
  expect(names.map((name) => existsSync(join(root, name)))).toEqual([true, false]);
});
