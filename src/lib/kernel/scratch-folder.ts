// Folders among the system's temporary files: private, unpredictable, and swept when their process was killed.
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from './clock.ts';
import { host } from './host.ts';

/** What it is for, which is a part of its name. */
export type ScratchKind = 'edit' | 'input' | 'tour' | 'warehouse';

export interface ScratchOptions {
  /** The folder that it is made in; default the system's for temporary files. */
  root?: string | undefined;
  /** Whether an older folder, whose process is gone, holds nothing that anybody needs; default all of them. */
  isSpent?: (folder: string) => boolean;
}

/** A process that is unknown here may be at work beyond the wall of a container that shares the folder. */
const LEFT_BEHIND_MS = 60 * 60_000;

/**
 * Makes an empty folder, 0700, that nobody else can foretell. Whoever makes it removes it. Spent ones of this kind and
 * user whose process has been gone for an hour are removed first.
 */
export function makeScratchFolder(kind: ScratchKind, options: ScratchOptions = {}): string {
  const { root = tmpdir(), isSpent = () => true } = options;
  sweep(root, kind, isSpent);
  return mkdtempSync(join(root, `cdpadm-${kind}-${host.pid}-`));
}

/** Never fails: what cannot be removed now may be later. */
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
    // see above
  }
}
