// `roles diff --save-plan` and `roles push --plan`: apply the plan that was reviewed, or nothing.
import { chmodSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRolesHome, type RolesHome } from '../../helpers/roles-home.ts';

describe('a saved roles plan', () => {
  let admin: RolesHome;

  beforeEach(async () => {
    admin = await createRolesHome();
    await admin.run('roles pull');
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
    await admin.run('roles diff --save-plan roles.plan');
  });
  afterEach(() => admin.close());

  const name = async (): Promise<unknown> => (await admin.live()).get('support-role')?.name;

  it('shows the difference, is private, and can be applied without the roles file', async () => {
    const diff = await admin.json('roles diff');
    const text = admin.read('roles.plan');
    expect(text).toContain('#     - name: "Support"\n#     + name: "Helpers"\n');
    expect(text).toContain(`# plan ${(diff.data as { plan: string }).plan}\n`);
    expect(statSync(join(admin.cwd, 'roles.plan')).mode & 0o777).toBe(0o600);
    rmSync(join(admin.cwd, 'roles.yaml'));
    const pushed = await admin.json('roles push --plan roles.plan --yes');
    expect(pushed).toMatchObject({ code: 0, data: { applied: true, summary: { modify: 1 } } });
    expect(await name()).toBe('Helpers');
  });

  it('is private even if it replaces a shared file', async () => {
    admin.write('shared.plan', '');
    chmodSync(join(admin.cwd, 'shared.plan'), 0o644);
    await admin.run('roles diff --save-plan shared.plan');
    expect(statSync(join(admin.cwd, 'shared.plan')).mode & 0o777).toBe(0o600);
  });

  it.each(['push', 'diff', 'validate'])(
    'is rejected as a roles file by `roles %s`, which prints how to apply it',
    async (verb) => {
      const { code, stderr } = await admin.run(`roles ${verb} roles.plan`);
      expect([code, stderr]).toEqual([
        9,
        expect.stringContaining('To apply it: cdpadm roles push --plan roles.plan\n'),
      ]);
    },
  );

  it('is read from standard input', async () => {
    const pushed = await admin.run('roles push --plan - --yes', { stdin: admin.read('roles.plan') });
    expect([pushed.code, await name()]).toEqual([0, 'Helpers']);
  });

  it('is not sent in a dry run', async () => {
    const { code, data } = await admin.json('roles push --plan roles.plan --dry-run');
    expect([code, data]).toEqual([0, expect.objectContaining({ dry_run: true })]);
    expect(await admin.puts()).toBe(0);
  });

  it('is applied together with a roles file only if that file still produces the same plan', async () => {
    expect((await admin.run('roles push roles.yaml --plan roles.plan --yes')).code).toBe(0);
    expect((await admin.run('roles diff --exit-code')).code).toBe(0);
    admin.edit('roles.yaml', 'name: Helpers', 'name: Others');
    await admin.run('roles diff --save-plan roles.plan');
    admin.edit('roles.yaml', 'name: Others', 'name: Another');
    expect((await admin.run('roles push roles.yaml --plan roles.plan --yes')).code).toBe(6);
    expect(await name()).toBe('Helpers');
  });

  it('does not conflict with later edits to the file that it was created from', async () => {
    await admin.run('roles update user-role --description theirs --yes');
    await admin.run('roles diff --save-plan roles.plan');
    await admin.platform.api.advance('5s');
    expect((await admin.run('roles push --plan roles.plan --yes')).code).toBe(0);
    admin.edit('roles.yaml', 'name: Helpers', 'name: Desk');
    const { code, data } = await admin.json<{ summary: unknown }>('roles diff');
    expect([code, data.summary]).toEqual([0, expect.objectContaining({ create: 0, modify: 1, delete: 0 })]);
    expect((await admin.run('roles push --yes')).code).toBe(0);
    const live = await admin.live();
    expect([live.get('support-role')?.name, live.get('user-role')?.description]).toEqual(['Desk', 'theirs']);
  });

  it.each([['roles.yaml'], ['./roles.yaml'], ['-']])(
    'cannot be written to an input file or to standard output: %s',
    async (path) => {
      const before = admin.read('roles.yaml');
      const { code, stderr } = await admin.run(`roles diff roles.yaml --save-plan ${path}`);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--save-plan')]);
      expect(admin.read('roles.yaml')).toBe(before);
    },
  );

  it('is not undone by another file that was pulled at the same time and changes the same role', async () => {
    const [before = '', after = ''] = admin
      .read('roles.yaml')
      .replace('name: Helpers', 'name: Support')
      .split('name: Support');
    admin.write('other.yaml', `${before}name: Support${after.replace('tasks:\n', 'tasks:\n      - rules:view\n')}`);
    await admin.run('roles push --plan roles.plan --yes');
    const { code, stderr } = await admin.run('roles push other.yaml --yes');
    expect([code, stderr]).toEqual([0, expect.stringContaining('+ rules:view')]);
    expect(await name()).toBe('Helpers');
  });

  it('is rejected as a conflict after a change on the platform, and after it has been applied', async () => {
    await admin.run('roles update user-role --description changed --yes');
    const { code, stderr } = await admin.run('roles push --plan roles.plan --yes');
    expect([code, stderr]).toEqual([
      6,
      expect.stringMatching(/The plan is now[^]*cdpadm roles diff roles.yaml --save-plan new.plan/),
    ]);
    await admin.run('roles diff --save-plan roles.plan');
    expect((await admin.run('roles push --plan roles.plan --yes')).code).toBe(0);
    expect((await admin.run('roles push --plan roles.plan --yes')).code).toBe(6);
    expect(await admin.puts()).toBe(2);
  });

  it('is rejected if it was edited: the error names the file, and the target is not checked', async () => {
    admin.edit('roles.plan', '"Helpers"', '"Others"');
    const { code, stderr } = await admin.run('roles push --plan roles.plan --yes', { env: { CDPADM_ORG_ID: '2' } });
    expect([code, stderr]).toEqual([9, expect.stringContaining('roles.plan:')]);
    expect(await admin.puts()).toBe(0);
  });

  it('is checked for edits before `access: read` is enforced, and only then compared with the platform', async () => {
    await admin.run('roles update user-role --description changed --yes');
    const puts = await admin.puts();
    admin.write('.cdpadm.yaml', 'access: read\n');
    expect((await admin.run('roles push --plan roles.plan --yes')).code).toBe(12);
    admin.edit('roles.plan', '"Helpers"', '"Others"');
    expect((await admin.run('roles push --plan roles.plan --yes')).code).toBe(9);
    expect(await admin.puts()).toBe(puts);
  });

  it('is rejected as a conflict for a different organization', async () => {
    const { code, stderr } = await admin.run('roles push --plan roles.plan --yes', { env: { CDPADM_ORG_ID: '2' } });
    expect([code, stderr]).toEqual([6, expect.stringContaining('organization 2')]);
  });

  it('does not override guards', async () => {
    admin.write('roles.yaml', admin.read('roles.yaml').replace(/ {2}- role_id: user-role[^]*?(?= {2}- role_id|$)/, ''));
    await admin.run('roles diff --save-plan roles.plan');
    expect((await admin.run('roles push --plan roles.plan --yes')).code).toBe(12);
    expect((await admin.run('roles push --plan roles.plan --yes --allow-delete')).code).toBe(0);
  });

  it.each([
    'roles push --plan p --expect-plan 0',
    'roles diff --against x --save-plan p',
    'roles push - --plan - --yes',
  ])('is not accepted in `%s`', async (line) => {
    expect((await admin.run(line)).code).toBe(2);
  });
});
