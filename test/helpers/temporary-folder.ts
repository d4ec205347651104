// A folder for one test, gone when the test is over.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Makes an empty folder, 0700, and removes it with all it holds when the running test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cdpadm-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
