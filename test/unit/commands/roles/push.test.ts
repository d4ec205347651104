// `roles push` from a pulled file to the stored manifest, and every way to fail.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { opened } from '../../../helpers/opened.ts';
import { createRolesHome, type RolesHome } from '../../../helpers/roles-home.ts';

const NEW_ROLE = '  - role_id: analyst\n    name: Analyst\n    description: d\n    tasks: [audiences:view]\n';

describe('roles push', () => {
  let admin: RolesHome;

  beforeEach(async () => {
    admin = await createRolesHome();
    await admin.run('roles pull');
  });
  afterEach(() => admin.close());

  it('creates and modifies only what the file changes', async () => {
    const before = await admin.live();
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers # renamed');
    admin.write('roles.yaml', admin.read('roles.yaml') + NEW_ROLE);
    const result = await admin.json('roles push --yes');
    expect(result).toMatchObject({ code: 0, data: { applied: true, summary: { create: 1, modify: 1, delete: 0 } } });
    const after = await admin.live();
    expect(after.get('support-role')).toEqual({ ...before.get('support-role'), name: 'Helpers' });
    expect(after.get('analyst')?.tasks.map((task) => task.task_id)).toEqual(['user:core', 'audiences:view']);
    for (const id of ['user-role', 'admin-role', 'read-only-role']) expect(after.get(id)).toEqual(before.get(id));
  });

  it('keeps comments and order of the file, updates its stamp, and then has no changes', async () => {
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers # renamed');
    const edited = admin.read('roles.yaml');
    await admin.platform.api.set('2030-01-02T03:04:05Z');
    await admin.run('roles push --yes');
    const written = admin.read('roles.yaml');
    expect(written).toContain('last_modified_on: "2030-01-02 03:04:');
    const withoutStamps = (text: string): string => text.replace(/^last_modified_.*$/gm, '');
    expect(withoutStamps(written)).toBe(withoutStamps(edited));
    const again = await admin.json('roles push --yes');
    expect(again).toMatchObject({ code: 0, data: { applied: false } });
    expect(await admin.puts()).toBe(1);
  });

  it('does not change the file with --no-write-back, and still knows its base', async () => {
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
    const edited = admin.read('roles.yaml');
    await admin.run('roles push --yes --no-write-back');
    expect(admin.read('roles.yaml')).toBe(edited);
    admin.edit('roles.yaml', 'name: Helpers', 'name: Others');
    expect((await admin.run('roles push --yes --no-write-back')).code).toBe(6);
  });

  it('reads a pipe', async () => {
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
    const result = await admin.run('roles push - --yes', { stdin: admin.read('roles.yaml') });
    expect(result.code).toBe(0);
    expect((await admin.live()).get('support-role')?.name).toBe('Helpers');
  });

  describe('two administrators', () => {
    let other: RolesHome;
    beforeEach(async () => {
      other = await createRolesHome(admin.platform);
      await other.run('roles pull');
    });
    afterEach(() => other.close());

    it('whose edits do not overlap both get them, in the platform and in the file', async () => {
      admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
      other.edit('roles.yaml', 'name: User', 'name: Person');
      other.write('roles.yaml', other.read('roles.yaml') + NEW_ROLE);
      expect((await other.run('roles push --yes')).code).toBe(0);
      const second = await admin.run('roles push --yes');
      expect(second.code).toBe(0);
      expect(second.stderr).toContain('Kept from the platform');
      const live = await admin.live();
      expect([live.get('support-role')?.name, live.get('user-role')?.name]).toEqual(['Helpers', 'Person']);
      expect(live.has('analyst')).toBe(true);
      expect(admin.read('roles.yaml')).toContain('analyst');
      expect((await admin.run('roles diff --exit-code')).code).toBe(0);
    });

    it('whose edits overlap: the second stops, with both sides shown, and nothing is sent', async () => {
      admin.edit('roles.yaml', 'name: Support', 'name: Mine');
      other.edit('roles.yaml', 'name: Support', 'name: Theirs');
      await other.run('roles push --yes');
      const edited = admin.read('roles.yaml');
      for (const command of ['roles diff', 'roles push --yes']) {
        const result = await admin.run(command);
        expect(result.code).toBe(6);
        expect(result.stderr).toMatch(/yours: "Mine".*platform's: "Theirs".*it was: "Support"/);
      }
      expect(await admin.puts()).toBe(1);
      expect(admin.read('roles.yaml')).toBe(edited);
    });

    it('stops a push with an older stamp and an unknown base, unless the plan was reviewed', async () => {
      other.edit('roles.yaml', 'name: User', 'name: Person');
      await admin.platform.api.advance('5s');
      await other.run('roles push --yes');
      const stranger = await opened(createRolesHome(admin.platform));
      stranger.write('roles.yaml', admin.read('roles.yaml'));
      const refused = await stranger.run('roles push --yes');
      expect(refused.code).toBe(6);
      expect(refused.stderr).toContain('name: "Person"');
      const { data } = await stranger.json<{ plan: string; warnings?: string[] }>('roles diff');
      const warning: unknown = expect.stringMatching(
        /older stamp .* other admins' changes\. .* last changed on \d{4}-.* by /,
      );
      expect(data.warnings).toEqual([warning]);
      const markdown = await stranger.run('roles diff -o markdown');
      expect(markdown.stdout).toMatch(/\n> \*\*Warning:\*\* The file has an older stamp .* may undo/);
      const push = ['--yes', '--expect-plan', data.plan];
      const rehearsed = await stranger.json<{ plan: { warnings?: string[] } }>(['roles', 'push', '--dry-run', ...push]);
      expect(rehearsed.data.plan.warnings).toEqual([warning]);
      const pushed = await stranger.run(['roles', 'push', ...push]);
      expect([pushed.code, pushed.stderr]).toEqual([0, expect.stringContaining("may undo other admins' changes")]);
      expect((await stranger.live()).get('user-role')?.name).toBe('User');
    });

    it('with --base names the manifest that the file was made from', async () => {
      other.edit('roles.yaml', 'name: User', 'name: Person');
      await other.run('roles push --yes');
      const stranger = await opened(createRolesHome(admin.platform));
      stranger.write('base.yaml', admin.read('roles.yaml'));
      stranger.write('roles.yaml', admin.read('roles.yaml').replace('name: Support', 'name: Helpers'));
      expect((await stranger.run('roles push --yes --base base.yaml')).code).toBe(0);
      const live = await stranger.live();
      expect([live.get('support-role')?.name, live.get('user-role')?.name]).toEqual(['Helpers', 'Person']);
    });

    it('with --base tells a reviewer what of the platform is kept', async () => {
      other.edit('roles.yaml', 'name: User', 'name: Person');
      await other.run('roles push --yes');
      const stranger = await opened(createRolesHome(admin.platform));
      stranger.write('base.yaml', admin.read('roles.yaml'));
      stranger.write('roles.yaml', admin.read('roles.yaml').replace('name: Support', 'name: Helpers'));
      const { data } = await stranger.json<Record<string, unknown>>('roles diff --base base.yaml');
      expect([data.kept, 'warnings' in data]).toEqual([['user-role'], false]);
      const { stdout } = await stranger.run('roles diff --base base.yaml -o markdown');
      expect(stdout).toContain('\n> Kept from the platform, changed there after the file was pulled: `user-role`\n');
    });
  });

  it('takes a file without a stamp as it is, again and again from an empty state directory', async () => {
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
    const text = admin.read('roles.yaml').replace(/^last_modified_.*\n/gm, '');
    for (const applied of [true, false]) {
      const ci = await opened(createRolesHome(admin.platform));
      ci.write('roles.yaml', text);
      expect(await ci.json('roles push --yes')).toMatchObject({ code: 0, data: { applied } });
    }
  });

  it('shows the first warnings next to the plan, and how to list the rest', async () => {
    const tasks = ['audiences:*', ...Array<string>(9).fill('audiences:view')];
    admin.write(
      'many.yaml',
      `${admin.read('roles.yaml')}  - role_id: many\n    name: Many\n    description: d\n    tasks: [${tasks.join(', ')}]\n`,
    );
    const { stderr } = await admin.run('roles diff many.yaml');
    expect(stderr.match(/^Warning: many\.yaml:/gm)).toHaveLength(5);
    expect(stderr).toMatch(/Warning: \d+ more warnings. To list them: cdpadm roles validate many\.yaml/);
    const all = await admin.run('roles validate many.yaml');
    expect(all.stderr.match(/^Warning: many\.yaml:/gm)?.length).toBeGreaterThan(5);
    expect(all.stderr).not.toContain('more warnings');
  });

  it('tells a task that looks mistyped beside the errors of the file', async () => {
    admin.write(
      'bad.yaml',
      `roles:\n  - role_id: ${'x'.repeat(65)}\n    name: A\n    description: d\n    tasks: [audeinces:edit]\n`,
    );
    const { code, stderr } = await admin.run('roles push bad.yaml --yes');
    expect(code).toBe(9);
    expect(stderr).toMatch(/bad\.yaml:2:14: .*65 characters/);
    expect(stderr).toMatch(/bad\.yaml:5:13: .*did you mean audiences:edit/);
  });

  it.each(['roles push --yes', 'roles diff', 'roles validate'])(
    '%s tells who has no file yet where one comes from',
    async (line) => {
      const newcomer = await opened(createRolesHome(admin.platform));
      const { code, stderr } = await newcomer.run(line);
      expect([code, stderr]).toEqual([2, expect.stringContaining('write it from the platform: cdpadm roles pull')]);
      expect((await newcomer.run(`${line} other.yaml`)).stderr).not.toContain('roles pull');
    },
  );

  describe('the plan', () => {
    it('printed by diff is the one that push applies', async () => {
      admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
      const { data } = await admin.json<{ plan: string }>('roles diff');
      expect(data.plan).toMatch(/^[0-9a-f]{32}$/);
      expect((await admin.run(`roles push --yes --expect-plan ${data.plan}`)).code).toBe(0);
    });

    it('rejects a plan of another file or another platform state', async () => {
      admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
      const { data } = await admin.json<{ plan: string }>('roles diff');
      admin.edit('roles.yaml', 'name: Helpers', 'name: Others');
      expect((await admin.run(`roles push --yes --expect-plan ${data.plan}`)).code).toBe(6);
      expect(await admin.puts()).toBe(0);
    });

    it.each(['', 'abcdef', 'not-hexadecimal'])('is a usage error as `%s`: a variable may be empty', async (plan) => {
      admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
      const { code, stderr } = await admin.run(`roles push --yes --expect-plan=${plan}`);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--expect-plan takes the 32 hexadecimal digits')]);
      expect(await admin.puts()).toBe(0);
    });

    it('is not sent where --fields names a column that the result would not have', async () => {
      admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
      const { code, stderr } = await admin.run('roles push --yes -o csv --fields aplied');
      expect(code).toBe(2);
      expect(stderr).toContain('applied');
      expect(await admin.puts()).toBe(0);
      const { stdout } = await admin.run('roles push --yes -o csv --fields applied,revision');
      expect(stdout).toMatch(/^applied,revision\r?\ntrue,\d{8}T/);
    });

    it('takes the columns of --fields from what --query finds', async () => {
      admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
      const { code, stdout } = await admin.run('roles push --yes -o csv --query modified[] --fields role_id');
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'role_id\nsupport-role\n' });
    });

    it('of a dry run that would send nothing holds no request', async () => {
      const { code, data } = await admin.json('roles push --dry-run');
      expect({ code, data }).toMatchObject({ code: 0, data: { dry_run: true, requests: [], plan: { modified: [] } } });
    });

    it('of a dry run is printed with the exact request, and nothing is sent', async () => {
      admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
      const { data } = await admin.json<{ dry_run: boolean; requests: { method: string; url: string; body: never }[] }>(
        'roles push --dry-run',
      );
      expect(data.dry_run).toBe(true);
      expect(data.requests).toMatchObject([{ method: 'PUT', url: expect.stringMatching(/\/accounts\/2001\/roles$/) }]);
      expect(JSON.stringify(data.requests[0]?.body)).toContain('Helpers');
      expect(await admin.puts()).toBe(0);
    });
  });

  describe('rejects it and sends nothing', () => {
    const withoutSupport = (text: string): string => text.slice(0, text.indexOf('  - role_id: support-role'));

    it.each([
      ['a deletion without its flag', withoutSupport, 'roles push --yes', 12, /--allow-delete/],
      ['the same in a dry run', withoutSupport, 'roles push --dry-run', 12, /support-role/],
      ['an emptied manifest', () => 'roles: []\n', 'roles push --yes --allow-delete --force', 12, /--allow-empty/],
      [
        'an escalation',
        (t: string) => t + NEW_ROLE.replace('audiences:view', 'privacy:settings'),
        'roles push --yes --fail-on escalation',
        12,
        /analyst gains privacy:settings/,
      ],
      ['without a confirmation or a terminal', (t: string) => t + NEW_ROLE, 'roles push', 2, /--yes/],
      ['a file that is not there', (t: string) => t, 'roles push other.yaml --yes', 2, /other\.yaml/],
    ])('%s', async (_what, change, line, code, message) => {
      admin.write('roles.yaml', change(admin.read('roles.yaml')));
      const result = await admin.run(line);
      expect(result).toMatchObject({ code, stdout: '' });
      expect(result.stderr).toMatch(message);
      expect(await admin.puts()).toBe(0);
    });

    it.each([
      ['a duplicate key', 'name: Support', 'name: Support\n    name: Twice', /roles\.yaml:\d+:5: .*duplicate key/],
      [
        'an unknown field',
        'name: Support',
        'nmae: Support',
        /roles\.yaml:\d+:5: roles\[3\]\.nmae: unknown field `nmae`; did you mean `name`/,
      ],
      [
        'a long id',
        'role_id: support-role',
        `role_id: ${'x'.repeat(65)}`,
        /roles\.yaml:\d+:14: roles\[3\]\.role_id: .*65 characters; at most 64/,
      ],
      [
        'a mistyped task',
        '- rules:view',
        '- ruels:view',
        /roles\.yaml:\d+:9: roles\[\d\]\.tasks\[\d\]: task ruels:view does not exist.*did you mean rules:view/,
      ],
      ['a broken document', 'roles:', 'roles: [', /roles\.yaml:\d+:\d+: /],
    ])('%s, by line and column', async (_what, from, to, message) => {
      admin.edit('roles.yaml', from, to);
      const result = await admin.run('roles push --yes');
      expect(result.code).toBe(9);
      expect(result.stderr).toMatch(message);
      expect(await admin.puts()).toBe(0);
    });

    it('an assigned role, although allowed: the whole push, and it says so beforehand', async () => {
      admin.write('roles.yaml', withoutSupport(admin.read('roles.yaml')) + NEW_ROLE);
      const before = await admin.live();
      const result = await admin.json('roles push --yes --allow-delete --force');
      expect(result).toMatchObject({ code: 6, error: { code: 'roles.assigned', status: 400 } });
      expect(await admin.live()).toEqual(before);
    });
  });

  it('confirms a lost response by a read', async () => {
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
    await admin.platform.api.addFault({ method: 'PUT', path: '*', drop: 'after', times: 1 });
    const result = await admin.json('roles push --yes');
    expect(result).toMatchObject({ code: 0, data: { applied: true } });
    expect(await admin.puts()).toBe(1);
  });

  it('sends again what never arrived', async () => {
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
    await admin.platform.api.addFault({ method: 'PUT', path: '*', drop: 'before', times: 1 });
    expect((await admin.run('roles push --yes')).code).toBe(0);
    expect((await admin.live()).get('support-role')?.name).toBe('Helpers');
  });
});

