// Temporary files of killed processes, which a write deletes after a minute.
import { host } from '../../src/lib/kernel/host.ts';

/** True for a dead process's temporary file whose name the cleanup recognizes. */
export function isSwept(path: string): boolean {
  const owner = /\.cdpadm-(\d+)-[a-z0-9]+\.tmp$/.exec(path)?.[1];
  return owner !== undefined && !host.isAlive(Number(owner));
}

/** True for a temporary file that no cleanup would delete. */
export function isStrayed(path: string): boolean {
  return path.includes('.tmp') && !isSwept(path);
}
