// Paths behind `file:`, where no shell offers any: to it they are in the middle of a word.
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Candidate } from './complete.ts';

/** What `file:PATH`, typed so far, may go on with: a folder's path ends in a slash. `cwd` is where a relative one begins. */
export function filesBehind(typed: string, cwd: string): Candidate[] {
  const begun = typed.slice(0, typed.lastIndexOf('/') + 1) || 'file:';
  const isHidden = typed.slice(begun.length).startsWith('.');
  try {
    return readdirSync(resolve(cwd, begun.slice('file:'.length)), { withFileTypes: true })
      .filter(({ name }) => name.startsWith('.') === isHidden)
      .map((entry) => ({ value: `${begun}${entry.name}${entry.isDirectory() ? '/' : ''}` }))
      .sort((a, b) => (a.value < b.value ? -1 : 1));
  } catch {
    // What cannot be listed has nothing to offer.
    return [];
  }
}
