// Profiles are created, selected, changed and removed together with their secrets, even by concurrent writers.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { openKeychain } from '../../../../src/lib/config/secrets.ts';
import { profileNameProblem } from '../../../../src/lib/config/profile-name.ts';
import { openProfiles, type ProfileDraft } from '../../../../src/lib/config/profiles.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { CANARY, folderWith, memoryKeychain, secretsOptions } from './folders.ts';

function draftOf(more: Partial<ProfileDraft> = {}): ProfileDraft {
  return { profile: { base_url: 'https://a.example' }, typed: {}, storage: 'keychain', use: false, ...more };
}

describe('the profile name check', () => {
  it.each(['prod', 'a', '1', 'eu-1.prod_b', 'x'.repeat(64)])('accepts %j', (name) => {
    expect(profileNameProblem(name)).toBeUndefined();
  });

  it.each([
    '',
    'x'.repeat(65),
    '.',
    '..',
    '-x',
    '_x',
    '__proto__',
    'constructor',
    'toString',
    'local',
    'LOCAL',
    'a/b',
    'a b',
    'a\n',
    'ä',
  ])('rejects %j', async (name) => {
    expect(profileNameProblem(name)).toMatch(/\.$/);
    const folder = temporaryFolder();
    await expect(openProfiles(secretsOptions(folder)).create(name, draftOf())).rejects.toMatchObject({ code: 'usage' });
    expect(existsSync(join(folder, 'config.json'))).toBe(false);
  });

  it('never accepts a path outside the folder', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        fc.pre(profileNameProblem(name) === undefined);
        expect(name).not.toMatch(/[/\\\0]|^\.\.?$/);
      }),
    );
  });
});

describe('creating a profile', () => {
  it('makes the first profile current, but makes later profiles current only on request', async () => {
    const profiles = openProfiles(secretsOptions(temporaryFolder()));
    expect(await profiles.create('a', draftOf())).toEqual({ current: true });
    expect(await profiles.create('b', draftOf())).toEqual({ current: false });
    expect(await profiles.create('c', draftOf({ use: true }))).toEqual({ current: true });
    expect((await profiles.read()).current).toBe('c');
  });

  it.each(['a', 'A'])('rejects the name %s if the profile `a` exists, and does not store the secret', async (name) => {
    const keychain = memoryKeychain();
    const profiles = openProfiles(
      secretsOptions(folderWith({ profiles: { a: {} } }), { keychain: async () => keychain }),
    );
    const draft = draftOf({ typed: { client_secret: CANARY } });
    await expect(profiles.create(name, draft)).rejects.toMatchObject({ code: 'profile.exists' });
    expect(keychain.entries.size).toBe(0);
  });

  it('removes the stored secret if the profile cannot be stored', async () => {
    const keychain = memoryKeychain();
    const profiles = openProfiles(secretsOptions(temporaryFolder(), { keychain: async () => keychain }));
    const draft = draftOf({ profile: { environment: 'other' }, typed: { client_secret: CANARY } });
    await expect(profiles.create('a', draft)).rejects.toMatchObject({ code: 'usage' });
    expect(keychain.entries.size).toBe(0);
  });

  it('removes the secrets already stored if the keychain rejects the next one', async () => {
    const keychain = memoryKeychain();
    const locked = new KnownError({ code: 'secrets.keychain', message: 'locked' });
    const set: typeof keychain.set = (entry, secret) =>
      entry.includes('workspace_secret') ? Promise.reject(locked) : keychain.set(entry, secret);
    const profiles = openProfiles(
      secretsOptions(temporaryFolder(), { keychain: () => Promise.resolve({ ...keychain, set }) }),
    );
    const draft = draftOf({ typed: { client_secret: CANARY, workspace_secret: CANARY } });
    await expect(profiles.create('a', draft)).rejects.toBe(locked);
    expect([keychain.entries.size, (await profiles.read()).profiles.size]).toEqual([0, 0]);
  });

  it('stores secrets in the keychain, and only their references in the settings file', async () => {
    const folder = temporaryFolder();
    const keychain = memoryKeychain();
    const options = secretsOptions(folder, { keychain: async () => keychain });
    await openProfiles(options).create('a', draftOf({ typed: { client_secret: CANARY } }));
    expect([...keychain.entries.values()]).toEqual([CANARY]);
    expect(readFileSync(join(folder, 'config.json'), 'utf8')).toMatch(
      /"client_secret": "keychain:a\/client_secret\/[0-9a-f]{12}"/,
    );
    expect(readFileSync(join(folder, 'config.json'), 'utf8')).not.toContain(CANARY);
    expect(options.redactor.text(CANARY)).not.toContain(CANARY);
  });

  it.each([
    ['module cannot be loaded', () => Promise.reject(new Error('Cannot find module'))],
    [
      'service is unreachable',
      () =>
        Promise.resolve({
          AsyncEntry: function unreachable(): never {
            throw new Error('no D-Bus');
          },
        } as never),
    ],
  ])('suggests alternatives and does not store anything if the keychain %s', async (_what, load) => {
    const folder = temporaryFolder();
    const profiles = openProfiles(secretsOptions(folder, { keychain: () => openKeychain(load) }));
    const failure = {
      code: 'secrets.keychain',
      hint: expect.stringMatching(/-env NAME.*-command LINE.*--insecure-storage/s) as unknown,
    };
    await expect(profiles.checkKeychain()).rejects.toMatchObject(failure);
    await expect(profiles.create('a', draftOf({ typed: { client_secret: CANARY } }))).rejects.toMatchObject(failure);
    expect((await profiles.read()).profiles.size).toBe(0);
  });
});

