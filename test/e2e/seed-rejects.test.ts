// Writes rejected rows to a disk that fills up.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundleEntry } from '../helpers/bundle.ts';
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
