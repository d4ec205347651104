// A process that is no more.
import { spawnSync } from 'node:child_process';

/** An id that no process has any more. */
export function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}
