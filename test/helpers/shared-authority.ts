// One certificate authority for all embedded platforms of a run: an RSA key takes longer to make than most tests take.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Its folder. */
    authority: string;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'cdpadm-test-'));
  project.provide('authority', join(folder, 'authority'));
  return () => rmSync(folder, { recursive: true, force: true });
}
