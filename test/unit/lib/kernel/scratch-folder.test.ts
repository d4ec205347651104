// Temporary folders are private, and creating a folder removes the folders of killed processes.
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { makeScratchFolder } from '../../../../src/lib/kernel/temporary-file.ts';
import { DEAD_PID } from '../../../helpers/dead-process.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const LONG_AGO = new Date(Date.now() - 2 * 60 * 60_000);

/** Creates a non-empty folder like one that a killed process leaves behind. */
function leaveFolder(root: string, name: string, at = LONG_AGO): string {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'file'), 'text');
  utimesSync(folder, at, at);
  return folder;
}

it('creates an empty private folder with an unpredictable name', () => {
  const root = temporaryFolder();
  const [one, two] = [makeScratchFolder('edit', root), makeScratchFolder('edit', root)];
  expect(one).not.toBe(two);
  expect(basename(one)).toMatch(new RegExp(`^cdpadm-edit-${process.pid}-[A-Za-z0-9]{6}$`));
  expect([readdirSync(one), statSync(one).mode & 0o777]).toEqual([[], 0o700]);
});

it('removes only the folders of killed processes, and only after an hour', () => {
  const root = temporaryFolder();
  const target = temporaryFolder();
  const removed = leaveFolder(root, `cdpadm-edit-${DEAD_PID}-abcDEF`);
  const kept = [
    leaveFolder(root, `cdpadm-edit-${process.pid}-abcDEF`),
    leaveFolder(root, `cdpadm-edit-${DEAD_PID}-young1`, new Date()),
    leaveFolder(root, `cdpadm-warehouse-${DEAD_PID}-abcDEF`),
    leaveFolder(root, `cdpadm-edit-${DEAD_PID}-abcDEFG`),
    leaveFolder(root, 'cdpadm-edit-abcDEF'),
  ];
  symlinkSync(target, join(root, `cdpadm-edit-${DEAD_PID}-linked`));
  makeScratchFolder('edit', root);
  expect(existsSync(removed)).toBe(false);
  expect(kept.filter((folder) => !existsSync(join(folder, 'file')))).toEqual([]);
  expect(existsSync(target)).toBe(true);
});

it('keeps folders that the caller still needs', () => {
  const root = temporaryFolder();
  const names = [`cdpadm-edit-${DEAD_PID}-needed`, `cdpadm-edit-${DEAD_PID}-spent1`];
  for (const name of names) leaveFolder(root, name);
  makeScratchFolder('edit', root, (folder) => folder.endsWith('spent1'));
  expect(names.map((name) => existsSync(join(root, name)))).toEqual([true, false]);
});
