// Two builds of one commit in different folders are byte-identical: the npm package, and on demand the whole release.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../helpers/root.ts';
import { isWhole } from '../helpers/size.ts';

const isLinux = process.platform === 'linux';
const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd, stdio: 'pipe' }).toString().trim();

/** Returns the npm package and the files in `dist`, by path. Skips files that other scripts in the test run create. */
function filesOf(folder: string): Map<string, Buffer> {
  const packed = mkdtempSync(join(root, 'coverage', 'packed-'));
  onTestFinished(() => rmSync(packed, { recursive: true, force: true }));
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', packed], { cwd: folder, stdio: 'pipe' });
  const paths = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' }).sort();
  const files = paths.filter((path) => statSync(join(folder, 'dist', path)).isFile());
  const own = files.filter((path) => !/^(bin|release)[\\/]|\.deb$/.test(path));
  const all = [
    ...own.map((path) => join(folder, 'dist', path)),
    ...readdirSync(packed).map((name) => join(packed, name)),
  ];
  return new Map(all.map((path) => [path.replace(/^.*\/(dist|packed-\w+)\//, ''), readFileSync(path)]));
}

/**
 * Creates a folder that git ignores, on the same disk as the build cache, because the build moves its result into the
 * folder.
 */
function emptyFolder(): string {
  mkdirSync(join(root, 'coverage'), { recursive: true });
  const folder = mkdtempSync(join(root, 'coverage', 'copy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Uses hard links, because the bundler follows symbolic links and would find the packages in a different location. */
function linkPackages(folder: string): void {
  execFileSync('cp', ['-al', join(root, 'node_modules'), folder]);
}

/** Copies what the build reads, and links to this folder's packages. */
function copyOf(): string {
  const folder = emptyFolder();
  const listed = git(root, 'ls-files', '--cached', '--others', '--exclude-standard').split('\n');
  for (const path of new Set(listed.map((line) => line.split('/')[0] ?? '')))
    cpSync(join(root, path), join(folder, path), { recursive: true });
  linkPackages(folder);
  return folder;
}

test.skipIf(!isLinux)('builds identical bytes from one commit in a different folder, time zone and language', () => {
  const folder = copyOf();
  const places = { GIT_DIR: git(root, 'rev-parse', '--absolute-git-dir'), GIT_WORK_TREE: root };
  const env = { ...process.env, ...places, TZ: 'Asia/Tokyo', LC_ALL: 'de_DE.UTF-8' };
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, env, stdio: 'pipe' });
  // `npm test` has just made the first build.
  const [first, second] = [filesOf(root), filesOf(folder)];
  expect(first.size).toBeGreaterThan(100);
  expect([...first.keys()]).toContain(`cdpadm-${packageJson.version}.tgz`);
  expect([...first.keys()]).toEqual([...second.keys()]);
  const differ = [...first].filter(([path, bytes]) => second.get(path)?.equals(bytes) !== true);
  expect(differ.map(([path]) => path)).toEqual([]);
});

/** Releases a commit from a clone, with an empty section of unreleased changes, and returns the checksums. */
function releaseOf(commit: string, umask: string, own: Record<string, string>): string {
  const folder = emptyFolder();
  const author = { NAME: 'A', EMAIL: 'a@example.com', DATE: '2026-01-31T12:00:00Z' };
  const names = Object.entries(author).flatMap(([key, value]) =>
    ['AUTHOR', 'COMMITTER'].map((who) => [`GIT_${who}_${key}`, value]),
  );
  const env = { ...process.env, ...(Object.fromEntries(names) as Record<string, string>), ...own };
  const shell = (line: string): void =>
    void execFileSync('sh', ['-ec', `umask ${umask}; ${line}`], { cwd: folder, env, stdio: 'pipe' });
  shell(`git clone --quiet "${root}" . && git checkout --quiet --detach ${commit}`);
  const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
  const section = `## [Unreleased]\n\n## [${packageJson.version}] - 2026-01-31\n`;
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog.replace('## [Unreleased]\n', section));
  linkPackages(folder);
  shell('git commit --quiet --all --message "chore: release"; npm run release -- --no-tag');
  return readFileSync(join(folder, 'dist/release/SHA256SUMS'), 'utf8');
}

test.skipIf(!isLinux || !isWhole)('releases identical bytes from two clones (only with --mode whole)', () => {
  const commit = git(root, 'rev-parse', 'HEAD');
  const first = releaseOf(commit, '022', { TZ: 'UTC', LC_ALL: 'C' });
  expect(first).toMatch(/ {2}LICENSES\.txt\n[\s\S]* {2}cdpadm-linux-/);
  expect(releaseOf(commit, '077', { TZ: 'Asia/Tokyo', LC_ALL: 'de_DE.UTF-8' })).toBe(first);
});
