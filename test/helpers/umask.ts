// Sets the umask, which the whole process shares.
import { onTestFinished } from 'vitest';

/** Sets the umask until the running test ends. */
export function setUmask(mask: number): void {
  const before = process.umask(mask);
  onTestFinished(() => void process.umask(before));
}
