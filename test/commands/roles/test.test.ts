// `roles test`: exit codes, formats and positions, on the platform and offline.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRolesHome, NO_PLATFORM, type RolesHome } from '../../helpers/roles-home.ts';

const HOLDS = '- only: {task: "user_management:*", roles: [admin-role]}\n- each: {max_tasks: 30}\n';
const FAILS = `${HOLDS}- never:\n    role: admin-role\n    tasks: ["user_management:*"]\n`;

describe('roles test', () => {
  let admin: RolesHome;
  beforeEach(async () => {
    admin = await createRolesHome();
    admin.write('roles.test.yaml', HOLDS);
  });
  afterEach(() => admin.close());

  it('exits with 0 if every assertion passes, both against the platform and offline', async () => {
    const live = await admin.json('roles test');
    expect(live).toMatchObject({
      code: 0,
      data: [
        { result: 'pass', kind: 'only', violations: [], line: 1 },
        { result: 'pass', kind: 'each', assertion: 'each role has at most 30 tasks', line: 2 },
      ],
    });
    await admin.run('roles pull');
    const offline = await admin.json('roles test --file roles.yaml', { env: NO_PLATFORM });
    expect([offline.code, offline.data]).toEqual([0, live.data]);
  });

  it('reports a failed assertion in several formats, exits with 10, and prints an annotation at its line', async () => {
    admin.write('roles.test.yaml', FAILS);
    const { code, stdout, stderr } = await admin.run('roles test --annotations github');
    expect([code, stdout]).toEqual([10, expect.stringContaining('admin-role has user_management:*')]);
    expect(stderr).toContain('3 assertions, 1 failed.');
    expect(stderr).toMatch(/^::error file=roles\.test\.yaml,line=3,col=3::admin-role may never have user_management/m);
    expect((await admin.json('roles test')).data).toMatchObject([{}, {}, { result: 'fail', line: 3 }]);
    expect((await admin.run('roles test -o markdown')).stdout).toContain('| fail | admin-role may never');
    expect((await admin.run('roles test -o wide')).stdout).toContain('KIND');
  });

  it('reads assertions from JSON, from a map that contains the list, and from standard input', async () => {
    admin.write('policy.json', JSON.stringify({ $schema: 'x', assertions: [{ each: { max_tasks: 0 } }] }));
    expect((await admin.run('roles test policy.json')).code).toBe(10);
    expect((await admin.run('roles test -', { stdin: HOLDS })).code).toBe(0);
  });

  it.each<[string, string, string]>([
    ['an unknown role', '- never: {role: admin-rol, tasks: ["audiences:*"]}', '1:17: [0].never.role: unknown role admin-rol; did you mean admin-role?'],
    ['an unknown task', '- each: {max_tasks: 1}\n- only: {task: audience:view, roles: []}', '2:16: [1].only.task: unknown task audience:view; did you mean audiences:view?'],
    ['an unknown assertion', '- sometimes: {}', 'unknown field `sometimes`'],
    ['a missing field', '- only: {task: "audiences:*"}', 'roles'],
    ['a list that can never fail', '- never: {role: admin-role, tasks: []}', '1:36: [0].never.tasks: must name at least one task'],
    ['a negative limit', '- each: {max_tasks: -1}', 'max_tasks'],
    ['an empty assertion', '- {}', 'an assertion must contain `only`, `never` or `each`'],
    ['an empty list', '[]', 'has no assertion'],
    ['a document that is not a list', 'only: {}', 'must be a list of assertions'],
  ])('reports the position of %s and exits with 9', async (_what, text, message) => {
    admin.write('roles.test.yaml', text);
    const { code, stderr } = await admin.run('roles test');
    expect([code, stderr]).toEqual([9, expect.stringContaining(message)]);
    expect(stderr).toContain('roles.test.yaml:');
    expect(stderr).not.toContain('Nothing was sent');
  }); // prettier-ignore
});
