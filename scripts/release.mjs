// Creates a release of the current commit in `dist/release/`: checks the requirements, builds the files, writes
// checksums, and tags the commit unless `--no-tag` is passed. The script does not run the tests or publish anything;
// `.github/workflows/release.yml` does both.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commitOf } from './commit.mjs';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const release = join(dist, 'release');
/** @type {{version: string}} */
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const tag = `v${version}`;

/** @param {string} text */
function notice(text) {
  process.stderr.write(`${text}\n`);
}

/** @param {string} file @param {string[]} args */
function run(file, ...args) {
  return execFileSync(file, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** Returns this version's section of the changelog. Throws if the changelog has unreleased entries. */
async function notes() {
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  const sections = changelog.split(/^(?=## )/m);
  const unreleased = sections.find((text) => text.startsWith('## [Unreleased]'));
  if (unreleased?.replace(/^## .*/, '').trim())
    throw new Error(
      'CHANGELOG.md has entries below [Unreleased]. Raise the version in package.json, and move them below it.',
    );
  const section = sections.find((text) => text.startsWith(`## [${version}] - `));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section \`## [${version}] - DATE\`. Add it.`);
  return section.replace(/^## .*\n+/, '');
}

/**
 * Packs the npm package, and sets its author to the author of the commit. On GitHub, also sets its repository to the
 * workflow's repository, as npm requires for provenance.
 * @param {string | undefined} repository such as `owner/name`
 */
async function pack(repository) {
  const file = join(root, 'package.json');
  const manifest = await readFile(file, 'utf8');
  try {
    const page = `https://github.com/${repository}`;
    const places = {
      repository: { type: 'git', url: `git+${page}.git` },
      homepage: `${page}#readme`,
      bugs: `${page}/issues`,
    };
    const own = { author: commitOf(root).author, ...(repository !== undefined && places) };
    await writeFile(file, `${JSON.stringify({ ...JSON.parse(manifest), ...own }, null, 2)}\n`);
    run('npm', 'pack', '--ignore-scripts', '--pack-destination', release);
  } finally {
    await writeFile(file, manifest);
  }
}

/** Checks the requirements of a release before anything is built. Returns whether the commit already has the tag. */
function check() {
  if (!existsSync(join(root, 'node_modules'))) throw new Error('The packages are missing. Run `npm ci`.');
  if (!answers('git', '--version')) throw new Error('git is missing. Install it.');
  if (!answers('git', 'rev-parse', '--verify', 'HEAD') || run('git', 'rev-parse', '--show-prefix') !== '')
    throw new Error(
      'A release names its commit, but this folder has no git history. Clone the repository, or run `npm pack`.',
    );
  const changes = run('git', 'status', '--porcelain');
  if (changes !== '') throw new Error(`The working tree has changes. Commit or stash them:\n${changes}`);
  const tagged = run('git', 'tag', '--list', tag) && run('git', 'rev-parse', `${tag}^{commit}`);
  if (tagged !== '' && tagged !== run('git', 'rev-parse', 'HEAD'))
    throw new Error(`${tag} is the tag of a different commit. Raise the version in package.json.`);
  return tagged !== '';
}

/** Returns true if the program is installed and exits with 0. @param {string} file @param {string[]} args */
function answers(file, ...args) {
  return spawnSync(file, args, { cwd: root }).status === 0;
}

/**
 * Returns the end of the release notes: how to install the files, and what they were built with.
 * @param {string[]} names
 */
function installation(names) {
  /** @param {RegExp} pattern */
  const file = (pattern) => names.find((name) => pattern.test(name));
  const deb = file(/\.deb$/);
  const lines = [
    '- Verify the files: `sha256sum --check SHA256SUMS`',
    `- With Node: \`npm install --global ./${file(/\.tgz$/)}\``,
    ...(file(/^cdpadm-(linux|darwin)-\w+$/) ? ['- Without Node: `sh install.sh .`'] : []),
    ...(deb ? [`- On Debian and Ubuntu: \`sudo apt install ./${deb}\``] : []),
  ];
  const dpkg = deb && `and dpkg-deb ${/\d[\w.~-]*/.exec(run('dpkg-deb', '--version'))?.[0]}`;
  const tools = [`Node ${process.versions.node}`, `npm ${run('npm', '--version')}`, dpkg].filter(Boolean).join(', ');
  const { author, commit } = commitOf(root);
  return `### Install\n\n${lines.join('\n')}\n\nBuilt from ${commit} with ${tools}. Maintainer: ${author}.\n`;
}

/** Sets the file modes that git records, because the modes in the package must not depend on the umask. */
async function setModes() {
  process.umask(0o022);
  for (const name of run('git', 'ls-files', '-z').split('\0').filter(Boolean)) {
    const { mode } = await stat(join(root, name));
    await chmod(join(root, name), mode & 0o100 ? 0o755 : 0o644);
  }
}

try {
  const { values } = parseArgs({ options: { 'no-tag': { type: 'boolean', default: false } } });
  const text = await notes();
  const isTagged = check();
  await setModes();
  for (const name of existsSync(dist) ? await readdir(dist) : [])
    if (/^(bin|release)$|\.deb$/.test(name)) await rm(join(dist, name), { recursive: true });
  const hasDpkg = process.platform === 'linux' && answers('dpkg-deb', '--version');
  run('npm', 'run', hasDpkg ? 'deb' : 'binary');
  if (!hasDpkg) notice('There is no .deb, because dpkg-deb is missing.');
  await mkdir(release);
  for (const folder of [dist, join(dist, 'bin')])
    for (const name of await readdir(folder))
      if (/\.(deb|cdx\.json)$|^(cdpadm-|LICENSES)/.test(name)) await cp(join(folder, name), join(release, name));
  await pack(process.env['GITHUB_REPOSITORY']);
  await cp(join(root, 'install.sh'), join(release, 'install.sh'));
  await writeFile(join(release, 'NOTES.md'), `${text.trim()}\n\n${installation(await readdir(release))}`);
  const names = (await readdir(release)).sort();
  const sums = names.map(async (name) => {
    const hash = createHash('sha256').update(await readFile(join(release, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  await writeFile(join(release, 'SHA256SUMS'), await Promise.all(sums));
  if (values['no-tag']) notice(`The commit was not tagged as ${tag}.`);
  else if (isTagged) notice(`The commit already has the tag ${tag}.`);
  else if (answers('git', 'var', 'GIT_COMMITTER_IDENT'))
    run('git', 'tag', '--annotate', tag, '--message', `cdpadm ${version}`);
  else
    notice(`The commit was not tagged as ${tag}, because git does not know your name. Set user.name and user.email.`);
  process.stdout.write(`${tag} is in dist/release: ${names.join(', ')}\n`);
} catch (error) {
  const { message, stderr } = /** @type {Error & {stderr?: string}} */ (error);
  process.stderr.write(`No release: ${stderr || message}\n`);
  process.exitCode = 1;
}
