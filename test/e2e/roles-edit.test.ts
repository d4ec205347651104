// `roles edit` with small programs as editors, which save what a user would type.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEAD_PID } from '../helpers/dead-process.ts';
import { opened } from '../helpers/opened.ts';
import { createRolesHome, type RolesHome } from '../helpers/roles-home.ts';

describe('roles edit', () => {
  let admin: RolesHome;
  beforeEach(async () => {
    admin = await createRolesHome();
  });
  afterEach(() => admin.close());

  /** Creates an editor that runs `body` with `path` and `text`; `opened` returns how often it has run. */
  function editor(body: string): { env: Record<string, string>; opened(): number; log: string } {
    admin.write(
      'editor.cjs',
      `
      const fs = require('fs'), path = process.argv.at(-1), log = __dirname + '/opened.log';
      const opened = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').split('\\n').length : 0;
      fs.appendFileSync(log, path + '\\n');
      let text = fs.readFileSync(path, 'utf8');
      ${body}
      fs.writeFileSync(path, text);`,
    );
    const script = join(admin.cwd, 'editor.cjs');
    const log = join(admin.cwd, 'opened.log');
    return {
      env: { CDPADM_EDITOR: `"${process.execPath}" "${script}"` },
      opened: () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n').length : 0),
      log,
    };
  }

  it('pushes the saved text', async () => {
    const { env } = editor(`text = text.replace('name: Support', 'name: Helpers');`);
    const result = await admin.json('roles edit --yes', { env });
    expect(result).toMatchObject({ code: 0, data: { applied: true, summary: { modify: 1 } } });
    expect((await admin.live()).get('support-role')?.name).toBe('Helpers');
  });

  it('opens a single role and does not change the others', async () => {
    const { env } = editor(`
      if (text.includes('admin-role')) process.exit(3);
      text = text.replace('- rules:*', '- rules:view');`);
    const before = await admin.live();
    expect((await admin.run('roles edit support-role --yes', { env })).code).toBe(0);
    const after = await admin.live();
    expect(after.get('support-role')?.tasks).toContainEqual({ task_id: 'rules:view' });
    expect(after.get('admin-role')).toEqual(before.get('admin-role'));
  });

  it.each(['role_id: admin-role', 'name: Admin'])('rejects a value that another role has: %s', async (taken) => {
    const { env } = editor(`text = text.replace(/${taken.split(':', 1)[0] ?? ''}: .*/, '${taken}');`);
    const result = await admin.run('roles edit support-role --allow-delete --yes', { env });
    expect(result).toMatchObject({ code: 9, stderr: expect.stringContaining('is already taken by admin-role') });
    expect(await admin.puts()).toBe(0);
  });

  it.each([
    ['unchanged text', ''],
    ['empty text', `text = '\\n# nothing\\n';`],
  ])('sends nothing for %s and deletes the file', async (_what, body) => {
    const { env, log } = editor(body);
    const result = await admin.run('roles edit --yes', { env });
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing was sent') });
    expect(await admin.puts()).toBe(0);
    expect(existsSync(readFileSync(log, 'utf8').trim())).toBe(false);
  });

  it('prints one JSON document with -o json, even if nothing was changed', async () => {
    const { env } = editor('');
    const result = await admin.json('roles edit --yes', { env });
    expect(result).toMatchObject({ code: 0, data: { applied: false, revision: null, summary: { modify: 0 } } });
  });

  it('keeps the text of a dry run for a later push', async () => {
    const { env, log } = editor(`text = text.replace('name: Support', 'name: Helpers');`);
    const result = await admin.run('roles edit --dry-run', { env });
    const path = readFileSync(log, 'utf8').trim();
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining(path) });
    expect(readFileSync(path, 'utf8')).toContain('name: Helpers');
    expect(await admin.puts()).toBe(0);
  });

  it('reopens invalid text on a terminal, with the errors and their lines', async () => {
    const { env, opened } = editor(`
      if (opened === 0) text = text.replace('role_id: support-role', 'role_id: ' + 'x'.repeat(65));
      else {
        const line = Number(/line (\\d+):/.exec(text)[1]);
        if (!text.split('\\n')[line - 1].includes('xxxx')) process.exit(4);
        text = text.replace('x'.repeat(65), 'support-role').replace('name: Support', 'name: Fixed');
      }`);
    const result = await admin.run('roles edit --yes', { env, tty: true });
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('65 characters');
    expect(opened()).toBe(2);
    expect((await admin.live()).get('support-role')?.name).toBe('Fixed');
  });

  it.each([
    ['immediately without a terminal', false, 1],
    ['on a terminal if it is saved again', true, 2],
  ])('rejects invalid text %s, and keeps it in a private file', async (_when, tty, times) => {
    // The editor drops the comments that contain the errors, as a script that rewrites the whole text does.
    const { env, opened, log } = editor(
      `text = text.replace(/^#!.*\\n/gm, '').replace('name: Support', 'nmae: Support');`,
    );
    const result = await admin.run('roles edit --yes', { env, tty });
    expect(result.code).toBe(9);
    expect(opened()).toBe(times);
    const [path = ''] = readFileSync(log, 'utf8').split('\n');
    expect(result.stderr).toContain(path);
    expect(readFileSync(path, 'utf8')).toContain('nmae: Support');
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(await admin.puts()).toBe(0);
  });

  it('keeps the text when the push is rejected', async () => {
    const { env, log } = editor(`text = text.slice(0, text.indexOf('  - role_id: support-role'));`);
    const result = await admin.run('roles edit --yes', { env });
    expect(result.code).toBe(12);
    const path = readFileSync(log, 'utf8').trim();
    expect(result.stderr).toContain(path);
    expect(existsSync(path)).toBe(true);
  });

  it('keeps the text when the editor fails', async () => {
    const { env, log } = editor(`text += '# work'; fs.writeFileSync(path, text); process.exit(1);`);
    const result = await admin.run('roles edit --yes', { env });
    expect(result.code).toBe(1);
    expect(readFileSync(readFileSync(log, 'utf8').trim(), 'utf8')).toContain('# work');
  });

  it.each([
    ['fails', { CDPADM_EDITOR: 'false' }, 'exited with code 1'],
    ['cannot be started', { CDPADM_EDITOR: '/no/such/editor' }, 'did not start'],
  ])('does not leave a file if the editor %s and the text is unchanged', async (_what, env, message) => {
    const result = await admin.run('roles edit --yes', { env: { ...env, TMPDIR: admin.cwd } });
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    expect(result.stderr).not.toContain('kept');
    expect(readdirSync(admin.cwd)).toEqual([]);
  });

  it('deletes the file that a killed edit left, unless it has unsaved changes', async () => {
    const leave = (name: string, files: Record<string, string>): string => {
      const folder = join(admin.cwd, `cdpadm-edit-${DEAD_PID}-${name}`);
      mkdirSync(folder);
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
      utimesSync(folder, 1, 1);
      return folder;
    };
    const [touched, unsaved, untouched, empty] = [
      leave('touchd', { '.original': 'a', 'roles.yaml': 'b' }),
      leave('unsavd', { '.original': 'a', 'roles.yaml': 'a', '.roles.yaml.swp': 'b' }),
      leave('untchd', { '.original': 'a', 'roles.yaml': 'a' }),
      leave('empty0', {}),
    ];
    const { env } = editor('');
    expect((await admin.run('roles edit --yes', { env: { ...env, TMPDIR: admin.cwd } })).code).toBe(0);
    expect([touched, unsaved, untouched, empty].map((folder) => existsSync(folder))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("merges an edit with another admin's concurrent changes", async () => {
    const other = await opened(createRolesHome(admin.platform));
    await other.run('roles pull');
    other.edit('roles.yaml', 'name: User', 'name: Person');
    // The editor waits for this file, so it stays open until the other admin has pushed.
    const flag = join(admin.cwd, 'pushed');
    const { env } = editor(`
      const wait = new Int32Array(new SharedArrayBuffer(4));
      for (let i = 0; i < 400 && !fs.existsSync(${JSON.stringify(flag)}); i++) Atomics.wait(wait, 0, 0, 25);
      text = text.replace('name: Support', 'name: Helpers');`);
    const editing = admin.run('roles edit --yes', { env });
    expect((await other.run('roles push --yes')).code).toBe(0);
    writeFileSync(flag, '');
    expect((await editing).code).toBe(0);
    const live = await admin.live();
    expect([live.get('support-role')?.name, live.get('user-role')?.name]).toEqual(['Helpers', 'Person']);
  });

  it('starts the editor without a shell', async () => {
    const marker = join(admin.cwd, 'hacked');
    const { env } = editor('');
    await admin.run('roles edit --yes', { env: { CDPADM_EDITOR: `${env.CDPADM_EDITOR ?? ''} ; touch ${marker}` } });
    expect(existsSync(marker)).toBe(false);
  });
});
