// `roles pull`: the files that it writes, and the edits that it does not overwrite.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createRolesHome, type RolesHome } from '../../helpers/roles-home.ts';

describe('roles pull', () => {
  let admin: RolesHome;
  let other: RolesHome;

  beforeEach(async () => {
    admin = await createRolesHome();
    other = await createRolesHome(admin.platform);
  });
  afterEach(async () => {
    await other.close();
    await admin.close();
  });

  async function changeElsewhere(): Promise<void> {
    await other.run('roles pull');
    other.edit('roles.yaml', 'name: Support', 'name: Helpers');
    expect((await other.run('roles push --yes')).code).toBe(0);
  }

  it('writes the roles in a stable order, and leaves no changes to push', async () => {
    expect((await admin.run('roles pull')).code).toBe(0);
    const ids = [...admin.read('roles.yaml').matchAll(/role_id: (.+)/g)].map((match) => match[1]);
    expect(ids).toEqual(['admin-role', 'audiences-only-role', 'read-only-role', 'support-role', 'user-role']);
    expect((await admin.run('roles diff --exit-code')).code).toBe(0);
  });

  it('does not claim to know whether an outdated file from another machine has edits', async () => {
    await other.run('roles pull');
    admin.write('roles.yaml', other.read('roles.yaml'));
    await admin.platform.api.advance('5s');
    await changeElsewhere();
    const { code, stderr } = await admin.run('roles pull');
    expect(code).toBe(6);
    expect(stderr).toContain('roles.yaml may have edits, because this machine does not have the manifest');
    expect(stderr).toContain('Pull into another file, and merge by hand: cdpadm roles pull new.yaml\n');
  });

  it('escapes bidirectional controls, and leaves no changes to push', async () => {
    const described = ['roles', 'update', 'support-role', '--description', 'a\u202eb\u2069', '--yes'];
    expect((await admin.run(described)).code).toBe(0);
    await admin.run('roles pull');
    expect(admin.read('roles.yaml')).toContain('description: "a\\u202eb\\u2069"');
    expect((await admin.run('roles diff --exit-code')).code).toBe(0);
  });

  it('writes JSON in the wire format to a .json file', async () => {
    await admin.run('roles pull roles.json');
    const file = JSON.parse(admin.read('roles.json')) as { $schema: string; roles: { tasks: unknown[] }[] };
    expect(file.roles[1]?.tasks).toEqual([{ task_id: 'user:core' }, { task_id: 'audiences:*' }]);
    expect((await admin.run('roles diff roles.json --exit-code')).code).toBe(0);
  });

  it('writes to standard output if the file is `-`', async () => {
    const { stdout } = await admin.run('roles pull -');
    expect(stdout).toContain('role_id: admin-role');
    expect(() => admin.read('roles.yaml')).toThrow('ENOENT');
  });

  it('prints one JSON document: the outcome for a file, or the manifest for `-`', async () => {
    const stamp = { last_modified_on: expect.any(String), last_modified_by: expect.any(String) };
    const planned = { file: 'roles.yaml', roles: 5, changed: true, ...stamp };
    const dry = await admin.json('roles pull --dry-run');
    expect(dry.data).toEqual({ dry_run: true, requests: [], plan: planned });
    expect(() => admin.read('roles.yaml')).toThrow('ENOENT');
    expect((await admin.json('roles pull')).data).toEqual(planned);
    expect((await admin.json('roles pull')).data).toEqual({ ...planned, changed: false });
    const { data } = await admin.json<{ roles: unknown[] }>('roles pull -');
    expect(data).toEqual({
      ...stamp,
      roles: [...(await admin.live()).values()].sort((a, b) => (a.role_id < b.role_id ? -1 : 1)),
    });
  });

  it('keeps local edits and suggests pulling into another file, or replaces them with --overwrite', async () => {
    await admin.run('roles pull');
    admin.edit('roles.yaml', 'name: Support', 'name: Mine');
    const edited = admin.read('roles.yaml');
    const rejected = await admin.run('roles pull');
    expect(rejected).toMatchObject({ code: 6, stderr: expect.stringContaining('pull into another file') });
    expect(admin.read('roles.yaml')).toBe(edited);
    expect((await admin.run('roles pull --overwrite')).code).toBe(0);
    expect(admin.read('roles.yaml')).toContain('name: Support');
  });

  it('does not overwrite an invalid file', async () => {
    admin.write('roles.yaml', 'roles: [');
    expect((await admin.run('roles pull')).code).toBe(9);
    expect(admin.read('roles.yaml')).toBe('roles: [');
  });

  it('updates a file without local edits, and keeps its comments and order', async () => {
    await admin.run('roles pull');
    admin.edit('roles.yaml', '  - role_id: user-role', '  # people\n  - role_id: user-role');
    admin.edit('roles.yaml', 'name: Support', 'name: Support # the desk');
    await changeElsewhere();
    expect((await admin.run('roles pull')).code).toBe(0);
    const text = admin.read('roles.yaml');
    expect(text).toContain('  # people\n  - role_id: user-role');
    expect(text).toContain('name: Helpers # the desk');
    expect((await admin.run('roles diff --exit-code')).code).toBe(0);
  });

  it('keeps a byte order mark, and does not overwrite a file that changes during the pull', async () => {
    await admin.run('roles pull');
    admin.write('roles.yaml', `\ufeff${admin.read('roles.yaml')}`);
    await changeElsewhere();
    const { renameSync } = fs;
    const restore = (): void => {
      fs.renameSync = renameSync;
      syncBuiltinESMExports();
    };
    onTestFinished(restore);
    // The base is stored right before the file is written.
    fs.renameSync = (from, to) => {
      if (String(to).includes('/bases/')) admin.edit('roles.yaml', 'name: User', 'name: Mine');
      renameSync(from, to);
    };
    syncBuiltinESMExports();
    const { code, stderr } = await admin.run('roles pull');
    expect([code, stderr]).toEqual([6, expect.stringContaining('another program changed it')]);
    restore();
    admin.edit('roles.yaml', 'name: Mine', 'name: User');
    expect((await admin.run('roles pull')).code).toBe(0);
    expect(admin.read('roles.yaml')).toMatch(/^\ufeff#[^]*name: Helpers/);
  });

  it('uses the pulled manifest as the base of later edits', async () => {
    await admin.run('roles pull');
    await changeElsewhere();
    admin.edit('roles.yaml', 'name: User', 'name: Person');
    const { data } = await admin.json<{ modified: { role_id: string }[] }>('roles diff');
    expect(data.modified.map((role) => role.role_id)).toEqual(['user-role']);
  });
});
