// Two builds of one commit in different folders are byte-identical: the package, and on demand the executable too.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../helpers/root.ts';
import { isWhole } from '../helpers/size.ts';

/** The files below `dist` by path, except those of other scripts in the test run. */
function filesOf(folder: string): Map<string, Buffer> {
  const paths = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' }).sort();
  const files = paths.filter((path) => statSync(join(folder, 'dist', path)).isFile());
  const own = files.filter((path) => isWhole || !/^(bin|release)[\\/]|\.deb$/.test(path));
  return new Map(own.map((path) => [path, readFileSync(join(folder, 'dist', path))]));
}

/** Copies what the build reads, next to the packages of this folder. */
function copyOf(): string {
  // The folder is on the same disk as the cache of the build, which moves its result there, and git ignores it.
  mkdirSync(join(root, 'coverage'), { recursive: true });
  const folder = mkdtempSync(join(root, 'coverage', 'copy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const path of new Set(
    listed
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split('/')[0] ?? ''),
  ))
    cpSync(join(root, path), join(folder, path), { recursive: true });
  // Uses hard links, because the bundler follows symbolic links and then finds the packages in a different location.
  execFileSync('cp', ['-al', join(root, 'node_modules'), folder]);
  return folder;
}

test.skipIf(process.platform !== 'linux')(
  'builds the same bytes from one commit in a different folder, time zone and language',
  () => {
    const git = execFileSync('git', ['rev-parse', '--absolute-git-dir'], { cwd: root }).toString().trim();
    const [first = new Map<string, Buffer>(), second = new Map<string, Buffer>()] = ['UTC', 'Asia/Tokyo'].map(
      (TZ, index) => {
        // `npm test` has just made the first build.
        if (index === 0 && !isWhole) return filesOf(root);
        const folder = copyOf();
        const env = {
          ...process.env,
          GIT_DIR: git,
          GIT_WORK_TREE: root,
          TZ,
          LC_ALL: index === 0 ? 'C' : 'de_DE.UTF-8',
        };
        for (const name of isWhole ? ['build', 'binary', 'deb'] : ['build'])
          execFileSync(process.execPath, [`scripts/${name}.mjs`], { cwd: folder, env, stdio: 'pipe' });
        return filesOf(folder);
      },
    );
    expect(first.size).toBeGreaterThan(100);
    expect([...first.keys()]).toEqual([...second.keys()]);
    const differ = [...first].filter(([path, bytes]) => second.get(path)?.equals(bytes) !== true);
    expect(differ.map(([path]) => path)).toEqual([]);
  },
);
