// Reads the commit being built, its time in UTC and its author. In a source folder without git, all three are empty.
import { spawnSync } from 'node:child_process';

/**
 * @param {string} root
 * @returns {{commit: string, date: string, author: string}} `date` as `2026-01-31T12:00:00Z`, `author` as
 *   `Name <address>`; `commit` ends with `-dirty` if tracked files have changed
 */
export function commitOf(root) {
  /** @param {string[]} args */
  const git = (...args) => {
    const { error, stdout } = spawnSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC' },
    });
    return error ? '' : stdout.trim();
  };
  const date = git('log', '-1', '--date=format-local:%Y-%m-%dT%H:%M:%SZ', '--format=%cd');
  const author = git('log', '-1', '--format=%an <%ae>');
  return { commit: git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'), date, author };
}
