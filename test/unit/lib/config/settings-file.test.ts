// The settings file is validated, written with private permissions, and never overwritten while it is invalid.
import { readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openProfiles } from '../../../../src/lib/config/profiles.ts';
import { readSettingsFile } from '../../../../src/lib/config/settings-file.ts';
import type { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { DEAD_PID } from '../../../helpers/dead-process.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { setUmask } from '../../../helpers/umask.ts';
import { folderWith, secretsOptions } from './folders.ts';

const draft = { profile: { base_url: 'https://a.example' }, typed: {}, storage: 'file', use: false } as const;

describe('reading', () => {
  it('treats a missing file as empty', async () => {
    expect(await readSettingsFile(temporaryFolder())).toEqual({
      current: undefined,
      profiles: new Map(),
      warnings: [],
    });
  });

  it('keeps 64-bit ids exact, quoted or not', async () => {
    const folder = folderWith(
      '{"profiles": {"a": {"org_id": 9223372036854775807, "account_id": "9223372036854775806"}}}',
    );
    const { profiles } = await readSettingsFile(folder);
    expect(profiles.get('a')).toEqual({ org_id: '9223372036854775807', account_id: '9223372036854775806' });
  });

  it('warns about unknown fields', async () => {
    const folder = folderWith({ profiles: { a: { future: 1, secrets: { more: 'env:X' } } } });
    const { warnings } = await readSettingsFile(folder);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain('`future`');
    expect(warnings[1]).toContain('`secrets.more`');
  });

  it.each([
    ['duplicate keys', '"a": {}', 499],
    ['unsafe addresses', '"b#": { "base_url": "http://x.example" }', 500],
  ])(
    'lists the first 1,000 of many %s with their line numbers, and counts the rest',
    async (_what, profile, omitted) => {
      const profiles = Array.from({ length: 1500 }, (_, index) => profile.replace('#', String(index)));
      const folder = folderWith(`{"profiles": {\n${profiles.join(',\n')}}}`);
      const { issues, issuesOmitted } = (await failureOf(readSettingsFile(folder))) as KnownError;
      expect([issues.length, issuesOmitted, issues.at(-1)?.line]).toEqual([
        1000,
        omitted,
        omitted === 499 ? 1002 : 1001,
      ]);
    },
  );

  it.each([
    ['{"profiles": {\n  "a": {,}\n}}', { path: '', line: 2, column: 9 }],
    ['{"profiles": {', { path: '', line: 1, column: 15 }],
    [
      '{\n "profiles": {\n  "a": { "base_url": "http://x.example" }\n }\n}',
      { path: 'profiles.a.base_url', line: 3, column: 10 },
    ],
    [
      '{"profiles": {"a": {\n"secrets": {"client_secret": "s3cret-in-clear"}}}}',
      { path: 'profiles.a.secrets.client_secret', line: 2, column: 13 },
    ],
    ['{"profiles": {"a": {"secrets": {"client_id": "env:"}}}}', { path: 'profiles.a.secrets.client_id' }],
    ['{"profiles": {"a": {"org_id": "12x"}}}', { path: 'profiles.a.org_id', line: 1, column: 21 }],
    ['{"profiles": {"a": {"environment": "prod"}}}', { path: 'profiles.a.environment' }],
    ['{"profiles":\n {"local": {}}}', { path: 'profiles.local', line: 2, column: 3 }],
    ['{"profiles": {"constructor": {}}}', { path: 'profiles.constructor' }],
    ['{"profiles": {"a": 3}}', { path: 'profiles.a' }],
    [
      '{"profiles": {"a": {\n"protected": true,\n "protected": false}}}',
      { line: 3, column: 2, message: 'duplicate key' },
    ],
    [
      '{"profiles": {"a": {\n "__proto__": {"base_url": "https://evil.example"}}}}',
      { line: 2, column: 3, message: 'unknown field' },
    ],
    ['[]', { path: '' }],
    ['3', { path: '' }],
  ])('rejects %j with the line and column of the error, and never overwrites the file', async (text, issue) => {
    const folder = folderWith(text);
    const failure = { code: 'input.invalid', issues: [expect.objectContaining(issue)] };
    await expect(readSettingsFile(folder)).rejects.toMatchObject(failure);
    await expect(openProfiles(secretsOptions(folder)).create('b', draft)).rejects.toMatchObject(failure);
    expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe(text);
  });

  it('does not quote a secret from the file', async () => {
    const folder = folderWith({ profiles: { a: { secrets: { client_secret: 's3cret-in-clear' } } } });
    const error = await failureOf(readSettingsFile(folder));
    expect(JSON.stringify(error) + String(error)).not.toContain('s3cret-in-clear');
  });

  it('rejects a file that a newer program version wrote', async () => {
    await expect(readSettingsFile(folderWith({ version: 2 }))).rejects.toMatchObject({ code: 'config.newer' });
  });
});

describe('writing', () => {
  it('preserves unknown fields', async () => {
    const text =
      '{"later": {"x": 12345678901234567890}, "profiles": {"a": {"future": [1], "org_id": 9223372036854775807}}}';
    const folder = folderWith(text);
    await openProfiles(secretsOptions(folder)).create('b', draft);
    const written = readFileSync(join(folder, 'config.json'), 'utf8');
    expect(written).toContain('12345678901234567890');
    expect(written).toContain('9223372036854775807');
    expect(JSON.parse(written)).toMatchObject({ version: 1, profiles: { a: { future: [1] }, b: draft.profile } });
  });

  it('makes the file and its folder private on every write, even under umask 0', async () => {
    setUmask(0);
    const folder = join(temporaryFolder(), 'deep', 'config');
    const profiles = openProfiles(secretsOptions(folder));
    await profiles.create('a', { ...draft, typed: { client_secret: 's3cret' } });
    writeFileSync(join(folder, 'config.json'), readFileSync(join(folder, 'config.json')), { mode: 0o666 });
    await profiles.create('b', draft);
    const mode = (...path: string[]) => statSync(join(folder, ...path)).mode & 0o777;
    expect([mode('..'), mode(), mode('config.json')]).toEqual([0o700, 0o700, 0o600]);
    expect([mode('secrets'), mode('secrets', 'a.json')]).toEqual([0o700, 0o600]);
  });

  it('removes only the temporary files of killed writers', async () => {
    const folder = folderWith({ profiles: {} });
    const left = [`.cdpadm-${DEAD_PID}-a1.tmp`, 'config.json.tmp-5367985972392d9a'];
    for (const name of [...left, 'config.json.tmp', 'config.json.old']) {
      writeFileSync(join(folder, name), '');
      utimesSync(join(folder, name), 0, 0);
    }
    await openProfiles(secretsOptions(folder)).create('a', draft);
    expect(readdirSync(folder).toSorted()).toEqual(['config.json', 'config.json.old', 'config.json.tmp']);
  });

  it('is rejected if the file is a symbolic link', async () => {
    const folder = temporaryFolder();
    const target = join(temporaryFolder(), 'target.json');
    writeFileSync(target, '{}');
    symlinkSync(target, join(folder, 'config.json'));
    await expect(openProfiles(secretsOptions(folder)).create('a', draft)).rejects.toMatchObject({
      code: 'files.symlink',
    });
    expect(readFileSync(target, 'utf8')).toBe('{}');
  });
});
