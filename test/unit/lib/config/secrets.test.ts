// Each kind of reference resolves to its secret, or fails without revealing any part of the secret.
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { secretFromCommand, createSecrets } from '../../../../src/lib/config/secrets.ts';
import { looksLikeReference, parseReference } from '../../../../src/lib/config/secret-file.ts';
import { type Clock, systemClock } from '../../../../src/lib/kernel/clock.ts';
import { host } from '../../../../src/lib/kernel/host.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { PATIENT } from '../../../helpers/patient.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { CANARY, memoryKeychain, secretsOptions } from './folders.ts';

const place = { profile: 'prod', name: 'client_secret' } as const;

describe('parseReference', () => {
  it.each([
    ['env:CDP_SECRET', { kind: 'env', name: 'CDP_SECRET' }],
    ['command: pass show x | head -1', { kind: 'command', line: 'pass show x | head -1' }],
    ['keychain:prod/client_secret/0a', { kind: 'keychain', entry: 'prod/client_secret/0a' }],
    ['file:', { kind: 'file' }],
  ])('accepts %j', (text, reference) => {
    expect(parseReference(text)).toEqual(reference);
    expect(looksLikeReference(text)).toBe(true);
  });

  it.each(['env:', 'env:not a name', 'command: ', 'file:/etc/passwd', 'plain', 'ENV:X'])('rejects %j', (text) => {
    expect(parseReference(text)).toBeUndefined();
  });
});

describe('a secret reference', () => {
  it.each([
    ['env:CDP_SECRET', CANARY],
    ['env:WITH_LINE_BREAK', CANARY],
    [`command:printf '%s\\nsecond line' ' ${CANARY} '`, CANARY],
    ['keychain:entry', CANARY],
    ['file:', CANARY],
  ])('is resolved to a secret that is redacted from output: %s', async (written, value) => {
    const keychain = memoryKeychain();
    await keychain.set('entry', CANARY);
    const options = secretsOptions(temporaryFolder(), {
      env: { CDP_SECRET: CANARY, WITH_LINE_BREAK: `${CANARY}\r\n`, PATH: process.env.PATH },
      keychain: async () => keychain,
    });
    const secrets = createSecrets(options);
    await createSecrets(secretsOptions(options.folder)).keep('prod', { client_secret: CANARY }, 'file');
    expect(await secrets.resolve(written, place)).toBe(value);
    expect(options.redactor.text(`x ${CANARY} y`)).not.toContain(CANARY);
  });

  it('is returned unchanged and not redacted if it is an id from the profile', async () => {
    const options = secretsOptions(temporaryFolder());
    expect(await createSecrets(options).resolve('my-client', { profile: 'prod', name: 'client_id' })).toBe('my-client');
    expect(options.redactor.text('my-client')).toBe('my-client');
  });

  it.each([
    ['env:CDP_SECRET', 'secrets.missing'],
    ['keychain:entry', 'secrets.missing'],
    ['file:', 'secrets.file'],
    ['command:exit 3', 'secrets.command'],
    ['command:true', 'secrets.command'],
    [`command:echo ${CANARY.slice(0, 6)}; echo trouble >&2; exit 1`, 'secrets.command'],
    ['command:head -c 100000 /dev/zero', 'secrets.command'],
  ])('fails if %s does not provide a usable secret, with the error code %s', async (written, code) => {
    const secrets = createSecrets(
      secretsOptions(temporaryFolder(), { env: { PATH: process.env.PATH }, keychain: async () => memoryKeychain() }),
    );
    const error = await failureOf(secrets.resolve(written, place));
    expect(error).toMatchObject({ code });
    expect(error.message).not.toContain(CANARY.slice(0, 6));
  });

  it("runs its command without the program's secrets in the environment", async () => {
    const env = {
      PATH: process.env.PATH,
      CDPADM_CLIENT_SECRET: CANARY,
      CDPADM_ACCESS_TOKEN: CANARY,
      CDPADM_ORG_ID: '7',
    };
    const secrets = createSecrets(secretsOptions(temporaryFolder(), { env }));
    const output = await secrets.resolve('command:env | grep CDPADM_ | tr "\\n" " "', place);
    expect(output).toBe('CDPADM_ORG_ID=7');
  });
});

describe("a reference's command", () => {
  /** A clock on which every sleep ends immediately. */
  const hurried: Clock = { ...systemClock, sleep: async () => undefined };

  it('is stopped at its time limit', async () => {
    const run = secretFromCommand('sleep 600', { env: process.env, what: 'client secret', clock: hurried });
    await expect(run).rejects.toMatchObject({
      code: 'secrets.command',
      message: expect.stringContaining('30 seconds') as unknown,
    });
  });

  it('is stopped by Ctrl-C', async () => {
    const stop = new AbortController();
    const file = join(temporaryFolder(), 'pid');
    const run = secretFromCommand(`echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 600`, {
      env: process.env,
      what: 'x',
      clock: systemClock,
      signal: stop.signal,
    });
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), PATIENT);
    stop.abort(new Error('interrupted'));
    await expect(run).rejects.toThrow('interrupted');
    const pid = Number(readFileSync(file, 'utf8'));
    await vi.waitFor(() => expect(host.isAlive(pid)).toBe(false), PATIENT);
  });
});

describe("a profile's secrets file", () => {
  function fileWith(text: string): { folder: string; file: string } {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'secrets'), { mode: 0o700 });
    const file = join(folder, 'secrets', 'prod.json');
    writeFileSync(file, text, { mode: 0o600 });
    return { folder, file };
  }
  const resolve = (folder: string) => createSecrets(secretsOptions(folder)).resolve('file:', place);

  it.each([
    ['604', 0o604],
    ['640', 0o640],
    ['644', 0o644],
    ['660', 0o660],
  ])('is rejected if its mode is %s', async (_octal, mode) => {
    const { folder, file } = fileWith(JSON.stringify({ client_secret: CANARY }));
    chmodSync(file, mode);
    await expect(resolve(folder)).rejects.toMatchObject({
      code: 'secrets.file',
      hint: expect.stringContaining('chmod 600') as unknown,
    });
  });

  it('is rejected if it is a symbolic link', async () => {
    const { folder, file } = fileWith(JSON.stringify({ client_secret: CANARY }));
    const other = temporaryFolder();
    mkdirSync(join(other, 'secrets'));
    symlinkSync(file, join(other, 'secrets', 'prod.json'));
    await expect(resolve(other)).rejects.toMatchObject({ code: 'files.symlink' });
    expect(await resolve(folder)).toBe(CANARY);
  });

  it.each([`{"client_secret": "${CANARY}`, '{}', '[]', '{"client_secret": 3}', '{"client_secret": ""}'])(
    'is rejected without being quoted if it does not contain a usable secret: %j',
    async (text) => {
      const error = await failureOf(resolve(fileWith(text).folder));
      expect(error).toMatchObject({ code: 'secrets.file' });
      expect(String(error)).not.toContain(CANARY);
    },
  );
});
