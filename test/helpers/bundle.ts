// Bundles a TypeScript entry point for a child process, because Node 20 cannot run TypeScript.
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { root } from './root.ts';

export interface Bundle {
  /** The bundled module, which every user may read. */
  file: string;
  remove(): void;
}

/**
 * Bundles an entry point (a path relative to the repository root) and all its imports into one module in a temporary
 * folder.
 */
export async function bundleEntry(entry: string): Promise<Bundle> {
  const build = await rolldown({
    cwd: root,
    input: entry,
    platform: 'node',
    external: ['node-sqlite3-wasm', '@napi-rs/keyring'],
    transform: { target: 'node20' },
  });
  const folder = mkdtempSync(join(tmpdir(), 'cdpadm-bundle-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  chmodSync(folder, 0o755);
  const file = join(folder, `${basename(entry, '.ts')}.mjs`);
  try {
    await build.write({ file, format: 'es', codeSplitting: false });
  } catch (error) {
    remove();
    throw error;
  } finally {
    await build.close();
  }
  return { file, remove };
}

/**
 * Runs an entry point in parallel processes, one for each list of arguments, and returns their outputs. Rejects if one
 * process fails.
 */
export async function runTogether(entry: string, lists: readonly (readonly string[])[]): Promise<string[]> {
  const bundle = await bundleEntry(entry);
  try {
    const run = promisify(execFile);
    const outputs = await Promise.all(lists.map((args) => run(process.execPath, [bundle.file, ...args])));
    return outputs.map(({ stdout }) => stdout);
  } finally {
    bundle.remove();
  }
}
