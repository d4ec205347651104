// Builds the single executable and the Debian package, and uses them in an environment without Node.
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { beforeAll, describe, expect, test } from 'vitest';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import type { EmulatorReady } from '../../src/lib/emulator/index.ts';
import { root } from '../helpers/root.ts';
import { isWhole } from '../helpers/size.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const isLinux = process.platform === 'linux' && process.arch === 'x64';
const hasDpkg = spawnSync('dpkg-deb', ['--version']).error === undefined;
const hasMandoc = spawnSync('mandoc', ['-Tlint'], { input: '' }).error === undefined;
const isRoot = process.getuid?.() === 0;
const EXECUTABLE = join(root, 'dist/bin/cdpadm-linux-x64');

const script = (name: string, ...args: string[]): Promise<unknown> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, [join(root, 'scripts', name), ...args], (error, _stdout, stderr) => {
      if (error === null) resolve(undefined);
      else reject(new Error(stderr));
    });
  });

/** Returns an environment without Node: its PATH contains no programs. */
const envOf = (home: string): Record<string, string> => ({ HOME: home, TMPDIR: home, PATH: '/nonexistent' });

/** Runs a program, and stops it once it has printed `until`. */
function run(file: string, args: string[], options: { cwd: string; env: Record<string, string>; until?: string }) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (options.until !== undefined && stdout.includes(options.until)) child.kill();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** At least one command from each area, in an order that works. */
const COMMANDS: [line: string, expected: RegExp][] = [
  ['--version', /^\d+\.\d+\.\d+\n$/],
  ['roles push --help', /Usage:/],
  ['help exit-codes', /guard/],
  ['roles pull', /5 roles/],
  ['roles diff --exit-code', /0 to modify/],
  ['groups list', /SOURCE/],
  ['dsr submit --regulation gdpr --type access --identity email=jane@example.com --yes', /pending/],
  ['dsr list', /access/],
  ['connections create shop --name Shop --service-provider PROVIDER_D --provider acme --schema shop --yes', /shop/],
  ['data-models create people --name People --sql-query SELECT+customer_id,email+FROM+customers --yes', /people/],
  [
    'pipelines create people --name People --connection-id shop --data-model-id people --pipeline-type ' +
      'user_attributes --sync-mode full --schedule on_demand --environment production --state active --yes',
    /people/,
  ],
  ['pipelines trigger people --wait --yes', /success/],
  ['warehouse export sync', /people/],
  ['roles edit user-role', /No changes/],
  ['seed template --out users.csv', /Written/],
  ['seed inspect users.parquet', /email/],
  ['seed bulk users.csv --yes', /ACCEPTED\s+2/i],
  ['intake identify -f user.json --yes', /./],
  ['auth test', /ok/],
  ['api GET /discovery', /erasure/],
  ['schema roles', /"\$schema"/],
  ['completion bash', /cdpadm/],
  ['profile list', /local/],
  ['log', /seed bulk/],
  ['log verify', /./],
  ['help recipes roles-drift.yml', /^name: Roles drift$/m],
];

const USER = {
  environment: 'development',
  user_identities: { email: 'ada@example.com' },
  user_attributes: { city: 'X' },
};

