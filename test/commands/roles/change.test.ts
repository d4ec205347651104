// Changing individual roles with flags, and analyzing roles.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useProfile } from '../../helpers/platform-home.ts';
import { createRolesHome, type RolesHome } from '../../helpers/roles-home.ts';

let admin: RolesHome;
beforeEach(async () => {
  admin = await createRolesHome();
});
afterEach(() => admin.close());

const tasksOf = async (id: string): Promise<string[] | undefined> =>
  (await admin.live()).get(id)?.tasks.map((task) => task.task_id);

describe('roles create', () => {
  it('copies the tasks and the description from a template, and adds the tasks from flags', async () => {
    const line = 'roles create auditor --from compliance-role --name Auditor --task catalog:* --yes';
    expect(await admin.json(line)).toMatchObject({ code: 0, data: { applied: true, summary: { create: 1 } } });
    expect(await tasksOf('auditor')).toEqual(expect.arrayContaining(['user:core', 'privacy:*', 'catalog:*']));
  });

  it('copies from a live role rather than from a template with the same name', async () => {
    await admin.run('roles update user-role --add-task catalog:* --yes');
    await admin.run('roles create copy --from user-role --name Copy --yes');
    expect(await tasksOf('copy')).toEqual(await tasksOf('user-role'));
  });

  it('adds a task once, even if it is passed twice or copied', async () => {
    const line =
      'roles create copy --from audiences-only-role --name Copy --task audiences:* --task rules:view --task rules:view';
    expect((await admin.run(`${line} --yes`)).code).toBe(0);
    expect(await tasksOf('copy')).toEqual(['user:core', 'audiences:*', 'rules:view']);
  });

  it('suggests an undo command that works even if the id looks like a flag', async () => {
    const { stderr } = await admin.run('roles create --name Dash --description d --yes -- -x');
    const [, command = ''] = /To undo this: cdpadm (.*)/.exec(stderr) ?? [];
    expect((await admin.run(`${command} --yes`)).code).toBe(0);
    expect((await admin.live()).has('-x')).toBe(false);
  });

  it.each([
    ['an existing id', 'roles create user-role --from admin-role --yes', 6, /roles get user-role/],
    ['an unknown source', 'roles create x --from compliance-rol --yes', 5, /Did you mean compliance-role\?/],
    ['a missing description', 'roles create x --name X --task audiences:view --yes', 2, /--description/],
    ['an empty description', 'roles create x --from user-role --description= --yes', 9, /x\.description: is empty/],
    [
      'an unknown task',
      'roles create x --name X --description d --task audience:view --yes',
      9,
      /did you mean audiences:view/,
    ],
    ['an existing name', 'roles create x --name User --description d --yes', 6, /roles get user-role/],
  ])('rejects %s and sends nothing', async (_what, line, code, message) => {
    const result = await admin.run(line);
    expect(result).toMatchObject({ code, stderr: expect.stringMatching(message) });
    expect(await admin.puts()).toBe(0);
  });
});

describe('roles update', () => {
  it('changes only the fields passed as flags', async () => {
    const before = await admin.live();
    await admin.run('roles update support-role --name Desk --add-task user_groups:view --remove-task rules:* --yes');
    const after = await admin.live();
    const role = before.get('support-role');
    expect(after.get('support-role')).toEqual({
      ...role,
      name: 'Desk',
      tasks: [...(role?.tasks ?? []).filter((task) => task.task_id !== 'rules:*'), { task_id: 'user_groups:view' }],
    });
    expect(after.get('admin-role')).toEqual(before.get('admin-role'));
  });

  it.each([
    ['an update without changes', 'roles update user-role --yes', 2],
    ['an unknown role', 'roles update usr-role --name X --yes', 5],
    ['removing a task that the role does not have', 'roles update user-role --remove-task privacy:* --yes', 2],
    ['removing the core task', 'roles update user-role --remove-task user:core --yes', 2],
  ])('rejects %s', async (_what, line, code) => {
    expect((await admin.run(line)).code).toBe(code);
    expect(await admin.puts()).toBe(0);
  });

  it('rejects a name that another role has', async () => {
    const result = await admin.run('roles update admin-role --name User --yes');
    expect(result).toMatchObject({ code: 6, stderr: expect.stringMatching(/user-role already has the name/) });
    expect(await admin.puts()).toBe(0);
  });
});

