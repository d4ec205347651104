// Temporary files that a killed process left behind: the next write sweeps them, a minute later.
import { host } from '../../src/lib/kernel/host.ts';

/** Whether it is a temporary file that no sweep would know for one of a process that is no more. */
export function isStrayed(path: string): boolean {
  const owner = /\.cdpadm-(\d+)-[a-z0-9]+\.tmp$/.exec(path)?.[1];
  return path.includes('.tmp') && (owner === undefined || host.isAlive(Number(owner)));
}
