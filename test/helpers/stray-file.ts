// Temporary files that a killed process left behind: the next write sweeps them, a minute later.
import { host } from '../../src/lib/kernel/host.ts';

/** True for a temporary file of a dead process in a form that the cleanup deletes. */
export function isSwept(path: string): boolean {
  const owner = /\.cdpadm-(\d+)-[a-z0-9]+\.tmp$/.exec(path)?.[1];
  return owner !== undefined && !host.isAlive(Number(owner));
}

/** True for a temporary file that no cleanup would delete. */
export function isStrayed(path: string): boolean {
  return path.includes('.tmp') && !isSwept(path);
}
