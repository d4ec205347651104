// The mask of new files, which is one for the whole process.
import { onTestFinished } from 'vitest';

/** Sets it until the running test is over. */
export function setUmask(mask: number): void {
  const before = process.umask(mask);
  onTestFinished(() => void process.umask(before));
}
