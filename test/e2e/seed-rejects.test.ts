// Bulk runs at the limits of the system: a disk that fills up, and more inputs than files that may be open.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundleEntry } from '../helpers/bundle.ts';
import { createCliHome } from '../helpers/cli.ts';
import { PROGRAM } from '../helpers/root.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

describe('a run that rejects rows', () => {
  it('reports a partial write to a full disk, and counts only the earlier rows as written', async () => {
    const path = join(temporaryFolder(), 'r.ndjson');
    const child = await bundleEntry('test/e2e/children/reject-rows.ts');
    try {
      // Two blocks of 512 or 1024 bytes: only part of the second batch fits.
      const limited = ['-c', 'ulimit -f 2; exec "$@"', 'sh', process.execPath, child.file, path];
      const { stdout } = spawnSync('/bin/sh', limited, { encoding: 'utf8' });
      const { before, after, code } = JSON.parse(stdout) as { before: number; after: number; code: string };
      expect(code).toBe('files.write');
      expect(before).toBeGreaterThan(0);
      expect(after).toBe(before);
    } finally {
      child.remove();
    }
  });
});

describe('a run with more inputs than files that may be open', () => {
  it.skipIf(process.platform === 'win32')('reaches the platform', () => {
    const { cwd, env, remove } = createCliHome();
    mkdirSync(join(cwd, 'parts'));
    const row = '{"environment":"production","xpid":1,"calculated_attributes":{}}\n';
    for (let part = 0; part < 300; part++) writeFileSync(join(cwd, 'parts', `${part}.ndjson`), row);
    const line = [process.execPath, PROGRAM, 'seed', 'bulk', 'parts', '--yes', '--give-up-after', '0'];
    const { status, stderr } = spawnSync('/bin/sh', ['-c', 'ulimit -n 64; exec "$@"', 'sh', ...line], {
      cwd,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        ...env,
        CDPADM_SEEDING_URL: 'http://127.0.0.1:1',
        CDPADM_WORKSPACE_KEY: 'key',
        CDPADM_WORKSPACE_SECRET: 'a-secret-of-the-workspace',
        CDPADM_WORKSPACE_ID: '5001',
      },
    });
    remove();
    // Nothing listens on the port.
    expect(status, stderr).toBe(8);
  });
});
