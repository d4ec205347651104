// The program's name, its version from package.json, and the commit that it was built from.
import packageJson from '../../../package.json' with { type: 'json' };

export const PROGRAM = 'cdpadm';
export const VERSION: string = packageJson.version;

declare const BUILT_FROM: { commit: string; date: string } | undefined;

/** The commit, with `-dirty` if files had uncommitted changes, and the commit's time in UTC. */
export const SOURCE =
  typeof BUILT_FROM === 'undefined' || BUILT_FROM.commit === '' ? { commit: 'unknown', date: 'unknown' } : BUILT_FROM;