describe('selecting or removing a profile', () => {
  it('suggests the closest name for a misspelled name', async () => {
    const profiles = openProfiles(secretsOptions(folderWith({ profiles: { production: {} } })));
    const failure = { code: 'profile.not_found', hint: expect.stringContaining('`production`') as unknown };
    await expect(profiles.use('prodution')).rejects.toMatchObject(failure);
    await expect(profiles.remove('prodution')).rejects.toMatchObject(failure);
    await expect(profiles.find('toString')).rejects.toMatchObject({ code: 'profile.not_found' });
  });

  it('removes the profile and its secrets, except secrets that another profile refers to', async () => {
    const folder = folderWith({
      current: 'a',
      profiles: {
        a: { secrets: { client_secret: 'keychain:shared', workspace_secret: 'keychain:own' } },
        b: { secrets: { client_secret: 'keychain:shared' } },
      },
    });
    const keychain = memoryKeychain();
    for (const entry of ['shared', 'own']) await keychain.set(entry, CANARY);
    const profiles = openProfiles(secretsOptions(folder, { keychain: async () => keychain }));
    expect(await profiles.remove('a')).toEqual({ wasCurrent: true, left: [] });
    expect([...keychain.entries.keys()]).toEqual(['shared']);
    expect(await profiles.read()).toMatchObject({ current: undefined, profiles: new Map([['b', expect.anything()]]) });
  });

  it("also removes the profile's secrets file", async () => {
    const folder = temporaryFolder();
    const profiles = openProfiles(secretsOptions(folder));
    await profiles.create('a', draftOf({ typed: { client_secret: CANARY }, storage: 'file' }));
    expect(existsSync(join(folder, 'secrets', 'a.json'))).toBe(true);
    await profiles.remove('a');
    expect(existsSync(join(folder, 'secrets', 'a.json'))).toBe(false);
  });

  it.each(['remove', 'forgetSecrets'] as const)('can be repeated if it was killed halfway: %s', async (change) => {
    const keychain = memoryKeychain();
    let left = 1;
    const remove = async (entry: string): Promise<void> => {
      if (left-- === 0) throw new Error('killed');
      await keychain.remove(entry);
    };
    const options = secretsOptions(temporaryFolder(), { keychain: async () => ({ ...keychain, remove }) });
    const profiles = openProfiles(options);
    await profiles.create('a', draftOf({ typed: { client_secret: CANARY, workspace_secret: CANARY } }));
    const { secrets } = await profiles.find('a');
    await expect(profiles[change]('a')).rejects.toThrow('killed');
    expect([keychain.entries.size, (await profiles.find('a')).secrets]).toEqual([1, secrets]);
    await profiles[change]('a');
    expect(keychain.entries.size).toBe(0);
    expect((await profiles.read()).profiles.get('a')?.secrets).toBeUndefined();
  });

  it('lists the secrets files that no profile refers to', async () => {
    const folder = temporaryFolder();
    const profiles = openProfiles(secretsOptions(folder));
    expect(await profiles.strayFiles()).toEqual([]);
    for (const name of ['a', 'b'])
      await profiles.create(name, draftOf({ typed: { client_id: 'id', client_secret: CANARY }, storage: 'file' }));
    await profiles.forgetSecrets('b');
    expect(JSON.parse(readFileSync(join(folder, 'secrets', 'b.json'), 'utf8'))).toEqual({ client_id: 'id' });
    for (const name of ['gone.json', 'notes.txt']) writeFileSync(join(folder, 'secrets', name), '{}');
    expect(await profiles.strayFiles()).toEqual([join(folder, 'secrets', 'gone.json')]);
  });

  it('reports the keychain entries that it could not remove', async () => {
    const folder = folderWith({ profiles: { a: { secrets: { client_secret: 'keychain:own' } } } });
    const load = () => Promise.reject(new Error('gone'));
    const profiles = openProfiles(secretsOptions(folder, { keychain: () => openKeychain(load) }));
    expect((await profiles.remove('a')).left).toEqual([expect.stringContaining('keychain entry own')]);
  });
});

