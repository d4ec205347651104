// `roles diff` against a different file or another profile's platform.
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestEmulator, type TestEmulator } from '../../helpers/emulator.ts';
import { createRolesHome, NO_PLATFORM, type RolesHome } from '../../helpers/roles-home.ts';

interface Diff {
  plan: string | null;
  base: { last_modified_on: string | null; last_modified_by: string | null };
  created: { role_id: string }[];
  modified: { role_id: string }[];
  deleted: { role_id: string }[];
  unchanged: string[];
  summary: Record<string, number>;
}

describe('roles diff --against FILE', () => {
  let admin: RolesHome;
  beforeAll(async () => {
    admin = await createRolesHome();
  });
  afterAll(() => admin.close());
  beforeEach(async () => {
    await admin.run('roles pull --overwrite');
    admin.write('before.yaml', admin.read('roles.yaml'));
  });

  const offline = (line: string) => admin.json<Diff>(`roles diff ${line}`, { env: NO_PLATFORM });

  it('compares two files without a profile or a platform, and does not print a plan', async () => {
    const requests = (await admin.platform.api.requests()).length;
    const text = admin.read('roles.yaml');
    const support = text.slice(text.indexOf('  - role_id: support-role'), text.indexOf('  - role_id: user-role'));
    const added = '  - role_id: new-one\n    name: New\n    description: New\n    tasks:\n      - audiences:view\n';
    admin.write('roles.yaml', text.replace(support, '').replace('name: Admin', 'name: Boss') + added);
    const { code, data } = await offline('roles.yaml --against before.yaml --exit-code');
    expect(code).toBe(10);
    expect(Object.keys(data)).toEqual(['plan', 'base', 'created', 'modified', 'deleted', 'unchanged', 'summary']);
    expect(data).toMatchObject({
      plan: null,
      base: { last_modified_by: 'fixtures@platform.example' },
      created: [{ role_id: 'new-one' }],
      modified: [{ role_id: 'admin-role', changes: { name: { from: 'Admin', to: 'Boss' } } }],
      deleted: [{ role_id: 'support-role' }],
    });
    const back = await offline('before.yaml --against roles.yaml');
    expect(back.data).toMatchObject({ created: [{ role_id: 'support-role' }], deleted: [{ role_id: 'new-one' }] });
    expect(await admin.platform.api.requests()).toHaveLength(requests);
  });

  it('reports why there is no plan, and does not mention an organization', async () => {
    const text = admin.read('roles.yaml');
    admin.write('roles.yaml', text.slice(0, text.indexOf('  - role_id: user-role')));
    const { stdout } = await admin.run('roles diff --against before.yaml', { env: NO_PLATFORM });
    expect(stdout).toContain('- delete user-role\n');
    expect(stdout.trimEnd()).toMatch(/no plan, because the command compared two files[^\n]*$/);
    expect(stdout).not.toContain('organization');
  });

  it('exits with 0 for equal roles in a different format', async () => {
    await admin.run('roles pull other.json --overwrite');
    const { code, data } = await offline('roles.yaml --against other.json --exit-code');
    expect([code, data.summary]).toEqual([0, { create: 0, modify: 0, delete: 0, unchanged: 5 }]);
  });

  it('warns about a mistyped task and about an unknown field in only one of the files, and prints their positions', async () => {
    admin.edit('roles.yaml', '- rules:view', '- rules:viewer');
    admin.edit('before.yaml', 'name: Admin', 'name: Admin\n    version: 3');
    const { code, stderr } = await admin.run('roles diff --against before.yaml', { env: NO_PLATFORM });
    expect(code).toBe(0);
    expect(stderr).toMatch(/roles\.yaml:\d+:\d+: roles\[\d\]\.tasks\[\d\]: .*did you mean rules:view/);
    expect(stderr).toMatch(/before\.yaml:\d+:\d+: roles\[\d\]\.version: unknown field `version`/);
  });

  it('does not warn about an unknown field that both files have', async () => {
    for (const file of ['roles.yaml', 'before.yaml']) admin.edit(file, 'name: Admin', 'name: Admin\n    version: 3');
    const { code, stderr } = await admin.run('roles diff --against before.yaml', { env: NO_PLATFORM });
    expect([code, stderr]).toEqual([0, '']);
  });

  it('rejects an invalid second file, and prints its name and line', async () => {
    admin.write('before.yaml', 'roles:\n  - role_id: x\n    name: X\n');
    const { code, error } = await offline('--against before.yaml');
    expect([code, error]).toMatchObject([9, { issues: [{ file: 'before.yaml', line: 2 }, { file: 'before.yaml' }] }]);
    expect(await offline('--against missing.yaml')).toMatchObject({ code: 2 });
  });

  it.each(['--against a.yaml --against-profile prod', '--against a.yaml --base b.yaml'])(
    'rejects %s',
    async (flags) => {
      expect((await admin.run(`roles diff ${flags}`)).code).toBe(2);
    },
  );

  it('reads one of the files from standard input, but not both', async () => {
    const piped = await admin.run('roles diff - --against before.yaml --exit-code', {
      stdin: admin.read('roles.yaml'),
    });
    expect(piped.code).toBe(0);
    expect((await admin.run('roles diff - --against -', { stdin: 'roles: []' })).code).toBe(2);
  });
});

