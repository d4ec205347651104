// The release script, the action and the release workflow, with small files instead of the real ones.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  executable,
  hasInstaller,
  pathWith,
  PROGRAM,
  releaseFolder,
  type Result,
  run,
  serve,
  system,
} from '../helpers/release.ts';
import { root } from '../helpers/root.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

interface Step {
  name?: string;
  run?: string;
  uses?: string;
  shell?: string;
  env?: Record<string, string>;
  with?: Record<string, string>;
}

/** Creates a repository with the release script, whose build writes small files. */
async function repository(changes: Record<string, string> = {}): Promise<string> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'scripts'));
  mkdirSync(join(folder, 'node_modules'));
  for (const name of ['release.mjs', 'commit.mjs'])
    copyFileSync(join(root, 'scripts', name), join(folder, 'scripts', name));
  copyFileSync(join(root, 'install.sh'), join(folder, 'install.sh'));
  executable(
    join(folder, 'build.sh'),
    `mkdir -p dist/bin && cp program.sh dist/bin/cdpadm-${system} && echo {} >dist/sbom.cdx.json\n`,
  );
  executable(join(folder, 'program.sh'), PROGRAM);
  const scripts = {
    release: 'node scripts/release.mjs',
    binary: 'sh build.sh',
    deb: `sh build.sh && echo >dist/cdpadm_0.2.0_amd64.deb`,
  };
  const files = {
    'package.json': JSON.stringify({ name: 'cdpadm', version: '0.2.0', files: ['install.sh'], scripts }),
    'CHANGELOG.md':
      '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-01-31\n\n### Added\n\n- All of it.\n\n## [0.1.0] - 2026-01-01\n',
    '.gitignore': 'dist/\n.npm/\nnode_modules/\n',
    ...changes,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  for (const line of ['init -q', 'add .', 'commit -qm first']) {
    const { code, output } = await git(folder, ...line.split(' '));
    expect({ code, output }).toEqual({ code: 0, output: '' });
  }
  return folder;
}