describe('roles delete', () => {
  it('requires --allow-delete to delete four roles but not two, and restores deleted roles with a rollback', async () => {
    const before = await admin.live();
    const line = 'roles delete read-only-role audiences-only-role --yes';
    const four = await admin.run(`${line} user-role support-role`);
    expect([four.code, four.stderr]).toEqual([12, expect.stringContaining('--allow-delete')]);
    // A repeated id counts once.
    expect((await admin.run(`${line} read-only-role audiences-only-role`)).code).toBe(0);
    expect((await admin.live()).size).toBe(before.size - 2);
    const { data } = await admin.json<{ revision: string }[]>('roles history');
    await admin.run(`roles rollback ${data[0]?.revision ?? ''} --yes`);
    expect(await admin.live()).toEqual(before);
  });

  it('exits with 6 for an assigned role and changes nothing', async () => {
    const before = await admin.live();
    expect((await admin.run('roles delete support-role --yes --allow-delete')).code).toBe(6);
    expect(await admin.live()).toEqual(before);
  });
});

describe('a command that analyzes roles', () => {
  it('describes a role in the terms of the permission reference', async () => {
    const { data } = await admin.json<object[]>('roles explain audiences-only-role');
    expect(data).toEqual([
      expect.objectContaining({ task_id: 'user:core', escalation: false }),
      {
        feature: 'Audiences',
        permission: 'Full access',
        task_id: 'audiences:*',
        meaning: 'edit plus download audiences',
        escalation: true,
      },
    ]);
  });

  it('finds the roles that grant a task, including those with full access', async () => {
    const { data } = await admin.json<{ role_id: string; by: string }[]>('roles who-can rules:view');
    expect(Object.fromEntries(data.map(({ role_id, by }) => [role_id, by]))).toEqual({
      'user-role': 'rules:*',
      'admin-role': 'rules:*',
      'support-role': 'rules:*',
      'read-only-role': 'rules:view',
    });
  });

  it('suggests the nearest task for a mistyped one, and accepts a task that no role has', async () => {
    for (const [task, near] of [
      ['rules:veiw', 'Did you mean rules:view?'],
      ['nothing:like-it', 'To list the tasks: cdpadm roles tasks'],
    ]) {
      const { code, error } = await admin.json(['roles', 'who-can', task ?? '']);
      expect([code, error.code, error.hint]).toEqual([5, 'roles.task_not_found', expect.stringContaining(near ?? '')]);
    }
    expect(await admin.json('roles who-can privacy:settings')).toMatchObject({ code: 0 });
  });

  it('compares two roles', async () => {
    const { data } = await admin.json('roles compare audiences-only-role user-role');
    expect(data).toMatchObject({ left: 'audiences-only-role', both: ['audiences:*'], only_left: [] });
  });

  it('prints all compared tasks with -o csv, but with -o name only those that differ', async () => {
    const { data } = await admin.json<{ only_left: string[]; only_right: string[] }>(
      'roles compare user-role admin-role',
    );
    expect(data.only_right).not.toEqual([]);
    const [head, ...rows] = (await admin.run('roles compare user-role admin-role -o csv')).stdout.trimEnd().split('\n');
    expect(head).toBe('task_id,user-role,admin-role');
    expect(rows).toContain('audiences:*,yes,yes');
    expect(rows).toEqual(expect.arrayContaining(data.only_right.map((task) => `${task},,yes`)));
    const names = (await admin.run('roles compare user-role admin-role -o name')).stdout.trimEnd().split('\n');
    expect(names).toEqual([...data.only_left, ...data.only_right]);
    const fields = await admin.run('roles compare user-role admin-role -o csv --fields task_id,admin');
    expect(fields).toMatchObject({ code: 2, stderr: expect.stringContaining('admin-role') });
  });

  it('prints the matrix as JSON, CSV and a self-contained HTML page with escaped names', async () => {
    await admin.run(['roles', 'update', 'user-role', '--name', '<b>x</b>', '--yes']);
    const { data } = await admin.json<{ task_id: string; roles: Record<string, unknown> }[]>('roles matrix');
    expect(data.find((row) => row.task_id === 'rules:view')?.roles).toMatchObject({
      'read-only-role': 'direct',
      'user-role': 'implied',
      'audiences-only-role': null,
    });
    const csv = (await admin.run('roles matrix -o csv')).stdout.split('\n');
    expect(csv[0]).toBe('task_id,user-role,admin-role,audiences-only-role,read-only-role,support-role');
    const { stdout } = await admin.run('roles matrix -o html');
    expect(stdout).toMatch(/^<!doctype html>/);
    expect(stdout).not.toMatch(/<script|src=|href=|@import|url\(|<b>/);
    expect(stdout).toContain('<code>rules:<wbr>view</code>');
  });

  it('lists the seven templates, and suggests the nearest name for a mistyped one', async () => {
    expect((await admin.json<unknown[]>('roles templates')).data).toHaveLength(7);
    const suggestion = expect.stringContaining('Did you mean support-role?') as string;
    expect(await admin.run('roles templates suport-role')).toMatchObject({ code: 5, stderr: suggestion });
    const list = expect.stringContaining('The templates are user-role,') as string;
    expect(await admin.run('roles templates xyz')).toMatchObject({ code: 5, stderr: list });
    expect(await admin.run('roles templates read-onli-role')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('Did you mean read-only-role?'),
    });
  });
});

