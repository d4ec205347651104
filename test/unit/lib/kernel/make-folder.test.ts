// Folders are made level by level, so that no file system keeps us busy for ever.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder } from '../../../../src/lib/kernel/temporary-file.ts';
import { bundleEntry } from '../../../helpers/bundle.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

it('makes each level that is missing, with the mode, and leaves what is there', () => {
  const root = temporaryFolder();
  makeFolder(join(root, 'a', 'b', 'c'), 0o700);
  makeFolder(join(root, 'a', 'b', 'c'), 0o700);
  for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(root, path)).mode & 0o777).toBe(0o700);
  mkdirSync(join(root, 'open'));
  chmodSync(join(root, 'open'), 0o755);
  makeFolder(join(root, 'open'), 0o700);
  expect(statSync(join(root, 'open')).mode & 0o777).toBe(0o755);
});

it('refuses a file in a place of its own or of a parent', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(file)).toThrow('EEXIST');
  expect(() => makeFolder(join(file, 'below'))).toThrow('ENOTDIR');
});

it.runIf(process.platform === 'linux')('gives up where the system makes none', async () => {
  // In a process of its own: what never ends would not let go of this one.
  const { file, remove } = await bundleEntry('src/lib/kernel/make-folder.ts');
  onTestFinished(remove);
  const code = `import(${JSON.stringify(pathToFileURL(file).href)})
    .then((it) => it.makeFolder('/proc/none/below'))
    .catch((error) => console.log(error.code))`;
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    timeout: 20_000,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
  });
  expect(signal).toBeNull();
  expect(stdout).toBe('ENOENT\n');
});
