// Packs the single executable as `dist/cdpadm_VERSION_amd64.deb`, with the manual and the completions. The script
// requires dpkg-deb. The package does not need Node. Additional flags are passed to dpkg-deb: a test passes `-Znone`,
// because compression takes most of the time.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { commitOf } from './commit.mjs';

if (spawnSync('dpkg-deb', ['--version']).error !== undefined) {
  process.stderr.write('There is no .deb, because dpkg-deb is missing. Install dpkg.\n');
  process.exit(1);
}
const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
const executable = join(dist, 'bin', `cdpadm-linux-${process.arch}`);
/** @type {{version: string, description: string, author: string, files: string[]}} */
const { author, description, files, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

process.umask(0o022); // dpkg-deb rejects folders that other users cannot read
const folder = await mkdtemp(join(tmpdir(), 'cdpadm-deb-'));
try {
  await chmod(folder, 0o755);
  await put('usr/bin/cdpadm', await readFile(executable), 0o755);
  for (const page of await readdir(join(dist, 'man')))
    await put(`usr/share/man/man1/${page}.gz`, zipped(await readFile(join(dist, 'man', page))));
  await put('usr/share/bash-completion/completions/cdpadm', completion('bash'));
  await put('usr/share/zsh/vendor-completions/_cdpadm', completion('zsh'));
  await put('usr/share/fish/vendor_completions.d/cdpadm.fish', completion('fish'));
  for (const path of await pages()) await put(`usr/share/doc/cdpadm/${path}`, await readFile(join(root, path)));
  await put('usr/share/doc/cdpadm/copyright', await readFile(join(dist, 'bin', 'LICENSES.txt')));
  await put('usr/share/doc/cdpadm/changelog.gz', zipped(await readFile(join(root, 'CHANGELOG.md'))));
  await put('usr/share/doc/cdpadm/sbom.cdx.json', await readFile(`${executable}.cdx.json`));
  const { size } = await stat(executable);
  const commit = commitOf(root);
  const control = [
    'Package: cdpadm',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    // The maintainer is the author of the last commit: Debian requires an email address, and package.json has none.
    `Maintainer: ${commit.author || author}`,
    `Installed-Size: ${Math.ceil(size / 1024)}`,
    'Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6',
    'Suggests: bash-completion',
    'Section: admin',
    'Priority: optional',
    'Description: administer a customer-data platform from a terminal',
    ...(description.match(/.{1,76}(?: |$)/g)?.map((line) => ` ${line.trim()}`) ?? []),
    ' .',
    ' This package contains the manual, completion for bash, zsh and fish, and the',
    ' single executable, which does not need Node.',
    '',
  ];
  await put('DEBIAN/control', control.join('\n'));
  const file = join(dist, `cdpadm_${version}_${architecture}.deb`);
  // Uses the commit's time for all files, so that builds are reproducible.
  const env = {
    ...process.env,
    ...(commit.date !== '' && { SOURCE_DATE_EPOCH: String(Date.parse(commit.date) / 1000) }),
  };
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', ...process.argv.slice(2), '--build', folder, file], {
    env,
    stdio: 'pipe',
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Returns the paths of the documentation files in the npm package. */
async function pages() {
  const guides = (await readdir(join(root, 'docs'), { recursive: true, withFileTypes: true })).filter((item) =>
    item.isFile(),
  );
  const others = files.filter((path) => path.endsWith('.md') && !path.startsWith('!'));
  const paths = ['README.md', ...others, ...guides.map((item) => relative(root, join(item.parentPath, item.name)))];
  return paths.filter((path) => !files.includes(`!${path}`)).sort();
}

/** @param {string} path @param {string | Buffer} content */
async function put(path, content, mode = 0o644) {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true, mode: 0o755 });
  await writeFile(file, content);
  await chmod(file, mode);
}

/** @param {Buffer} bytes */
function zipped(bytes) {
  return gzipSync(bytes, { level: 9 });
}

/** @param {string} shell */
function completion(shell) {
  return execFileSync(executable, ['completion', shell], { env: { HOME: folder, CDPADM_CACHE_DIR: '/dev/null' } });
}
