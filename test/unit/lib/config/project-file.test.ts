// The project file: its search path and its allowed fields.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProjectFile } from '../../../../src/lib/config/paths.ts';
import { SHARED_FIELDS } from '../../../../src/lib/config/profile-schema.ts';
import { readProjectFile } from '../../../../src/lib/config/project-file.ts';
import type { KnownError } from '../../../../src/lib/kernel/errors.ts';
import { projectFileSchema } from '../../../../src/lib/files/project-schema.ts';
import { failureOf } from '../../../helpers/failure.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

function tree(...folders: string[]): string {
  const root = temporaryFolder();
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  return root;
}

function projectIn(folder: string, text = 'org_id: 1\n'): string {
  const file = join(folder, '.cdpadm.yaml');
  writeFileSync(file, text);
  return file;
}

describe('findProjectFile', () => {
  it('searches parent folders up to the repository root', () => {
    const root = tree('repo/.git', 'repo/a/b');
    projectIn(root);
    expect(findProjectFile(join(root, 'repo/a/b'), '/nowhere')).toBeUndefined();
    const file = projectIn(join(root, 'repo'));
    expect(findProjectFile(join(root, 'repo/a/b'), '/nowhere')).toBe(file);
    const nearer = projectIn(join(root, 'repo/a'));
    expect(findProjectFile(join(root, 'repo/a/b'), '/nowhere')).toBe(nearer);
  });

  it('searches parent folders up to the home folder', () => {
    const root = tree('home/work');
    projectIn(root);
    expect(findProjectFile(join(root, 'home/work'), join(root, 'home'))).toBeUndefined();
    const file = projectIn(join(root, 'home'));
    expect(findProjectFile(join(root, 'home/work'), join(root, 'home'))).toBe(file);
  });

  it('searches only the working directory if it is outside a repository and the home folder', () => {
    const root = tree('a/b');
    projectIn(join(root, 'a'));
    expect(findProjectFile(join(root, 'a/b'), '/nowhere')).toBeUndefined();
    expect(findProjectFile(join(root, 'a'), '/nowhere')).toBe(join(root, 'a', '.cdpadm.yaml'));
  });
});

describe('a project file that is not a regular file', () => {
  it.each([
    ['a dangling link', (path: string) => symlinkSync(`${path}.gone`, path), 'does not exist'],
    ['a link to itself', (path: string) => symlinkSync(path, path), 'its symbolic links form a loop'],
  ])('is reported if it is %s', async (_what, make, reason) => {
    const folder = temporaryFolder();
    make(join(folder, '.cdpadm.yaml'));
    const file = findProjectFile(folder, '/nowhere');
    expect(file).toBe(join(folder, '.cdpadm.yaml'));
    expect(await failureOf(readProjectFile(file ?? ''))).toMatchObject({
      code: 'files.read',
      message: expect.stringContaining(reason) as unknown,
    });
  });

  it('is ignored if it is a folder, or a link to a folder or a device', () => {
    const folder = tree('.cdpadm.yaml', 'folder', 'linked', 'endless');
    symlinkSync(join(folder, 'folder'), join(folder, 'linked', '.cdpadm.yaml'));
    symlinkSync('/dev/zero', join(folder, 'endless', '.cdpadm.yaml'));
    expect(findProjectFile(folder, '/nowhere')).toBeUndefined();
    expect(findProjectFile(join(folder, 'linked'), '/nowhere')).toBeUndefined();
    expect(findProjectFile(join(folder, 'endless'), '/nowhere')).toBeUndefined();
  });

  it('is followed if it is a symbolic link to a file', async () => {
    const folder = tree('repo');
    symlinkSync(projectIn(folder, 'org_id: 7\n'), join(folder, 'repo', '.cdpadm.yaml'));
    const file = findProjectFile(join(folder, 'repo'), '/nowhere') ?? '';
    expect(await readProjectFile(file)).toMatchObject({ settings: { org_id: '7' } });
  });
});