const hasDpkg = process.platform === 'linux' && spawnSync('dpkg-deb', ['--version']).error === undefined;
const AUTHOR = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'init.defaultBranch=main'];
const git = (folder: string, ...args: string[]): Promise<Result> => run('git', [...AUTHOR, ...args], folder);
/** Git uses the committer as the tagger. */
const TAGGER = { GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.com' };
const release = (folder: string): Promise<Result> => run(process.execPath, ['scripts/release.mjs'], folder, TAGGER);

describe('npm run release', () => {
  test('builds, writes checksums and notes, and tags the commit, with identical bytes each time', async () => {
    const folder = await repository();
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/cdpadm_0.1.0_amd64.deb'), 'of an earlier version');
    const { code, output } = await release(folder);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('v0.2.0 is in dist/release') });
    const made = join(folder, 'dist/release');
    expect((await run('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], made)).output).toBe('');
    const sums = readFileSync(join(made, 'SHA256SUMS'), 'utf8');
    expect(
      sums
        .replace(/^\w+ {2}/gm, '')
        .trim()
        .split('\n'),
    ).toEqual([
      'NOTES.md',
      'cdpadm-0.2.0.tgz',
      `cdpadm-${system}`,
      ...(hasDpkg ? ['cdpadm_0.2.0_amd64.deb'] : []),
      'install.sh',
      'sbom.cdx.json',
    ]);
    const notes = readFileSync(join(made, 'NOTES.md'), 'utf8');
    expect(notes).toMatch(/^### Added\n\n- All of it\.\n\n### Install\n\n/);
    for (const text of ['./cdpadm-0.2.0.tgz', 'sh install.sh .', `Node ${process.versions.node}`, 'A <a@example.com>'])
      expect(notes).toContain(text);
    const packed = await run('tar', ['-xOf', join(made, 'cdpadm-0.2.0.tgz'), 'package/package.json'], folder);
    expect(JSON.parse(packed.output)).toMatchObject({ author: 'A <a@example.com>' });
    expect((await git(folder, 'tag', '--points-at', 'HEAD')).output).toBe('v0.2.0\n');
    await git(folder, 'tag', '--delete', 'v0.2.0');
    const again = `umask 077; chmod -R go-rwx *; exec ${process.execPath} scripts/release.mjs --no-tag`;
    expect(await run('sh', ['-c', again], folder, TAGGER)).toMatchObject({ code: 0 });
    expect(readFileSync(join(made, 'SHA256SUMS'), 'utf8')).toBe(sums);
    expect((await git(folder, 'tag')).output).toBe('');
  });

  test('omits the .deb if dpkg-deb is missing, and the tag if git has no author', async () => {
    const folder = await repository();
    const PATH = pathWith('cp env git mkdir node npm sh'.split(' '));
    const unnamed = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.useConfigOnly', GIT_CONFIG_VALUE_0: 'true' };
    const { code, output } = await run(process.execPath, ['scripts/release.mjs'], folder, { PATH, ...unnamed });
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('dpkg-deb is missing') });
    expect(output).toContain('was not tagged as v0.2.0, because git does not know your name');
    expect((await git(folder, 'tag')).output).toBe('');
  });

  test.each<[what: string, prepare: (folder: string) => unknown, expected: string]>([
    ['a changed file', (folder) => writeFileSync(join(folder, 'install.sh'), ''), 'The working tree has changes'],
    [
      'a tag on a different commit',
      async (folder) => {
        await git(folder, 'tag', 'v0.2.0');
        await git(folder, 'commit', '--allow-empty', '-qm', 'second');
      },
      'v0.2.0 is the tag of a different commit',
    ],
    ['missing packages', (folder) => rmSync(join(folder, 'node_modules'), { recursive: true }), 'Run `npm ci`.'],
    ['a missing history', (folder) => rmSync(join(folder, '.git'), { recursive: true }), 'has no git history'],
  ])('stops before building because of %s', async (_what, prepare, expected) => {
    const folder = await repository();
    await prepare(folder);
    const { code, output } = await release(folder);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(expected) });
    expect(output).toMatch(/^No release: .*\n(.*\n)?$/);
    expect(existsSync(join(folder, 'dist'))).toBe(false);
  });

  test.each([
    ['no section for the version', '## [Unreleased]\n', 'no section `## [0.2.0] - DATE`'],
    [
      'unreleased entries',
      '## [Unreleased]\n\n### Fixed\n\n- This.\n\n## [0.2.0] - 2026-01-31\n\n- All of it.\n',
      'has entries below [Unreleased]',
    ],
  ])('stops if the changelog has %s', async (_what, sections, expected) => {
    const folder = await repository({ 'CHANGELOG.md': `# Changelog\n\n${sections}` });
    expect(await release(folder)).toEqual({ code: 1, output: expect.stringContaining(expected) });
    expect(existsSync(join(folder, 'dist'))).toBe(false);
  });
});

/** Runs a step as GitHub does: `${{ … }}` is replaced by a value. */
function runStep(
  step: Step,
  cwd: string,
  values: Record<string, string>,
  env: Record<string, string>,
): Promise<Result> {
  const filled = (text: string): string =>
    text.replace(/\$\{\{ (.*?) \}\}/g, (_all, name: string) => values[name] ?? `no value for ${name}`);
  const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value)]);
  const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', filled(step.run ?? '')];
  return run('bash', args, cwd, { ...env, ...(Object.fromEntries(own) as Record<string, string>) });
}

const yaml = (path: string): unknown => parse(readFileSync(join(root, path), 'utf8'));

test.skipIf(!hasInstaller)('the action installs a release and runs the given commands', async () => {
  const { inputs, runs } = yaml('action.yml') as {
    inputs: Record<string, object>;
    runs: { using: string; steps: Step[] };
  };
  expect([runs.using, Object.keys(inputs)]).toEqual(['composite', ['release', 'run']]);
  const home = temporaryFolder();
  const paths = join(home, 'paths');
  writeFileSync(paths, '');
  const values = { 'inputs.release': await serve(releaseFolder()), 'inputs.run': 'cdpadm roles list | cat' };
  let output = '';
  for (const step of runs.steps) {
    const PATH = [...readFileSync(paths, 'utf8').trim().split('\n'), process.env['PATH'] ?? ''].join(delimiter);
    const env = { PATH, GITHUB_ACTION_PATH: root, GITHUB_PATH: paths, RUNNER_TEMP: home };
    const result = await runStep(step, home, values, env);
    expect({ code: result.code, output: result.output, shell: step.shell }).toMatchObject({ code: 0, shell: 'bash' });
    output = result.output;
  }
  expect(output).toBe('0.2.0 roles list\n');
});

