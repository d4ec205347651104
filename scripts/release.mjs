// Makes a release of the current commit in `dist/release/`: checks, builds, writes checksums, and tags the commit. The
// script publishes nothing; `.github/workflows/release.yml` does.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const release = join(dist, 'release');
/** @type {{version: string}} */
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const tag = `v${version}`;

/** @param {string} file @param {string[]} args */
function run(file, ...args) {
  return execFileSync(file, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** The section of this version in the changelog, which must have no unreleased entries. */
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
 * Packs the npm package. On GitHub, the package names the repository of the workflow, as npm requires for provenance.
 * @param {string | undefined} repository such as `owner/name`
 */
async function pack(repository) {
  const file = join(root, 'package.json');
  const manifest = await readFile(file, 'utf8');
  try {
    if (repository !== undefined) {
      const page = `https://github.com/${repository}`;
      const places = {
        repository: { type: 'git', url: `git+${page}.git` },
        homepage: `${page}#readme`,
        bugs: `${page}/issues`,
      };
      await writeFile(file, `${JSON.stringify({ ...JSON.parse(manifest), ...places }, null, 2)}\n`);
    }
    run('npm', 'pack', '--ignore-scripts', '--pack-destination', release);
  } finally {
    await writeFile(file, manifest);
  }
}

function checkTree() {
  const changes = run('git', 'status', '--porcelain');
  if (changes !== '') throw new Error(`The working tree has changes. Commit or stash them:\n${changes}`);
  const tagged = run('git', 'tag', '--list', tag) && run('git', 'rev-parse', `${tag}^{commit}`);
  if (tagged !== '' && tagged !== run('git', 'rev-parse', 'HEAD'))
    throw new Error(`${tag} is a different commit. Raise the version in package.json.`);
  // The tag comes last, and needs the name of its author.
  if (tagged === '') run('git', 'var', 'GIT_COMMITTER_IDENT');
  return tagged !== '';
}

/** Sets the modes that git records, because the package contains them, and the umask must not change the package. */
async function setModes() {
  process.umask(0o022);
  for (const name of run('git', 'ls-files', '-z').split('\0').filter(Boolean)) {
    const { mode } = await stat(join(root, name));
    await chmod(join(root, name), mode & 0o100 ? 0o755 : 0o644);
  }
}

try {
  const text = await notes();
  const isTagged = checkTree();
  await setModes();
  run('npm', 'run', 'deb');
  await rm(release, { recursive: true, force: true });
  await mkdir(release);
  for (const folder of [dist, join(dist, 'bin')])
    for (const name of await readdir(folder))
      if (/\.(deb|cdx\.json)$|^(cdpadm-|LICENSES)/.test(name)) await cp(join(folder, name), join(release, name));
  await pack(process.env['GITHUB_REPOSITORY']);
  await cp(join(root, 'install.sh'), join(release, 'install.sh'));
  await writeFile(join(release, 'NOTES.md'), text);
  const names = (await readdir(release)).sort();
  const sums = names.map(async (name) => {
    const hash = createHash('sha256').update(await readFile(join(release, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  await writeFile(join(release, 'SHA256SUMS'), await Promise.all(sums));
  if (!isTagged) run('git', 'tag', '--annotate', tag, '--message', `cdpadm ${version}`);
  process.stdout.write(`${tag} is in dist/release: ${names.join(', ')}\n`);
} catch (error) {
  const { message, stderr } = /** @type {Error & {stderr?: string}} */ (error);
  process.stderr.write(`No release: ${stderr || message}\n`);
  process.exitCode = 1;
}
