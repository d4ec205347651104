// Closes what a test opens when the test is over, however it ends.
import { onTestFinished } from 'vitest';

/** Hands over what is being opened, to be closed after the running test: the last one first. */
export async function opened<T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> {
  const open = await opening;
  onTestFinished(() => open.close());
  return open;
}
