// Private temporary folders with unpredictable names. Folders of killed processes are removed later.
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from './clock.ts';
import { host } from './host.ts';

/** The purpose, which is a part of the name. */
export type ScratchKind = 'edit' | 'input' | 'mcp' | 'tour' | 'warehouse';

export interface ScratchOptions {
  /** The parent folder; default the system's temporary folder. */
  root?: string | undefined;
  /** True when the folder of an ended process may be removed; default always. */
  isSpent?: (folder: string) => boolean;
}

/** An unknown process may run in another container that shares the folder. */
const LEFT_BEHIND_MS = 60 * 60_000;

/**
 * Creates an empty folder (0700) with an unpredictable name. The caller removes it. Removes older folders of this kind and
 * user whose process ended more than an hour ago.
 */
export function makeScratchFolder(kind: ScratchKind, options: ScratchOptions = {}): string {
  const { root = tmpdir(), isSpent = () => true } = options;
  sweep(root, kind, isSpent);
  return mkdtempSync(join(root, `cdpadm-${kind}-${host.pid}-`));
}

/** Ignores errors: a later call may succeed. */
function sweep(root: string, kind: ScratchKind, isSpent: (folder: string) => boolean): void {
  const pattern = new RegExp(`^cdpadm-${kind}-(\\d+)-[A-Za-z0-9]{6}$`);
  try {
    for (const name of readdirSync(root)) {
      const pid = pattern.exec(name)?.[1];
      if (pid === undefined || host.isAlive(Number(pid))) continue;
      const folder = join(root, name);
      const stat = lstatSync(folder, { throwIfNoEntry: false });
      const uid = host.uid();
      if (!stat?.isDirectory() || (uid !== undefined && stat.uid !== uid)) continue;
      if (systemClock.now() - stat.mtimeMs < LEFT_BEHIND_MS || !isSpent(folder)) continue;
      rmSync(folder, { recursive: true, force: true });
    }
  } catch {
    // A later call may succeed.
  }
}
