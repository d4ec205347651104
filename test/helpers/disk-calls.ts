// Records file system calls in order, to check that data is synced before the next step relies on it.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

const WATCHED = ['openSync', 'writeFileSync', 'writeSync', 'fsyncSync', 'renameSync', 'linkSync', 'closeSync'] as const;

/**
 * Returns the file system calls that `work` makes: `write`, `sync`, `rename`, `link` or `sync folder`. Consecutive
 * calls of one kind count as one. The calls still take effect.
 */
export function diskCalls(work: () => Promise<void>): Promise<string[]>;
export function diskCalls(work: () => void): string[];
export function diskCalls(work: () => void | Promise<void>): string[] | Promise<string[]> {
  const calls: string[] = [];
  const folders = new Set<unknown>();
  const originals = Object.fromEntries(WATCHED.map((name) => [name, fs[name]]));
  const restore = (): void => {
    Object.assign(fs, originals);
    syncBuiltinESMExports();
  };
  onTestFinished(restore);
  for (const name of WATCHED) {
    const original = fs[name] as (...args: unknown[]) => unknown;
    const watched = (...args: unknown[]): unknown => {
      const result = original(...args);
      const call = wordFor(name, args[0]);
      if (call !== undefined && calls.at(-1) !== call) calls.push(call);
      if (name === 'openSync' && args[1] === 'r') folders.add(result);
      if (name === 'closeSync') folders.delete(args[0]);
      return result;
    };
    Object.assign(fs, { [name]: watched });
  }
  syncBuiltinESMExports();
  let running: void | Promise<void> = undefined;
  try {
    running = work();
  } finally {
    if (!running) restore();
  }
  return running ? running.finally(restore).then(() => calls) : calls;

  function wordFor(name: (typeof WATCHED)[number], of: unknown): string | undefined {
    if (name === 'fsyncSync') return folders.has(of) ? 'sync folder' : 'sync';
    return { writeFileSync: 'write', writeSync: 'write', renameSync: 'rename', linkSync: 'link' }[name as string];
  }
}