describe("changing a profile's secrets", () => {
  const changed = { typed: {}, references: {}, storage: 'keychain' as const };

  it('keeps a keychain entry that a copied profile still refers to', async () => {
    const keychain = memoryKeychain();
    const profiles = openProfiles(secretsOptions(temporaryFolder(), { keychain: async () => keychain }));
    await profiles.create('a', draftOf({ typed: { client_secret: CANARY } }));
    await profiles.copy('a', 'b');
    const [shared = ''] = keychain.entries.keys();
    await profiles.setSecrets('b', { ...changed, typed: { client_secret: 'new-secret' } });
    expect(keychain.entries.get(shared)).toBe(CANARY);
    expect(keychain.entries.size).toBe(2);
    await profiles.setSecrets('a', { ...changed, references: { client_secret: `keychain:${shared}` } });
    expect(keychain.entries.get(shared)).toBe(CANARY);
    await profiles.setSecrets('a', { ...changed, references: { client_secret: 'env:OTHER' } });
    expect([...keychain.entries.values()]).toEqual(['new-secret']);
  });

  it('removes a secret from the file once it is stored elsewhere', async () => {
    const folder = temporaryFolder();
    const keychain = memoryKeychain();
    const profiles = openProfiles(secretsOptions(folder, { keychain: async () => keychain }));
    const file = join(folder, 'secrets', 'a.json');
    const typed = { client_secret: CANARY, workspace_secret: 'other-secret' };
    await profiles.create('a', draftOf({ typed, storage: 'file' }));
    await profiles.setSecrets('a', { ...changed, references: { client_secret: 'env:SECRET' } });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ workspace_secret: 'other-secret' });
    await profiles.setSecrets('a', { ...changed, typed: { workspace_secret: 'new-secret' } });
    expect(existsSync(file)).toBe(false);
    expect((await profiles.find('a')).secrets).toEqual({
      client_secret: 'env:SECRET',
      workspace_secret: expect.stringMatching(/^keychain:/) as unknown,
    });
  });

  it('stores a reference to one secret, and another secret in the file, in a single call', async () => {
    const folder = temporaryFolder();
    const profiles = openProfiles(secretsOptions(folder));
    const typed = { client_secret: CANARY, workspace_secret: 'other-secret' };
    await profiles.create('a', draftOf({ typed, storage: 'file' }));
    const references = { client_secret: 'env:SECRET' };
    await profiles.setSecrets('a', { references, typed: { workspace_secret: 'new-secret' }, storage: 'file' });
    expect((await profiles.find('a')).secrets).toEqual({ client_secret: 'env:SECRET', workspace_secret: 'file:' });
    expect(JSON.parse(readFileSync(join(folder, 'secrets', 'a.json'), 'utf8'))).toEqual({
      workspace_secret: 'new-secret',
    });
  });
});

describe('concurrent writers', () => {
  it('keep all profiles if they run in the same process', async () => {
    const folder = temporaryFolder();
    const writers = Array.from({ length: 8 }, (_, index) =>
      openProfiles(secretsOptions(folder)).create(`p${index}`, draftOf()),
    );
    await Promise.all(writers);
    expect((await openProfiles(secretsOptions(folder)).read()).profiles.size).toBe(8);
  });
});
