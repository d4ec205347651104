// A TypeScript file of the tests as a program of its own, for what only several processes can show.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'rolldown';
import { onTestFinished } from 'vitest';

export interface Program {
  /** Runs it to its end and gives its standard output; rejects when it fails. */
  run(...args: string[]): Promise<string>;
}

/** Bundles `entry` (from the root of the repository) into a folder that goes away with the test. */
export async function bundleProgram(entry: string): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), 'cdpadm-program-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'program.cjs');
  await build({
    input: entry,
    platform: 'node',
    logLevel: 'silent',
    output: { file, format: 'cjs', codeSplitting: false },
  });
  return {
    run: async (...args) => (await promisify(execFile)(process.execPath, [file, ...args])).stdout,
  };
}