describe.skipIf(!isLinux)('the single executable for linux-x64', () => {
  beforeAll(() => script('binary.mjs'));

  test('runs a command from each area without Node, and does not leave code on disk', async () => {
    const home = temporaryFolder();
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'user.json'), JSON.stringify(USER));
    const column = { name: 'identity:email', data: ['ada@example.com'], type: 'STRING' as const };
    writeFileSync(join(cwd, 'users.parquet'), new Uint8Array(parquetWriteBuffer({ columnData: [column] })));
    const platform = spawn(EXECUTABLE, ['emulator', 'start', '--memory', '--port', '0', '-o', 'json'], {
      env: envOf(home),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => platform.on('close', resolve));
    try {
      const ready = await new Promise<EmulatorReady>((resolve) => {
        platform.stdout.once('data', (line: Buffer) => resolve(JSON.parse(line.toString()) as EmulatorReady));
      });
      const env = { ...envOf(home), ...environmentOf(ready), CDPADM_EDITOR: '/bin/true' };
      for (const [line, expected] of COMMANDS) {
        const args = line.split(' ').map((word) => word.replaceAll('+', ' '));
        const { code, stderr, stdout } = await run(EXECUTABLE, args, { cwd, env });
        expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
        expect(stdout + stderr).toMatch(expected);
      }
      const page = await fetch(`${ready.control_url}/ui`);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<html')]);
    } finally {
      platform.kill('SIGTERM');
      await ended;
    }
    const written = [home, cwd].flatMap((folder) => readdirSync(folder, { recursive: true }).map(String));
    expect(written.filter((path) => /\.(js|cjs|node|wasm|html)$|[\\/]code[\\/]/.test(path))).toEqual([]);
  });

  test('serves the Model Context Protocol until its input closes', async () => {
    const home = temporaryFolder();
    const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const request = { jsonrpc: '2.0', id: 1, method: 'initialize', params: client };
    const stdout = execFileSync(EXECUTABLE, ['mcp', '--profile', 'local'], {
      cwd: home,
      env: envOf(home),
      input: `${JSON.stringify(request)}\n`,
      stdio: 'pipe',
    });
    expect(JSON.parse(stdout.toString())).toMatchObject({ id: 1, result: { serverInfo: { name: 'cdpadm' } } });
  });

  test('starts its own platform for `doctor --profile local`, and reports that it has no keychain', async () => {
    const home = temporaryFolder();
    const { code, stdout } = await run(EXECUTABLE, ['doctor', '--profile', 'local'], { cwd: home, env: envOf(home) });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('read roles') });
    expect(stdout).toContain('the single executable has no access to it');
  });

  test('runs itself for each command in the tour when started from the PATH', async () => {
    const home = temporaryFolder();
    const env = { ...envOf(home), PATH: dirname(EXECUTABLE) };
    // The whole tour takes as long as all other tests in this file, so a normal run stops it early.
    const until = isWhole ? undefined : '$ cdpadm roles diff';
    const { code, stdout } = await run('cdpadm-linux-x64', ['tour'], { cwd: home, env, until });
    expect({ code, stdout }).toEqual({
      code: isWhole ? 0 : 143,
      stdout: expect.stringMatching(/cdpadm roles pull\s+Wrote/),
    });
    expect(existsSync(join(home, '.cache/cdpadm/code'))).toBe(false);
  });

  test('comes with the licenses of its parts and a bill of materials that lists Node', async () => {
    const licenses = readFileSync(join(root, 'dist/bin/LICENSES.txt'), 'utf8');
    expect(licenses).toMatch(/cdpadm authors[\s\S]*undici[\s\S]*Node\.js is licensed for use as follows/);
    const materials = readFileSync(`${EXECUTABLE}.cdx.json`, 'utf8');
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(materials)).toBeNull();
    expect(materials).toContain(`nodejs:node.js:${process.versions.node}`);
    expect(materials).toContain('"in the executable, unmodified"');
    expect(materials).not.toMatch(/keyring|"optional"/);
    const sha256 = (file: string) => [
      { alg: 'SHA-256', content: createHash('sha256').update(readFileSync(file)).digest('hex') },
    ];
    const { components, metadata } = JSON.parse(materials) as { components: object[]; metadata: object };
    expect(metadata).toMatchObject({ component: { name: 'cdpadm', hashes: sha256(EXECUTABLE) } });
    const node = { name: 'node', hashes: sha256(process.execPath), licenses: [{ license: { id: 'MIT' } }] };
    expect(components).toContainEqual(expect.objectContaining(node));
    expect(components).toContainEqual(expect.objectContaining({ name: 'sqlite' }));
  });

  test.skipIf(!hasDpkg || !isRoot)(
    'is installed from a .deb, runs, shows its manual and is removed (skipped without root or dpkg)',
    async () => {
      await script('deb.mjs', '-Znone');
      const deb = readdirSync(join(root, 'dist')).find((name) => name.endsWith('_amd64.deb')) ?? '';
      const system = temporaryFolder();
      // dpkg checks the dependencies against a copy of this system's package database, and installs into a
      // separate folder.
      const admin = join(system, 'dpkg');
      cpSync('/var/lib/dpkg', admin, { recursive: true, filter: (path) => !/\/lock(-frontend)?$/.test(path) });
      const dpkg = (...args: string[]): string =>
        execFileSync('dpkg', [`--instdir=${system}`, `--admindir=${admin}`, '--no-triggers', ...args], {
          stdio: 'pipe',
        }).toString();
      dpkg('--install', join(root, 'dist', deb));
      const installed = join(system, 'usr/bin/cdpadm');
      const { stdout } = await run(installed, ['roles', 'list', '--profile', 'local'], {
        cwd: system,
        env: envOf(system),
      });
      expect(stdout).toContain('admin-role');
      const listed = dpkg('--listfiles', 'cdpadm').split('\n');
      for (const path of [
        '/usr/share/man/man1/cdpadm-roles-push.1.gz',
        '/usr/share/bash-completion/completions/cdpadm',
        '/usr/share/zsh/vendor-completions/_cdpadm',
        '/usr/share/fish/vendor_completions.d/cdpadm.fish',
        '/usr/share/doc/cdpadm/copyright',
        '/usr/share/doc/cdpadm/docs/recipes/roles-drift.yml',
      ]) {
        expect(listed).toContain(path);
        expect(existsSync(join(system, path))).toBe(true);
      }
      const readme = readFileSync(join(system, 'usr/share/doc/cdpadm/README.md'), 'utf8');
      const linked = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path);
      const absent = linked.filter((path) => !existsSync(join(system, 'usr/share/doc/cdpadm', path)));
      expect({ absent, some: linked.length > 20 }).toEqual({ absent: [], some: true });
      if (hasMandoc) {
        const page = gunzipSync(readFileSync(join(system, 'usr/share/man/man1/cdpadm-roles-push.1.gz')));
        const shown = execFileSync('mandoc', ['-Tutf8'], { input: page }).toString();
        expect(shown).toContain('cdpadm-roles-pull(1)');
      }
      const field = (name: string): string =>
        execFileSync('dpkg-deb', ['-f', join(root, 'dist', deb), name]).toString();
      expect(field('Depends')).not.toMatch(/node/i);
      expect(field('Maintainer')).toMatch(/^\S.* <\S+@\S+>\n$/);
      const [synopsis = '', ...more] = field('Description').trimEnd().split('\n');
      expect(synopsis).toMatch(/^administer .{1,60}$/);
      expect(more.length).toBeGreaterThan(3);
      expect(more.filter((line) => !/^ .{1,79}$/.test(line))).toEqual([]);
      dpkg('--remove', 'cdpadm');
      expect(existsSync(installed)).toBe(false);
    },
  );
});