test('the release workflow checks, builds, attests and publishes the release for its tag', async () => {
  const workflow = yaml('.github/workflows/release.yml') as {
    on: { push: { tags: string[] } };
    jobs: { publish: { permissions: Record<string, string>; steps: Step[] } };
  };
  const { permissions, steps } = workflow.jobs.publish;
  expect(workflow.on.push.tags).toEqual(['v*']);
  expect(permissions).toEqual({ contents: 'write', 'id-token': 'write', attestations: 'write' });
  const folder = await repository({ '.gitignore': 'dist/\n.npm/\nnode_modules/\n.ci/\nbin/\ncalls\n' });
  // Replaces the checks and the publishing programs with scripts that record their arguments and publish nothing.
  const fakes = {
    '.ci/run': '',
    'bin/gh': `case $2 in view) test -e "${folder}/dist/released" ;; create) touch "${folder}/dist/released" ;; esac`,
    'bin/npm': `case $1 in
      view) cat "${folder}/dist/published" ;;
      publish) sha1sum "$2" | cut -d ' ' -f 1 >"${folder}/dist/published" ;;
      *) PATH="\${PATH#*:}" exec npm "$@" ;;
      esac`,
  };
  for (const [path, lines] of Object.entries(fakes)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    const note = `echo "${path.replace(/.*\//, '')} $*" >>"${folder}/calls"`;
    executable(join(folder, path), `#!/bin/sh\n${note}\n${lines}\n`);
  }
  const PATH = [join(folder, 'bin'), process.env['PATH'] ?? ''].join(delimiter);
  const env = { PATH, GITHUB_REF_NAME: 'v0.2.0', GITHUB_REPOSITORY: 'acme/cdpadm', ...TAGGER };
  for (const step of steps.filter((item) => item.run !== undefined)) {
    const result = await runStep(step, folder, { 'github.token': 'token' }, env);
    expect({ run: step.run, ...result }).toMatchObject({ run: step.run, code: 0 });
  }
  const packed = await run('tar', ['-xOf', 'dist/release/cdpadm-0.2.0.tgz', 'package/package.json'], folder);
  expect(JSON.parse(packed.output)).toMatchObject({
    repository: { type: 'git', url: 'git+https://github.com/acme/cdpadm.git' },
  });
  expect((await git(folder, 'status', '--porcelain')).output).toBe('');
  const attested = steps.find(({ uses }) => uses?.startsWith('actions/attest-build-provenance@'));
  expect(existsSync(join(folder, attested?.with?.['subject-checksums'] ?? ''))).toBe(true);
  const calls = readFileSync(join(folder, 'calls'), 'utf8').split('\n');
  expect(calls[0]).toBe('run ');
  expect(calls).toContain('npm publish ./dist/release/cdpadm-0.2.0.tgz --provenance --access public');
  expect(calls.join('\n')).toMatch(/gh release create v0\.2\.0 .*SHA256SUMS.* --verify-tag --notes-file/);
  // If the publishing steps run again after a later step failed, they do not publish anything twice.
  for (const step of steps.slice(-2)) expect((await runStep(step, folder, {}, env)).code).toBe(0);
  const again = readFileSync(join(folder, 'calls'), 'utf8').split('\n');
  expect(again.slice(calls.length - 1)).toEqual(['gh release view v0.2.0', expect.stringMatching(/^npm view /), '']);
  const wrong = steps.find((step) => step.run?.startsWith('test ')) ?? {};
  expect((await runStep(wrong, folder, {}, { ...env, GITHUB_REF_NAME: 'v9.9.9' })).code).toBe(1);
});
