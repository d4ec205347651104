// Kills a push while it holds the write lock: the next push, with more changes, is not blocked.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environmentOf } from '../../src/lib/runtime/emulator/environment.ts';
import { createRolesHome, type RolesHome } from '../helpers/roles-home.ts';
import { PROGRAM } from '../helpers/root.ts';

function push(admin: RolesHome) {
  const folders = ['config', 'state', 'cache', 'data'].map((kind) => [
    `CDPADM_${kind.toUpperCase()}_DIR`,
    join(admin.folder, kind),
  ]);
  const child = spawn(process.execPath, [PROGRAM, 'roles', 'push', '--yes'], {
    cwd: admin.cwd,
    env: {
      PATH: process.env.PATH,
      HOME: admin.folder,
      ...Object.fromEntries(folders),
      ...environmentOf(admin.platform.ready),
    } as Record<string, string>,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, stderr }));
  });
  return { child, ended };
}

const locks = (admin: RolesHome): string[] =>
  readdirSync(join(admin.folder, 'state'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('write.lock'),
  );

test('pushes after an earlier push was killed while it held the lock', async () => {
  const admin = await createRolesHome();
  try {
    await admin.run('roles pull');
    admin.edit('roles.yaml', 'name: Support', 'name: Helpers');
    // The response is slow enough that the process is still running when it is killed.
    const { api } = admin.platform;
    await api.addFault({ method: 'PUT', delay: '20s', times: 1 });
    const first = push(admin);
    while (locks(admin).length === 0 && first.child.exitCode === null)
      await new Promise((resolve) => setImmediate(resolve));
    first.child.kill('SIGKILL');
    expect((await first.ended).code).toBeNull();
    expect(locks(admin)).toHaveLength(1);
    // The push may have been killed before its PUT; the delay must not affect the next push.
    await api.clearFaults();
    admin.edit('roles.yaml', 'name: Helpers', 'name: Friends');
    const { code, stderr } = await push(admin).ended;
    expect(code, stderr).toBe(0);
    expect((await admin.live()).get('support-role')?.name).toBe('Friends');
    expect(locks(admin)).toEqual([]);
  } finally {
    await admin.close();
  }
});