describe('a large manifest', () => {
  it('needs --force for more than 30 % of it', async () => {
    const tasks = ['audiences:view'];
    const roles = Array.from({ length: 10 }, (_, index) => ({
      role_id: `r${index}`,
      name: `R${index}`,
      description: 'd',
      tasks,
    }));
    const admin = await opened(createRolesHome(undefined, { roles }));
    await admin.run('roles pull');
    admin.write('roles.yaml', admin.read('roles.yaml').replaceAll(/name: R([0-3])$/gm, 'name: Renamed$1'));
    const refused = await admin.run('roles push --yes');
    expect(refused.code).toBe(12);
    expect(refused.stderr).toMatch(/4 of 10 roles.*30 %[\s\S]*--force/);
    expect((await admin.run('roles push --yes --force')).code).toBe(0);
  });
});

describe('-o name', () => {
  const update = 'roles update user-role --name Renamed --yes -o name';

  it('prints the roles that change, of a dry run as of the push itself', async () => {
    const admin = await opened(createRolesHome());
    expect(await admin.run(`${update} --dry-run`)).toMatchObject({ code: 0, stdout: 'user-role\n' });
    expect(await admin.run(update)).toMatchObject({ code: 0, stdout: 'user-role\n' });
    expect(await admin.run(update)).toMatchObject({ code: 0, stdout: '' });
  });

  it('prints what a query finds, as it is', async () => {
    const admin = await opened(createRolesHome());
    const { code, stdout } = await admin.run('roles compare user-role admin-role -o name --query only_right');
    expect({ code, lines: stdout.split('\n').length > 2 }).toEqual({ code: 0, lines: true });
    expect(stdout).not.toMatch(/["[\]]/);
    await admin.run('roles pull');
    expect((await admin.run('roles diff --query plan -o name')).stdout).toMatch(/^[0-9a-f]+\n$/);
  });
});
