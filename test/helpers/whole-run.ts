// What a whole test run shares: the printed seed, and one certificate authority for all embedded platforms, because
// generating an RSA key takes longer than most tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    authority: string;
  }
}

export default function setup(project: TestProject): () => void {
  process.stdout.write(`seed ${process.env.SEED} (SEED=${process.env.SEED} draws the same values again)\n`);
  const folder = mkdtempSync(join(tmpdir(), 'cdpadm-test-'));
  project.provide('authority', join(folder, 'authority'));
  return () => rmSync(folder, { recursive: true, force: true });
}
