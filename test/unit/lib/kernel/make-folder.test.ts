// Folders are created level by level, because some file systems make a recursive mkdir loop forever.
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../../../src/lib/kernel/temporary-file.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

it('creates each missing level with the given mode, and leaves existing levels unchanged', () => {
  const root = temporaryFolder();
  makeFolder(join(root, 'a', 'b', 'c'), 0o700);
  makeFolder(join(root, 'a', 'b', 'c'), 0o700);
  for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(root, path)).mode & 0o777).toBe(0o700);
  mkdirSync(join(root, 'open'));
  chmodSync(join(root, 'open'), 0o755);
  makeFolder(join(root, 'open'), 0o700);
  expect(statSync(join(root, 'open')).mode & 0o777).toBe(0o755);
});

it('rejects a path if it or one of its parents is a file', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(file)).toThrow('EEXIST');
  expect(() => makeFolder(join(file, 'below'))).toThrow('ENOTDIR');
});
