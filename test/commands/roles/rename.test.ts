// Renaming a role id sends one upload, which deletes the old role and creates the new one.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRolesHome, type RolesHome } from '../../helpers/roles-home.ts';

let admin: RolesHome;
beforeEach(async () => {
  admin = await createRolesHome();
});
afterEach(() => admin.close());

it('renames a role in one upload and keeps its other fields', async () => {
  const before = await admin.live();
  const { code, data } = await admin.json('roles rename audiences-only-role audience-editor --allow-delete --yes');
  expect({ code, data }).toMatchObject({ code: 0, data: { applied: true, summary: { create: 1, delete: 1 } } });
  expect(await admin.puts()).toBe(1);
  const after = await admin.live();
  expect(after.has('audiences-only-role')).toBe(false);
  expect(after.get('audience-editor')).toEqual({ ...before.get('audiences-only-role'), role_id: 'audience-editor' });
  expect(after.get('admin-role')).toEqual(before.get('admin-role'));
});

it('rolls back a rename', async () => {
  const before = await admin.live();
  const { data } = await admin.json<{ revision: string }>(
    'roles rename audiences-only-role audience-editor --allow-delete --yes',
  );
  expect((await admin.run(`roles rollback ${data.revision} --allow-delete --yes`)).code).toBe(0);
  expect(await admin.live()).toEqual(before);
});

it.each([
  ['a rename without --allow-delete', 'roles rename audiences-only-role audience-editor --yes', 12, /--allow-delete/],
  [
    'an unknown role',
    'roles rename audiences-only-rol x --allow-delete --yes',
    5,
    /Did you mean audiences-only-role\?/,
  ],
  ['an existing id', 'roles rename audiences-only-role user-role --allow-delete --yes', 6, /roles get user-role/],
  ['an empty id', ['roles', 'rename', 'audiences-only-role', '', '--allow-delete', '--yes'], 9, /is empty/],
])('rejects %s and sends nothing', async (_what, line, code, message) => {
  expect(await admin.run(line)).toMatchObject({ code, stderr: expect.stringMatching(message) });
  expect(await admin.puts()).toBe(0);
});

it('sends nothing if the new id of a role equals the old one', async () => {
  expect(await admin.run('roles rename audiences-only-role audiences-only-role --yes')).toMatchObject({ code: 0 });
  expect(await admin.puts()).toBe(0);
});

it('does not rename a role that is assigned to a user', async () => {
  const before = await admin.live();
  const { code, stderr } = await admin.run('roles rename support-role desk-role --allow-delete --force --yes');
  expect([code, stderr]).toEqual([6, expect.stringContaining('support-role')]);
  expect(await admin.live()).toEqual(before);
});
