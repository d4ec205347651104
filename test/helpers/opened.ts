// Closes resources when their test is over, even if the test fails.
import { onTestFinished } from 'vitest';

/** Returns the opened resource, and closes it after the running test. Several resources are closed in reverse order. */
export async function opened<T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> {
  const open = await opening;
  onTestFinished(() => open.close());
  return open;
}
