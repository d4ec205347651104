// An in-memory folder for temporary files, because most tests write files and the program waits for the disk on each
// write.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = '/dev/shm';
/** More bytes than a complete run's temporary files need. */
const LEAST_BYTES = 2 ** 31;

/** Returns the folder, or undefined if there is none, it is too small, or it does not allow executables. */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(FOLDER);
    if (bavail * bsize < LEAST_BYTES) return undefined;
    const probe = mkdtempSync(join(FOLDER, 'cdpadm-test-'));
    try {
      const script = join(probe, 'script.sh');
      writeFileSync(script, '#!/bin/sh\n');
      chmodSync(script, 0o700);
      return spawnSync(script).status === 0 ? FOLDER : undefined;
    } finally {
      rmSync(probe, { recursive: true });
    }
  } catch {
    return undefined;
  }
}
