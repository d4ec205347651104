// `roles history` and `roles rollback`: every replaced manifest can be restored.
import { copyFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRolesHome, type RolesHome } from '../../helpers/roles-home.ts';

interface Item {
  revision: string;
  reason: string;
  roles: number;
}

describe('roles history', () => {
  let admin: RolesHome;
  beforeEach(async () => {
    admin = await createRolesHome();
    await admin.run('roles pull');
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
    admin.write('roles.yaml', `${admin.read('roles.yaml')}  - {role_id: new, name: New, description: d, tasks: []}\n`);
  });
  afterEach(() => admin.close());

  it('is empty before the first write', async () => {
    expect(await admin.json('roles history')).toMatchObject({ code: 0, data: [] });
    const { code, stderr } = await admin.run('roles rollback --last --yes');
    expect([code, stderr]).toEqual([5, expect.stringContaining('This machine has not written to this organization')]);
  });

  it("prints times in the platform's format on a terminal, and as RFC 3339 in CSV", async () => {
    await admin.run('roles push --yes');
    const { stdout } = await admin.run('roles history', { tty: true, columns: 200 });
    expect(stdout).toMatch(/ \d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} /);
    expect(stdout).not.toMatch(/\d{4}-\d{2}-\d{2}T/);
    expect((await admin.run('roles history -o csv')).stdout).toMatch(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/);
  });

  it('prints the number and size of saved manifests, and the command that removes them', async () => {
    await admin.run('roles push --yes');
    const note = /1 saved manifest \(\d+ KiB\). To remove old ones: cdpadm roles history prune --before DATE/;
    expect((await admin.run('roles history')).stderr).toMatch(note);
    expect((await admin.run('roles history -q')).stderr).toBe('');
  });

  it('removes old manifests but never the newest, and prints its progress', async () => {
    await admin.run('roles push --yes');
    const [file = ''] = readdirSync(join(admin.folder, 'state', 'roles'), { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.includes('history') && path.endsWith('.json'),
    );
    const path = join(admin.folder, 'state', 'roles', file);
    for (let day = 1; day <= 40; day++) {
      copyFileSync(path, join(dirname(path), `202001${String(day).padStart(2, '0')}T080000123Z-00000${day % 10}.json`));
    }
    const pruned = await admin.run('roles history prune --before 2100-01-01 --yes --progress json -o json');
    expect(JSON.parse(pruned.stdout)).toMatchObject({ revisions: 40 });
    expect(pruned.stderr).toContain('"title":"Removing saved manifests"');
    expect(pruned.stderr).toContain('"done":40,"total":40');
    expect(readdirSync(dirname(path))).toEqual([basename(path)]);
  });

  it('saves each manifest with mode 600 before it is replaced, and restores it', async () => {
    const before = await admin.live();
    await admin.run('roles push --yes');
    const { data } = await admin.json<Item[]>('roles history');
    expect(data).toMatchObject([{ reason: 'push', roles: 5 }]);
    const [saved] = readdirSync(join(admin.folder, 'state', 'roles'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.includes('history/'),
    );
    expect(statSync(join(admin.folder, 'state', 'roles', saved ?? '')).mode & 0o777).toBe(0o600);

    const revision = data[0]?.revision ?? '';
    const guarded = await admin.run(`roles rollback ${revision} --yes`);
    expect(guarded).toMatchObject({ code: 12, stderr: expect.stringContaining('new') });
    const done = await admin.run(`roles rollback ${revision} --yes --allow-delete`);
    expect(done.code).toBe(0);
    expect(await admin.live()).toEqual(before);
    expect((await admin.json<Item[]>('roles history')).data.map((item) => item.reason)).toEqual(['rollback', 'push']);
  });

  it('lists the revision that undoes a rollback, and accepts a prefix of its name', async () => {
    await admin.run('roles push --yes');
    const after = await admin.live();
    const first = (await admin.json<Item[]>('roles history')).data[0]?.revision ?? '';
    await admin.run(`roles rollback ${first} --yes --allow-delete`);
    const second = (await admin.json<Item[]>('roles history')).data[0]?.revision ?? '';
    expect((await admin.run(`roles rollback ${second.slice(0, -2)} --yes`)).code).toBe(0);
    expect(await admin.live()).toEqual(after);
  });

  it.each(['--dry-run', '--yes'])('warns that a rollback also undoes later changes: %s', async (flag) => {
    const rename = (id: string) => admin.run(`roles update ${id} --name ${id}-2 --yes`);
    for (const id of ['user-role', 'support-role', 'admin-role']) await rename(id);
    const { data } = await admin.json<Item[]>('roles history');
    const [last, , first] = data.map(({ revision }) => revision);
    const warned = await admin.run(`roles rollback ${first ?? ''} --force ${flag} -o json`);
    const warning = 'This also undoes later changes: ';
    expect(warned).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) });
    expect(warned.stdout).toMatch(
      /This also undoes later changes: (?:admin-role, support-role|support-role, admin-role)\./,
    );
    if (flag === '--yes') return;
    expect((await admin.run(`roles rollback ${last ?? ''} --force ${flag}`)).stderr).not.toContain('also undoes');
  });

  it('warns that the rollback of the newest revision also undoes what another admin changed later', async () => {
    await admin.run('roles update user-role --name Users --yes');
    const elsewhere = { CDPADM_STATE_DIR: join(admin.folder, 'other-state') };
    await admin.run('roles update support-role --name Helpers --yes', { env: elsewhere });
    const { stderr } = await admin.run('roles rollback --last --dry-run');
    expect(stderr).toContain('Warning: This also undoes later changes: support-role.\n');
    await admin.run('roles update support-role --name Support --yes', { env: elsewhere });
    expect((await admin.run('roles rollback --last --dry-run')).stderr).not.toContain('also undoes');
  });

  it('reports a damaged revision file', async () => {
    await admin.run('roles push --yes');
    const { data } = await admin.json<Item[]>('roles history');
    const name = `${data[0]?.revision ?? ''}.json`;
    const state = join(admin.folder, 'state', 'roles');
    const found = readdirSync(state, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith(name));
    writeFileSync(join(state, found ?? ''), '{');
    const result = await admin.run('roles rollback --last --yes');
    expect(result).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/^Error: The file of revision .* is damaged/m),
    });
    const { stderr } = await admin.run('roles history');
    expect(stderr).toContain(`Warning: Not listed, because their files are damaged: ${data[0]?.revision ?? ''}.\n`);
    expect(stderr).not.toContain('This machine has not written');
  });

  it.each([
    ['nonsense', 5, /Unknown revision/],
    ['2', 2, /2 revisions begin with `2`\. Pass more characters\./],
  ])('reports an unknown or ambiguous revision: %s', async (name, code, message) => {
    await admin.run('roles push --yes');
    admin.edit('roles.yaml', 'name: Helpers', 'name: Others');
    await admin.run('roles push --yes');
    const result = await admin.run(`roles rollback ${name} --yes`);
    expect(result).toMatchObject({ code, stderr: expect.stringMatching(message) });
  });
});