describe('roles diff --against-profile NAME', () => {
  let admin: RolesHome;
  let other: TestEmulator;
  const OTHER_ORG = 777;
  const secrets = (): Record<string, string> => ({ OTHER_SECRET: other.ready.client_secret });

  beforeAll(async () => {
    admin = await createRolesHome();
    other = await startTestEmulator({
      fixtures: {
        organizations: [{ id: OTHER_ORG, client_id: 'other-client', client_secret: 'other-client-secret-8431' }],
        accounts: [{ id: 778, org_id: OTHER_ORG }],
        roles: [
          { role_id: 'admin-role', name: 'Admin', description: 'Other', tasks: [{ task_id: 'audiences:*' }] },
          { role_id: 'only-there', name: 'Only there', description: 'Other', tasks: [{ task_id: 'rules:view' }] },
        ],
      },
    });
    const { base_url, auth_url, org_id, account_id, client_id } = other.ready;
    const created = await admin.run(
      [
        ...['profile', 'create', 'prod', '--base-url', base_url, '--auth-url', auth_url],
        ...['--org', String(org_id), '--account', String(account_id)],
        ...['--client-id', client_id, '--client-secret-env', 'OTHER_SECRET'],
      ],
      { env: NO_PLATFORM },
    );
    if (created.code !== 0) throw new Error(created.stderr);
  });
  beforeEach(() => admin.run('roles pull --overwrite'));
  afterAll(async () => {
    await admin.close();
    await other.close();
  });

  it("compares with the profile's platform, using the profile's address, ids and credentials", async () => {
    const before = (await admin.platform.api.requests()).length;
    const { code, data, stderr } = await admin.json<Diff>('roles diff --against-profile prod --exit-code', {
      env: secrets(),
    });
    expect([code, stderr]).toEqual([10, '']);
    expect(data.deleted).toMatchObject([{ role_id: 'only-there' }]);
    expect(data.modified).toMatchObject([{ role_id: 'admin-role' }]);
    expect(data.plan).toMatch(/^[0-9a-f]{32}$/);
    // The platform from the environment receives no request, and the other platform receives requests only for its own
    // organization.
    expect(await admin.platform.api.requests()).toHaveLength(before);
    const paths = (await other.api.requests()).map(({ path }) => path);
    expect(paths.filter((path) => path.includes('/organizations/'))).not.toHaveLength(0);
    expect(paths.every((path) => path.startsWith('/oauth/') || path.includes(`/organizations/${OTHER_ORG}/`))).toBe(
      true,
    );
  });

  it('prints a plan that only a push to that profile can apply', async () => {
    const { data } = await admin.json<Diff>('roles diff --against-profile prod', { env: secrets() });
    const push = (profile: string) =>
      admin.run(
        [
          'roles',
          'push',
          'roles.yaml',
          '--expect-plan',
          String(data.plan),
          '--allow-delete',
          '--yes',
          '--profile',
          profile,
        ],
        { env: { ...NO_PLATFORM, ...secrets(), CDPADM_ACCOUNT_ID: '' } },
      );
    expect((await push('prod')).code).toBe(0);
    const after = await admin.json<Diff>('roles diff --against-profile prod', { env: secrets() });
    expect(after.data.summary).toMatchObject({ create: 0, modify: 0, delete: 0 });
    await other.api.reset();
    const elsewhere = await admin.run(['roles', 'push', '--expect-plan', String(data.plan), '--yes']);
    expect(elsewhere.code).toBe(6);
  });

  it('ignores credentials from the environment and addresses from a project file', async () => {
    // A token cached by an earlier test would hide a missing secret.
    const fresh = { CDPADM_CACHE_DIR: join(admin.folder, 'fresh-cache') };
    const missing = await admin.run('roles diff --against-profile prod', { env: fresh });
    expect(missing.code).toBe(4);
    expect(missing.stderr).toContain('OTHER_SECRET');
    // The token from the environment is used only for the platform from the environment.
    const token = { CDPADM_ACCESS_TOKEN: await admin.platform.token(), ...secrets() };
    expect((await admin.run('roles diff --against-profile prod', { env: token })).code).toBe(0);
    // A project file must not redirect the other profile's secrets.
    admin.write('.cdpadm.yaml', `base_url: ${admin.platform.ready.base_url}\n`);
    const { code } = await admin.run('roles diff --against-profile prod', { env: secrets() });
    admin.write('.cdpadm.yaml', '{}\n');
    expect(code).toBe(0);
  });

  it('reports an unknown profile as a usage error, and names the flag and the nearest profile', async () => {
    const { code, stderr } = await admin.run('roles diff --against-profile prud');
    expect([code, stderr]).toEqual([2, expect.stringContaining('`prud` (--against-profile)')]);
    expect(stderr).toContain('Did you mean `prod`?');
  });

  it('prints the compared platform and the push command on a terminal', async () => {
    const { stderr } = await admin.run('roles diff --against-profile prod', { env: secrets(), tty: { stderr: true } });
    expect(stderr).toContain(`Compared with profile prod: organization ${OTHER_ORG} at ${other.ready.base_url}`);
    expect(stderr).toMatch(/roles push roles\.yaml --expect-plan [0-9a-f]{32} --no-write-back --profile prod/);
  });

  it('quotes the file in the push command, and repeats its base', async () => {
    admin.write('my roles.yaml', admin.read('roles.yaml').replace('  - role_id: user-role', '  - role_id: new-role'));
    const words = ['roles', 'diff', 'my roles.yaml', '--base', 'roles.yaml', '--against-profile', 'prod'];
    const { stderr } = await admin.run(words, { env: secrets(), tty: { stderr: true } });
    expect(stderr).toMatch(/roles push 'my roles\.yaml' --base roles\.yaml --expect-plan [0-9a-f]{32}/);
  });
});

