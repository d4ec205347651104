// Ten processes of one user change one organization: one token, no lost update, and one backup per write.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { createRolesHome, type RolesHome } from '../helpers/roles-home.ts';
import { PROGRAM } from '../helpers/root.ts';

const MANY = 10;

function push(admin: RolesHome, folder: string): Promise<{ code: number | null; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, 'roles', 'push', '--yes', '--force'], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: admin.folder,
        ...Object.fromEntries(
          ['config', 'state', 'cache', 'data'].map((kind) => [
            `CDPADM_${kind.toUpperCase()}_DIR`,
            join(admin.folder, kind),
          ]),
        ),
        ...environmentOf(admin.platform.ready),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('close', (code) => resolve({ code, stderr }));
  });
}

test('keeps the edits of every successful push if ten run simultaneously, with one token request', async () => {
  const admin = await createRolesHome();
  try {
    await admin.run('roles pull');
    const pulled = readFileSync(join(admin.cwd, 'roles.yaml'), 'utf8');
    const folders = Array.from({ length: MANY }, (_, index) => {
      const folder = join(admin.cwd, `admin-${index}`);
      mkdirSync(folder);
      const role = `  - role_id: role-${index}\n    name: Role ${index}\n    description: d\n    tasks: [audiences:view]\n`;
      writeFileSync(join(folder, 'roles.yaml'), pulled + role);
      return folder;
    });
    const ended = await Promise.all(folders.map((folder) => push(admin, folder)));
    // A push that is overtaken several times may give up with an error (6), but no write is lost.
    expect(ended.filter(({ code }) => code !== 0 && code !== 6)).toEqual([]);
    const done = ended.flatMap(({ code }, index) => (code === 0 ? [`role-${index}`] : []));
    const live = await admin.live();
    expect([...live.keys()].filter((id) => /^role-\d+$/.test(id)).sort()).toEqual(done.sort());
    expect(done.length).toBeGreaterThan(0);
    expect(await admin.puts()).toBe(done.length);
    const { data } = await admin.json<{ plan: string }[]>('roles history');
    expect(data.length).toBeGreaterThanOrEqual(done.length);
    const requests = await admin.platform.api.requests();
    expect(requests.filter(({ path }) => path.includes('/oauth/token'))).toHaveLength(1);
  } finally {
    await admin.close();
  }
});
