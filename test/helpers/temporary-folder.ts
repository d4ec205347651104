// A folder that is deleted after its test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates an empty folder with mode 0700 and deletes it with its contents after the running test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cdpadm-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
