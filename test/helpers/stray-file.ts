// Temporary files that a killed process left behind: the next write sweeps them, a minute later.
import { host } from '../../src/lib/kernel/host.ts';

/** Whether it is a temporary file of a process that is no more, in the form that the sweep knows: it hinders nobody. */
export function isSwept(path: string): boolean {
  const owner = /\.cdpadm-(\d+)-[a-z0-9]+\.tmp$/.exec(path)?.[1];
  return owner !== undefined && !host.isAlive(Number(owner));
}

/** Whether it is a temporary file that no sweep would take away. */
export function isStrayed(path: string): boolean {
  return path.includes('.tmp') && !isSwept(path);
}
