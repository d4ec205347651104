// Read-only roles commands: list, get, tasks, validate, diff.
import { parse as parseCsv } from 'csv-parse/sync';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRolesHome, NO_PLATFORM, type RolesHome } from '../../helpers/roles-home.ts';

describe('a command that reads roles', () => {
  let admin: RolesHome;
  beforeAll(async () => {
    admin = await createRolesHome();
  });
  afterAll(() => admin.close());
  beforeEach(() => admin.run('roles pull --overwrite'));

  it('lists roles as the platform returns them', async () => {
    const { data } = await admin.json<Record<string, unknown>[]>('roles list');
    expect(data).toHaveLength(5);
    expect(Object.keys(data[0] ?? {})).toEqual(['role_id', 'name', 'description', 'tasks']);
    expect((await admin.run('roles list -o name')).stdout.split('\n')).toContain('admin-role');
  });

  it('gets one role, and suggests the nearest id for a mistyped one', async () => {
    expect(await admin.json('roles get admin-role')).toMatchObject({ code: 0, data: { role_id: 'admin-role' } });
    const missing = await admin.run('roles get admn-role');
    expect(missing).toMatchObject({ code: 5, stderr: expect.stringContaining('Did you mean admin-role?') });
  });

  it('prints, in CSV, the number of tasks that JSON lists for each role', async () => {
    const { data } = await admin.json<{ role_id: string; tasks: unknown[] }[]>('roles list');
    const rows = (await admin.run('roles list -o csv --fields role_id,tasks')).stdout.trim().split('\n').slice(1);
    expect(rows).toEqual(data.map(({ role_id, tasks }) => `${role_id},${tasks.length}`));
  });

  it('searches tasks regardless of letter case', async () => {
    const { data } = await admin.json<{ task_id: string }[]>('roles tasks --search STREAM');
    expect(data.map((task) => task.task_id)).toEqual(['live_stream:view']);
    expect(await admin.json('roles tasks --search nothing-like-it')).toMatchObject({ code: 0, data: [] });
  });

  it('warns about an unknown task offline, and rejects it with --online', async () => {
    admin.edit('roles.yaml', '- rules:view', '- rules:viewer');
    const offline = await admin.json<{ warnings: { line: number }[] }>('roles validate');
    expect(offline).toMatchObject({ code: 0, data: { valid: true } });
    expect(offline.data.warnings).toMatchObject([{ message: expect.stringContaining('did you mean rules:view') }]);
    const online = await admin.json('roles validate --online');
    expect(online).toMatchObject({ code: 9, error: { code: 'input.invalid', issues: [{ file: 'roles.yaml' }] } });
  });

  it('validates a file without a profile or a platform', async () => {
    expect((await admin.run('roles validate', { env: NO_PLATFORM })).code).toBe(0);
  });

  it('warns about redundant and duplicate tasks', async () => {
    admin.edit('roles.yaml', '- audiences:*', '- audiences:*\n      - audiences:view\n      - audiences:*');
    const { stderr, code } = await admin.run('roles validate');
    expect(code).toBe(0);
    expect(stderr).toMatch(/audiences:view is redundant: audiences:\* includes it/);
    expect(stderr).toMatch(/audiences:\* is listed twice/);
  });

  it('prints a diff as JSON with its plan and its created, modified, deleted and unchanged roles', async () => {
    const text = admin.read('roles.yaml');
    const support = text.slice(text.indexOf('  - role_id: support-role'), text.indexOf('  - role_id: user-role'));
    admin.write('roles.yaml', text.replace(support, '').replace('- live_stream:view', '- privacy:*'));
    const { data } = await admin.json<Record<string, unknown>>('roles diff');
    expect(Object.keys(data)).toEqual(['plan', 'base', 'created', 'modified', 'deleted', 'unchanged', 'summary']);
    expect(data).toMatchObject({
      base: { last_modified_by: 'fixtures@platform.example' },
      created: [],
      modified: [
        {
          role_id: 'admin-role',
          changes: { tasks: { added: ['privacy:*'], removed: ['live_stream:view'] } },
          escalations: ['privacy:*'],
        },
      ],
      deleted: [{ role_id: 'support-role' }],
      unchanged: ['audiences-only-role', 'read-only-role', 'user-role'],
      summary: { create: 0, modify: 1, delete: 1, unchanged: 3 },
    });
  });

  it('exits with 10 for differences only if --exit-code is set', async () => {
    expect((await admin.run('roles diff --exit-code')).code).toBe(0);
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
    expect((await admin.run('roles diff')).code).toBe(0);
    expect((await admin.run('roles diff --exit-code')).code).toBe(10);
  });

  it('prints the diff as Markdown for a pull request', async () => {
    admin.edit('roles.yaml', '- live_stream:view', '- privacy:*');
    const { stdout } = await admin.run('roles diff -o markdown');
    expect(stdout).toMatch(/^### Roles: 0 to create, 1 to modify/);
    expect(stdout).toContain('**Escalations:** `admin-role` gains `privacy:*`');
    expect(stdout).toContain('```diff\n~ modify admin-role');
  });

  it('does not count the core task as a difference', async () => {
    admin.write('roles.yaml', admin.read('roles.yaml').replaceAll('      - user:core\n', ''));
    expect((await admin.run('roles diff --exit-code')).code).toBe(0);
  });
});

describe('CSV for a spreadsheet', () => {
  const ID = '=cmd|x';
  const NAME = '@SUM(1+1)';
  let admin: RolesHome;
  beforeAll(async () => {
    const role = { role_id: ID, name: NAME, description: '-2+3', tasks: ['audiences:view'] };
    admin = await createRolesHome(undefined, { roles: [role] });
  });
  afterAll(() => admin.close());

  it.each([
    ['roles list', [ID, NAME, '-2+3']],
    ['roles matrix', [ID]],
    ['roles who-can audiences:view', [ID, NAME]],
    [`roles get ${ID}`, [ID, NAME, '-2+3']],
  ])('contains every value and no formula: %s', async (line, values) => {
    const { code, stdout } = await admin.run(`${line} -o csv`);
    expect(code).toBe(0);
    const cells = (parseCsv(stdout) as string[][]).flat();
    expect(cells.filter((cell) => /^[=+@-]/.test(cell))).toEqual([]);
    for (const value of values) expect(cells).toContain(`'${value}`);
  });
});
