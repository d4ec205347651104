// `roles push`: from a pulled file to the stored manifest, and the cases in which it fails.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/kernel/clock.ts';
import { opened } from '../../helpers/opened.ts';
import { createRolesHome, type RolesHome } from '../../helpers/roles-home.ts';

const NEW_ROLE = '  - role_id: analyst\n    name: Analyst\n    description: d\n    tasks: [audiences:view]\n';

describe('roles push', () => {
  let admin: RolesHome;

  beforeEach(async () => {
    admin = await createRolesHome();
    await admin.run('roles pull');
  });
  afterEach(() => admin.close());

  it('creates and modifies only the roles that changed in the file', async () => {
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

  it("keeps the file's comments and order, updates its stamp, and sends nothing on the second push", async () => {
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

  it.each(['roles push', 'roles push --no-write-back', 'roles push -'])(
    'reports that only the platform changed if the file was not edited after the pull: %s',
    async (line) => {
      const stdin = admin.read('roles.yaml');
      await admin.run('roles update support-role --name Helpers --yes');
      const { stdout } = await admin.run(`${line} --yes`, { stdin });
      expect(stdout).toBe('No changes to push: only the platform changed after the pull.\n');
    },
  );

  it('names a role that it removes from the file because the role was deleted on the platform', async () => {
    await admin.run('roles delete audiences-only-role --yes');
    await admin.platform.api.advance('5s');
    const { code, stderr } = await admin.run('roles push --yes');
    expect(code).toBe(0);
    expect(stderr).toContain(
      'Removed, because they were deleted on the platform after you pulled the file: audiences-',
    );
    expect(stderr).toContain('the roles that changed on the platform (audiences-only-role) in roles.yaml');
    expect(admin.read('roles.yaml')).not.toContain('audiences-only-role');
  });

  it('reads standard input', async () => {
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
    const result = await admin.run('roles push - --yes', { stdin: admin.read('roles.yaml') });
    expect(result.code).toBe(0);
    expect((await admin.live()).get('support-role')?.name).toBe('Helpers');
  });

  describe("two administrators' edits", () => {
    let other: RolesHome;
    beforeEach(async () => {
      other = await createRolesHome(admin.platform);
      await other.run('roles pull');
    });
    afterEach(() => other.close());

    it('are merged on the platform and in the file if they do not overlap', async () => {
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

    it('are merged if the platform rejects a push (429) and the other push is made before the retry', async () => {
      admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
      other.write('roles.yaml', other.read('roles.yaml') + NEW_ROLE);
      await admin.platform.api.addFault({ method: 'PUT', status: 429, retry_after: 40, times: 1 });
      const codes: number[] = [];
      const sleep = async (ms: number): Promise<void> => {
        if (ms >= 40_000 && codes.length === 0) codes.push((await other.run('roles push --yes')).code);
      };
      const { code, stderr } = await admin.run('roles push --yes', { clock: { ...systemClock, sleep } });
      expect([code, codes], stderr).toEqual([0, [0]]);
      const live = await admin.live();
      expect([live.get('support-role')?.name, live.has('analyst')]).toEqual(['Helpers', true]);
    });

    it('conflict if they overlap, so both sides are printed and nothing is sent', async () => {
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
      admin.write('my team.yaml', edited);
      const { stderr } = await admin.run(['roles', 'diff', 'my team.yaml']);
      expect(stderr).toContain("cdpadm roles pull 'my team.yaml' --merge");
    });

    it('conflict if one side deleted a role that the other edited; the error prints only the differences', async () => {
      admin.edit('roles.yaml', 'name: Read Only', 'name: Mine');
      await other.run('roles delete read-only-role --allow-delete --yes');
      const { code, stderr } = await admin.run('roles diff');
      expect(code).toBe(6);
      expect(stderr).toContain(
        'roles.read-only-role: yours: name "Mine"; the platform\'s: deleted; it was: "Read Only"',
      );
    });

    it("conflict if the file's stamp is outdated and the base is unknown, unless --expect-plan names the plan", async () => {
      other.edit('roles.yaml', 'name: User', 'name: Person');
      await admin.platform.api.advance('5s');
      await other.run('roles push --yes');
      const stranger = await opened(createRolesHome(admin.platform));
      stranger.write('roles.yaml', admin.read('roles.yaml'));
      const rejected = await stranger.run('roles push --yes');
      expect(rejected.code).toBe(6);
      expect(rejected.stderr).toContain('name: "Person"');
      const { data } = await stranger.json<{ plan: string; warnings?: string[] }>('roles diff');
      const warning: unknown = expect.stringMatching(
        /stamp differs .* other admins' changes\. .* last changed on \d{4}-.* by /,
      );
      expect(data.warnings).toEqual([warning]);
      const markdown = await stranger.run('roles diff -o markdown');
      expect(markdown.stdout).toMatch(/\n> \*\*Warning:\*\* The file's stamp differs .* may undo/);
      const push = ['--yes', '--expect-plan', data.plan];
      const dryRun = await stranger.json<{ plan: { warnings?: string[] } }>(['roles', 'push', '--dry-run', ...push]);
      expect(dryRun.data.plan.warnings).toEqual([warning]);
      const pushed = await stranger.run(['roles', 'push', ...push]);
      expect([pushed.code, pushed.stderr]).toEqual([0, expect.stringContaining("may undo other admins' changes")]);
      expect((await stranger.live()).get('user-role')?.name).toBe('User');
    });

    it('are merged using the base from --base', async () => {
      other.edit('roles.yaml', 'name: User', 'name: Person');
      await other.run('roles push --yes');
      const stranger = await opened(createRolesHome(admin.platform));
      stranger.write('base.yaml', admin.read('roles.yaml'));
      stranger.write('roles.yaml', admin.read('roles.yaml').replace('name: Support', 'name: Helpers'));
      expect((await stranger.run('roles push --yes --base base.yaml')).code).toBe(0);
      const live = await stranger.live();
      expect([live.get('support-role')?.name, live.get('user-role')?.name]).toEqual(['Helpers', 'Person']);
    });

    it('are listed as kept from the platform in a diff with --base', async () => {
      other.edit('roles.yaml', 'name: User', 'name: Person');
      await other.run('roles push --yes');
      const stranger = await opened(createRolesHome(admin.platform));
      stranger.write('base.yaml', admin.read('roles.yaml'));
      stranger.write('roles.yaml', admin.read('roles.yaml').replace('name: Support', 'name: Helpers'));
      const { data } = await stranger.json<Record<string, unknown>>('roles diff --base base.yaml');
      expect([data.kept, 'warnings' in data]).toEqual([['user-role'], false]);
      const { stdout } = await stranger.run('roles diff --base base.yaml -o markdown');
      expect(stdout).toContain('\n> As on the platform (changed or deleted after the pull): `user-role`\n');
    });
  });

  it('accepts a file without a stamp more than once, each time with an empty state folder', async () => {
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
    const text = admin.read('roles.yaml').replace(/^last_modified_.*\n/gm, '');
    for (const applied of [true, false]) {
      const ci = await opened(createRolesHome(admin.platform));
      ci.write('roles.yaml', text);
      expect(await ci.json('roles push --yes')).toMatchObject({ code: 0, data: { applied } });
    }
  });

  it('prints five warnings with the plan, and the command that lists all of them', async () => {
    const tasks = ['audiences:*', ...Array<string>(9).fill('audiences:view')];
    admin.write(
      'many.yaml',
      `${admin.read('roles.yaml')}  - role_id: many\n    name: Many\n    description: d\n    tasks: [${tasks.join(', ')}]\n`,
    );
    const { stderr } = await admin.run('roles push many.yaml --dry-run');
    expect(stderr.match(/^Warning: many\.yaml:/gm)).toHaveLength(5);
    expect(stderr).toMatch(/Warning: \d+ more warnings. To list them: cdpadm roles validate many\.yaml/);
    const all = await admin.run('roles validate many.yaml');
    expect(all.stderr.match(/^Warning: many\.yaml:/gm)?.length).toBeGreaterThan(5);
    expect(all.stderr).not.toContain('more warnings');
  });

  it("reports a mistyped task in addition to the file's errors", async () => {
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
    'suggests roles pull if there is no file: %s',
    async (line) => {
      const newcomer = await opened(createRolesHome(admin.platform));
      const { code, stderr } = await newcomer.run(line);
      expect([code, stderr]).toEqual([2, expect.stringContaining('write it from the platform: cdpadm roles pull')]);
      expect((await newcomer.run(`${line} other.yaml`)).stderr).not.toContain('roles pull');
    },
  );

  describe('the plan', () => {
    it('is applied if --expect-plan names the plan that diff printed', async () => {
      admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
      const { data } = await admin.json<{ plan: string }>('roles diff');
      expect(data.plan).toMatch(/^[0-9a-f]{32}$/);
      expect((await admin.run(`roles push --yes --expect-plan ${data.plan}`)).code).toBe(0);
    });

    it('is rejected if it comes from an earlier version of the file', async () => {
      admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
      const { data } = await admin.json<{ plan: string }>('roles diff');
      admin.edit('roles.yaml', 'name: Helpers', 'name: Others');
      expect((await admin.run(`roles push --yes --expect-plan ${data.plan}`)).code).toBe(6);
      expect(await admin.puts()).toBe(0);
    });

    it.each(['', 'abcdef', 'not-hexadecimal'])(
      'is rejected as a usage error if --expect-plan is `%s`',
      async (plan) => {
        admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
        const { code, stderr } = await admin.run(`roles push --yes --expect-plan=${plan}`);
        expect([code, stderr]).toEqual([2, expect.stringContaining('--expect-plan must be the 32 hexadecimal digits')]);
        expect(await admin.puts()).toBe(0);
      },
    );

    it('is not applied if --fields names a column that the result does not have', async () => {
      admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
      const { code, stderr } = await admin.run('roles push --yes -o csv --fields aplied');
      expect(code).toBe(2);
      expect(stderr).toContain('applied');
      expect(await admin.puts()).toBe(0);
      const { stdout } = await admin.run('roles push --yes -o csv --fields applied,revision');
      expect(stdout).toMatch(/^applied,revision\r?\ntrue,\d{8}T/);
    });

    it('is applied if --fields selects columns of the --query result', async () => {
      admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
      const { code, stdout } = await admin.run('roles push --yes -o csv --query modified[] --fields role_id');
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'role_id\nsupport-role\n' });
    });

    it('does not contain a request in a dry run without changes', async () => {
      const { code, data } = await admin.json('roles push --dry-run');
      expect({ code, data }).toMatchObject({ code: 0, data: { dry_run: true, requests: [], plan: { modified: [] } } });
    });

    it('is printed with the exact request in a dry run, which sends nothing', async () => {
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

  describe('an invalid push', () => {
    const withoutSupport = (text: string): string => text.slice(0, text.indexOf('  - role_id: support-role'));

    it.each([
      ['a deletion without --allow-delete', withoutSupport, 'roles push --yes', 12, /--allow-delete/],
      ['a deletion without --allow-delete in a dry run', withoutSupport, 'roles push --dry-run', 12, /support-role/],
      ['an empty manifest', () => 'roles: []\n', 'roles push --yes --allow-delete --force', 12, /--allow-empty/],
      [
        'an escalation',
        (t: string) => t + NEW_ROLE.replace('audiences:view', 'privacy:settings'),
        'roles push --yes --fail-on escalation',
        12,
        /analyst gains privacy:settings/,
      ],
      ['a push without a confirmation or a terminal', (t: string) => t + NEW_ROLE, 'roles push', 2, /--yes/],
      ['a missing file', (t: string) => t, 'roles push other.yaml --yes', 2, /other\.yaml/],
    ])('is rejected before anything is sent: %s', async (_what, change, line, code, message) => {
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
      ['invalid YAML', 'roles:', 'roles: [', /roles\.yaml:\d+:\d+: /],
    ])('is rejected with line and column before anything is sent: %s', async (_what, from, to, message) => {
      admin.edit('roles.yaml', from, to);
      const result = await admin.run('roles push --yes');
      expect(result.code).toBe(9);
      expect(result.stderr).toMatch(message);
      expect(await admin.puts()).toBe(0);
    });

    it('is rejected as a whole if a role to be deleted is assigned, even with --allow-delete', async () => {
      admin.write('roles.yaml', withoutSupport(admin.read('roles.yaml')) + NEW_ROLE);
      const before = await admin.live();
      const result = await admin.json('roles push --yes --allow-delete --force');
      expect(result).toMatchObject({ code: 6, error: { code: 'roles.assigned', status: 400 } });
      expect(await admin.live()).toEqual(before);
    });
  });

  it('confirms the write with a read if the response is lost', async () => {
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
    await admin.platform.api.addFault({ method: 'PUT', path: '*', drop: 'after', times: 1 });
    const result = await admin.json('roles push --yes');
    expect(result).toMatchObject({ code: 0, data: { applied: true } });
    expect(await admin.puts()).toBe(1);
  });

  it('retries a write that did not arrive', async () => {
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
    await admin.platform.api.addFault({ method: 'PUT', path: '*', drop: 'before', times: 1 });
    expect((await admin.run('roles push --yes')).code).toBe(0);
    expect((await admin.live()).get('support-role')?.name).toBe('Helpers');
  });

  it('respects --retries if a write does not arrive', async () => {
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
    await admin.platform.api.addFault({ method: 'PUT', path: '*', drop: 'before' });
    expect((await admin.run('roles push --yes --retries 0')).code).toBe(8);
    expect(await admin.puts()).toBe(1);
    expect((await admin.run('roles push --yes --retries 1')).code).toBe(8);
    expect(await admin.puts()).toBe(3);
  });
});

describe('a large manifest', () => {
  it('requires --force to change more than 30% of its roles', async () => {
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
    const rejected = await admin.run('roles push --yes');
    expect(rejected.code).toBe(12);
    expect(rejected.stderr).toMatch(/4 of 10 roles.*30%[\s\S]*--force/);
    expect((await admin.run('roles push --yes --force')).code).toBe(0);
  });
});

describe('-o name', () => {
  const update = 'roles update user-role --name Renamed --yes -o name';

  it('prints the ids of the changed roles, even in a dry run', async () => {
    const admin = await opened(createRolesHome());
    expect(await admin.run(`${update} --dry-run`)).toMatchObject({ code: 0, stdout: 'user-role\n' });
    expect(await admin.run(update)).toMatchObject({ code: 0, stdout: 'user-role\n' });
    expect(await admin.run(update)).toMatchObject({ code: 0, stdout: '' });
  });

  it('prints the --query result without quotes or brackets', async () => {
    const admin = await opened(createRolesHome());
    const { code, stdout } = await admin.run('roles compare user-role admin-role -o name --query only_right');
    expect({ code, lines: stdout.split('\n').length > 2 }).toEqual({ code: 0, lines: true });
    expect(stdout).not.toMatch(/["[\]]/);
    await admin.run('roles pull');
    expect((await admin.run('roles diff --query plan -o name')).stdout).toMatch(/^[0-9a-f]+\n$/);
  });
});