describe('the printed and logged undo command', () => {
  const CREATE = 'roles create zed --description d --task audiences:view --yes';

  it.each([
    ['creating a role', [CREATE], /^cdpadm roles delete zed$/],
    ['a push that creates a role', ['push', 'zed'], /^cdpadm roles delete zed$/],
    ['a push that creates four roles', ['push', 'a b c d'], /^cdpadm roles rollback \S+ --allow-delete$/],
    ['updating a role', ['roles update user-role --name Reader --yes'], /^cdpadm roles rollback \S+$/],
    [
      'renaming a role',
      ['roles rename user-role zed --allow-delete --yes'],
      /^cdpadm roles rollback \S+ --allow-delete$/,
    ],
    ['deleting a role', ['roles delete user-role --yes'], /^cdpadm roles rollback \S+$/],
    [
      'a push that creates ten roles',
      ['push', 'a b c d e f g h i j'],
      /^cdpadm roles rollback \S+ --allow-delete --force$/,
    ],
  ])('restores the previous roles after %s', async (_what, [line = '', ids = ''], shape) => {
    const before = await admin.live();
    useProfile(admin);
    if (line === 'push') {
      await admin.run('roles pull');
      const roles = ids
        .split(' ')
        .map((id) => `  - {role_id: ${id}, name: ${id}, description: d, tasks: [audiences:view]}\n`);
      admin.write('roles.yaml', admin.read('roles.yaml') + roles.join(''));
    }
    const done = await admin.run(line === 'push' ? 'roles push --yes' : line);
    expect(done.code).toBe(0);
    const { data } = await admin.json<{ undo: string; undo_note: string | null }[]>('log');
    const { undo: whole = '', undo_note = '' } = data.at(-1) ?? {};
    const [undo = '', target] = whole.split(' --profile ');
    expect(target).toMatch(/^qa --org \d+ --account \d+$/);
    expect(undo).toMatch(shape);
    expect(undo_note !== null).toBe(undo.includes('rollback'));
    expect(done.stderr).toContain(`To undo this: ${undo}`);
    expect((await admin.run(`${whole.replace('cdpadm ', '')} --yes`)).code).toBe(0);
    expect(await admin.live()).toEqual(before);
  });
});
