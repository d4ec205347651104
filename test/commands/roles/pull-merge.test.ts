// `roles pull --merge`: the changes from both sides in one file, and conflicts as comments.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { opened } from '../../helpers/opened.ts';
import { createRolesHome, type RolesHome } from '../../helpers/roles-home.ts';

describe('roles pull --merge', () => {
  let admin: RolesHome;
  let other: RolesHome;

  beforeEach(async () => {
    admin = await createRolesHome();
    other = await createRolesHome(admin.platform);
    for (const home of [admin, other]) await home.run('roles pull');
    admin.edit('roles.yaml', 'roles:', '# the roles of our desk\nroles:');
    admin.edit('roles.yaml', 'name: Support', 'name: Mine # renamed');
  });
  afterEach(async () => {
    await other.close();
    await admin.close();
  });

  const changeElsewhere = async (from: string, to: string): Promise<void> => {
    other.edit('roles.yaml', from, to);
    await admin.platform.api.advance('5s');
    const { code, stderr } = await other.run('roles push --yes');
    expect(code, stderr).toBe(0);
  };
  const withoutStamps = (text: string): string => text.replace(/^last_modified_.*\n/gm, '');

  it('merges changes that do not overlap, and keeps comments and order', async () => {
    await changeElsewhere('name: User', 'name: Person');
    const edited = admin.read('roles.yaml');
    const merged = await admin.json('roles pull --merge');
    expect(merged).toMatchObject({ code: 0, data: { changed: true, roles: 5 } });
    expect(withoutStamps(admin.read('roles.yaml'))).toBe(withoutStamps(edited).replace('name: User', 'name: Person'));
    expect((await admin.json('roles push --yes')).data).toMatchObject({ summary: { modify: 1 } });
    expect((await admin.live()).get('user-role')?.name).toBe('Person');
  });

  it("keeps the file's value in a conflict, adds the platform's value as a comment, and exits with 6", async () => {
    await changeElsewhere('name: Support', 'name: Theirs');
    const edited = admin.read('roles.yaml');
    const merged = await admin.json('roles pull --merge');
    expect(merged.code, merged.stderr).toBe(6);
    expect(merged.error).toMatchObject({ code: 'roles.conflict', issues: [{ path: 'roles.support-role.name' }] });
    const marked = '    # CONFLICT platform: Theirs\n    name: Mine # renamed';
    expect(withoutStamps(admin.read('roles.yaml'))).toBe(
      withoutStamps(edited).replace('    name: Mine # renamed', marked),
    );
    const line =
      admin
        .read('roles.yaml')
        .split('\n')
        .findIndex((text) => text.includes('CONFLICT')) + 1;
    for (const command of ['validate', 'diff', 'push --yes', 'pull --merge', 'diff roles.yaml --against roles.yaml']) {
      const { code, stderr } = await admin.run(`roles ${command}`);
      expect([code, stderr]).toEqual([9, expect.stringContaining(`roles.yaml:${line}:5`)]);
    }
    admin.edit('roles.yaml', '    # CONFLICT platform: Theirs\n', '');
    expect((await admin.json('roles push --yes')).data).toMatchObject({ summary: { modify: 1 } });
    expect((await admin.live()).get('support-role')?.name).toBe('Mine');
  });

  it('changes nothing in a dry run', async () => {
    await changeElsewhere('name: Support', 'name: Theirs');
    const edited = admin.read('roles.yaml');
    const { code, stdout } = await admin.run('roles pull --merge --dry-run');
    expect([code, stdout]).toEqual([6, expect.stringContaining('# CONFLICT platform: Theirs')]);
    expect(admin.read('roles.yaml')).toBe(edited);
  });

  it('keeps a deletion, and adds the role that changed on the platform as a comment above the list', async () => {
    admin.write('roles.yaml', admin.read('roles.yaml').replace(/ {2}- role_id: user-role[^]*$/, ''));
    await changeElsewhere('name: User', 'name: Person');
    const merged = await admin.run('roles pull --merge');
    expect(merged.code, merged.stderr).toBe(6);
    expect(admin.read('roles.yaml')).toMatch(/\n# CONFLICT platform: \{role_id: user-role, .*name: Person.*\nroles:/);
    expect(admin.read('roles.yaml')).not.toMatch(/^ {2}- role_id: user-role/m);
  });

  it('does not change a JSON file with conflicts, and merges one without conflicts', async () => {
    await admin.run('roles pull roles.json');
    admin.edit('roles.json', '"Support"', '"Mine"');
    await changeElsewhere('name: User', 'name: Person');
    const merged = await admin.run('roles pull roles.json --merge');
    expect(merged.code, merged.stderr).toBe(0);
    expect(admin.read('roles.json')).toContain('"Person"');
    await changeElsewhere('name: Support', 'name: Theirs');
    await changeElsewhere('name: Person', 'name: Someone');
    const edited = admin.read('roles.json');
    const { code, stderr } = await admin.run('roles pull roles.json --merge');
    // The file was not changed, so no edits are reported as kept.
    expect(stderr).not.toContain('Kept');
    expect([code, stderr]).toEqual([6, expect.stringMatching(/was not changed[^]*yours: "Mine"/)]);
    expect(admin.read('roles.json')).toBe(edited);
  });

  it('requires --base on a machine that does not have the base', async () => {
    const stranger = await opened(createRolesHome(admin.platform));
    const base = other.read('roles.yaml');
    await changeElsewhere('name: User', 'name: Person');
    stranger.write('roles.yaml', admin.read('roles.yaml'));
    stranger.write('base.yaml', base);
    expect(await stranger.run('roles pull --merge')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('--base'),
    });
    const merged = await stranger.run('roles pull --merge --base base.yaml');
    expect(merged.code, merged.stderr).toBe(0);
    expect(stranger.read('roles.yaml')).toContain('name: Person');
    expect(stranger.read('roles.yaml')).toContain('name: Mine # renamed');
  });

  it('lists the roles deleted on the platform separately, and suggests a diff only if a push would change something', async () => {
    await other.run('roles delete audiences-only-role --yes');
    const removed = 'Removed, because they were deleted on the platform after you pulled the file: audiences-only-role';
    const mixed = await admin.run('roles pull --merge');
    expect(mixed.stderr).toContain(removed);
    expect(mixed.stderr).not.toContain('Kept');
    expect(mixed.stderr).toContain('To see what a push would change: cdpadm roles diff');
    await admin.run('roles push --yes');
    const same = await admin.run('roles pull --merge');
    expect([same.code, same.stderr]).toEqual([0, expect.not.stringContaining('cdpadm roles diff')]);
  });

  it('writes a file that does not exist, and changes nothing if both sides are equal', async () => {
    const pulled = await admin.run('roles pull new.yaml --merge');
    expect(pulled.code, pulled.stderr).toBe(0);
    expect(admin.read('new.yaml')).toBe((await admin.run('roles pull -')).stdout);
    const edited = admin.read('roles.yaml');
    expect((await admin.json('roles pull --merge')).data).toMatchObject({ changed: false });
    expect(admin.read('roles.yaml')).toBe(edited);
  });

  it.each(['roles pull --merge --overwrite', 'roles pull - --merge', 'roles pull --base roles.yaml'])(
    'rejects %s as a usage error',
    async (line) => {
      expect((await admin.run(line)).code).toBe(2);
    },
  );
});