describe('readProjectFile', () => {
  it('reads settings, and keeps every digit of an id', async () => {
    const file = projectIn(
      temporaryFolder(),
      'profile: prod\norg_id: 9223372036854775807\nworkspace_id: "12"\nprotected: true\naccess: read\noutput: json\nlimits: {dsr: 10/m}\n',
    );
    expect(await readProjectFile(file)).toEqual({
      file,
      profile: 'prod',
      settings: {
        org_id: '9223372036854775807',
        workspace_id: '12',
        protected: true,
        access: 'read',
        output: 'json',
        limits: { dsr: '10/m' },
      },
    });
  });

  it('accepts exactly the fields that the JSON Schema for editors defines', async () => {
    const { $schema: _hint, ...fields } = projectFileSchema.properties;
    expect(Object.keys(fields).sort()).toEqual(['profile', ...Object.keys(SHARED_FIELDS)].sort());
    const file = projectIn(temporaryFolder(), '$schema: ./config.schema.json\norg_id: 1\n');
    expect((await readProjectFile(file)).settings).toEqual({ org_id: '1' });
  });

  it('does not return any settings for an empty file', async () => {
    const file = projectIn(temporaryFolder(), '# nothing yet\n');
    expect(await readProjectFile(file)).toEqual({ file, profile: undefined, settings: {} });
  });

  it.each([
    ['org_id: 1\nclient_secret: s3cret-x\n', 'client_secret', 2, 1, 'put them in a profile'],
    ['secrets:\n  client_secret: env:X\n', 'secrets', 1, 1, 'put them in a profile'],
    ['org_id: 1\n  \naccess_token: s3cret-x\n', 'access_token', 3, 1, 'put them in a profile'],
    ['client_id: abc\n', 'client_id', 1, 1, 'put them in a profile'],
    ['ca_file: evil.pem\n', 'ca_file', 1, 1, 'put it in a profile'],
    ['names: {xpid: own}\n', 'names', 1, 1, 'put it in a profile'],
    ['audience: other\n', 'audience', 1, 1, 'put it in a profile'],
    ['protected: false\n', 'protected', 1, 1, ''],
    ['access: write\n', 'access', 1, 1, ''],
    ['output: xml\n', 'output', 1, 1, ''],
    ['org_id: 1\nbase_ulr: https://a.example\n', 'base_ulr', 2, 1, 'did you mean `base_url`'],
    ['base_url: ftp://a.example\n', 'base_url', 1, 1, 'https://'],
    ['environment: prod\n', 'environment', 1, 1, '`development` or `production`'],
    ['org_id: twelve\n', 'org_id', 1, 1, 'digits'],
    ['org_id: 1\norg_id: 2\n', '', 2, 1, 'duplicate'],
    ['a: [\n', '', 2, 1, ''],
    ['- a\n', '', 1, 1, 'name: value'],
    ['just text', '', 1, 1, 'name: value'],
  ])('rejects %j with its line and column', async (text, path, line, column, message) => {
    const file = projectIn(temporaryFolder(), text);
    const error = await failureOf(readProjectFile(file));
    const issue = { file, path, line, column, message: expect.stringContaining(message) as unknown };
    expect(error).toMatchObject({
      code: 'input.invalid',
      issues: expect.arrayContaining([expect.objectContaining(issue)]) as unknown,
    });
    expect(JSON.stringify(error)).not.toContain('s3cret-x');
  });

  it('rejects aliases that expand exponentially', async () => {
    const lines = ['a0: &a0 {x: x}'];
    for (let index = 1; index < 30; index++) lines.push(`a${index}: &a${index} [*a${index - 1}, *a${index - 1}]`);
    await expect(readProjectFile(projectIn(temporaryFolder(), lines.join('\n')))).rejects.toMatchObject({
      code: 'input.invalid',
      issues: [{ message: expect.stringMatching(/^aliases repeat more than 100000 values$/) as unknown }],
    });
  });
});

it.each([
  ['duplicate keys', Array.from({ length: 1500 }, () => 'a: 1\n').join(''), 499, 1001],
  ['unknown fields', Array.from({ length: 1500 }, (_, index) => `a${index}: 1\n`).join(''), 500, 1000],
])(
  'lists the first 1,000 of many %s with their line numbers, and counts the rest',
  async (_what, text, omitted, last) => {
    const { issues, issuesOmitted } = (await failureOf(
      readProjectFile(projectIn(temporaryFolder(), text)),
    )) as KnownError;
    expect([issues.length, issuesOmitted, issues.at(-1)?.line]).toEqual([1000, omitted, last]);
  },
);