describe('roles diff --exit-code', () => {
  it.each([
    ['a new role', 'roles create zed --description d --task audiences:view --yes'],
    ['a changed role', 'roles update user-role --name Reader --yes'],
    ['a deleted role', 'roles delete user-role --yes'],
  ])('reports %s on the platform, whether or not this machine has the base', async (_what, line) => {
    const admin = await createRolesHome();
    const diff = async (more: Record<string, string> = {}) => {
      const env = { CDPADM_STATE_DIR: join(admin.cwd, 'runner'), ...more };
      const { code, stdout } = await admin.run('roles diff --exit-code', { env });
      return { code, isEqual: stdout.includes('No differences.') };
    };
    await admin.run('roles pull', { env: { CDPADM_STATE_DIR: join(admin.cwd, 'runner') } });
    expect(await diff()).toEqual({ code: 0, isEqual: true });
    expect((await admin.run(line)).code).toBe(0);
    expect(await diff()).toEqual({ code: 10, isEqual: false });
    expect(await diff({ CDPADM_STATE_DIR: join(admin.cwd, 'fresh') })).toEqual({ code: 10, isEqual: false });
    await admin.run('roles pull', { env: { CDPADM_STATE_DIR: join(admin.cwd, 'runner') } });
    expect(await diff()).toEqual({ code: 0, isEqual: true });
    await admin.close();
  });
});
