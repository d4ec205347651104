// Bundles a TypeScript entry for a child process, since Node 20 cannot run one as it is.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Bundle {
  /** The module to give to `process.execPath`. Every user may read it. */
  file: string;
  remove(): void;
}

/** Bundles an entry, named from the repository's root, with all it imports into one module in a temporary folder. */
export async function bundleEntry(entry: string): Promise<Bundle> {
  const build = await rolldown({
    cwd: ROOT,
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
