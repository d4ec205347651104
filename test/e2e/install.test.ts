// Tests the installer with a stub script in place of the executable.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeCertificate } from '../helpers/certificate.ts';
import {
  executable,
  hasInstaller,
  pathWith,
  redirectTo,
  releaseFolder,
  type Result,
  run,
  serve,
  system,
} from '../helpers/release.ts';
import { root } from '../helpers/root.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const install = (home: string, args: string[], env: Record<string, string> = {}): Promise<Result> =>
  run(join(root, 'install.sh'), args, home, env);
const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).error === undefined;

/** Programs that the installer and the stub need, except a download client. */
const TOOLS = 'awk chmod cp mkdir mktemp mv rm sed sh sha256sum shasum tr uname'.split(' ');

describe.skipIf(!hasInstaller)('install.sh', () => {
  test('installs the executable from a served release', async () => {
    const home = temporaryFolder();
    const { code, output } = await install(home, [await serve(releaseFolder())]);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('Installed 0.2.0 --version as') });
    expect((await run(join(home, '.local/bin/cdpadm'), ['x'], home)).output).toBe('0.2.0 x\n');
  });

  test('accepts a release folder and a target folder', async () => {
    const home = temporaryFolder();
    expect((await install(home, [releaseFolder(), join(home, 'bin')])).code).toBe(0);
    expect(readdirSync(join(home, 'bin'))).toEqual(['cdpadm']);
  });

  test.each<[what: string, program: string]>([
    ['cannot be executed', '\x7fELF is only the start'],
    ['exits with an error', '#!/bin/sh\nexit 1\n'],
  ])('keeps the old program if the new one %s', async (_what, program) => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'bin'));
    executable(join(home, 'bin/cdpadm'), 'old');
    const { code, output } = await install(home, [releaseFolder(program), join(home, 'bin')]);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('does not start on this system') });
    expect(readdirSync(join(home, 'bin'))).toEqual(['cdpadm']);
    expect(readFileSync(join(home, 'bin/cdpadm'), 'utf8')).toBe('old');
  });

  test('installs nothing if the checksum is wrong', async () => {
    const home = temporaryFolder();
    const folder = releaseFolder();
    writeFileSync(join(folder, `cdpadm-${system}`), '#!/bin/sh\necho forged\n');
    const { code, output } = await install(home, [folder]);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('checksum of cdpadm-') });
    expect(readdirSync(home)).toEqual([]);
  });

  test.each(['SHA256SUMS', `cdpadm-${system}`])('reports that %s is missing from the folder', async (name) => {
    const folder = releaseFolder();
    rmSync(join(folder, name));
    expect(await install(temporaryFolder(), [folder])).toEqual({
      code: 1,
      output: expect.stringMatching(new RegExp(`^install\\.sh: .* has no ${name}\\. Pass the folder of a release`)),
    });
  });

  const usage = 'Usage: install.sh RELEASE [FOLDER]';
  test.each<[what: string, args: string[], expected: string]>([
    ['a missing address', [], `pass the address of a release\n${usage}`],
    ['too many arguments', ['a', 'b', 'c'], usage],
    ['an unknown flag', ['--force'], `unknown flag --force\n${usage}`],
    ['an address that cannot be reached', ['http://127.0.0.1:1'], 'could not be downloaded'],
    ...[
      'http://example.com/v1',
      'http://127.0.0.1:80@example.com/v1',
      'http://localhost@example.com',
      'http://127.0.0.1.example.com/',
      'http://127.0.0.1:x/',
      'https://user@example.com/v1',
      'ftp://127.0.0.1/v1',
      'https://',
      'nowhere',
    ].map((address): [string, string[], string] => [address, [address], 'must be a folder or an https address']),
  ])('exits with 1 and reports %s', async (_what, args, expected) => {
    const home = temporaryFolder();
    expect(await install(home, args)).toEqual({ code: 1, output: expect.stringContaining(expected) });
  });

  test('prints its usage for --help', async () => {
    expect(await install(temporaryFolder(), ['--help'])).toEqual({ code: 0, output: expect.stringContaining(usage) });
  });

  describe.each(['curl', 'wget'])('with %s', (client) => {
    test.skipIf(!hasProgram(client))(
      'follows redirects only from https to https (skipped if the client is not installed)',
      async () => {
        const home = temporaryFolder();
        const certificate = makeCertificate();
        const [trusted, settings] = [join(home, 'ca.pem'), join(home, 'wgetrc')];
        writeFileSync(trusted, certificate.cert);
        writeFileSync(settings, `ca_certificate = ${trusted}\n`);
        const env = { CURL_CA_BUNDLE: trusted, WGETRC: settings, PATH: pathWith([...TOOLS, client]) };
        const folder = releaseFolder();
        const [plain, secure] = await Promise.all([serve(folder), serve(folder, certificate)]);
        const results = await Promise.all(
          [redirectTo(secure, certificate), redirectTo(plain, certificate), redirectTo(plain), redirectTo(secure)].map(
            async (address, index) => {
              const { code, output } = await install(home, [await address, join(home, `bin-${index}`)], env);
              return code === 0
                ? 'installed'
                : output.replace(/^.*install\.sh: .* (could not be downloaded)\n$/s, '$1');
            },
          ),
        );
        const failed = 'could not be downloaded';
        expect(results).toEqual(['installed', failed, failed, failed]);
      },
    );
  });

  test.skipIf(!hasProgram('shellcheck'))('passes shellcheck (skipped if shellcheck is not installed)', async () => {
    expect(await run('shellcheck', ['install.sh'], root)).toEqual({ code: 0, output: '' });
  });
});
