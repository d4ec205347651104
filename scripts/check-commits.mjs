// Checks commit subjects: `node scripts/check-commits.mjs [RANGE]`. The default range is `origin/main..HEAD`.
import { execFileSync } from 'node:child_process';

const TYPES = ['build', 'chore', 'ci', 'docs', 'feat', 'fix', 'perf', 'refactor', 'revert', 'style', 'test'];
const SUBJECT = new RegExp(`^(?:${TYPES.join('|')})(?:\\([a-z0-9-]+(?:,[a-z0-9-]+)*\\))?!?: [^A-Z\\s].*[^.\\s]$`);

/**
 * Returns the reasons why a subject is not allowed. If it is allowed, the list is empty.
 * @param {string} subject
 */
export function faultsOf(subject) {
  return [
    !SUBJECT.test(subject) && `is not "type(scope): subject", with a type of ${TYPES.join(', ')}, and no full stop`,
    subject.length > 72 && `has ${subject.length} characters; 72 are allowed`,
  ].filter(Boolean);
}

if (process.argv[1] === import.meta.filename) {
  const range = process.argv[2] ?? 'origin/main..HEAD';
  const log = execFileSync('git', ['log', '--no-merges', '--format=%h %s', range], { encoding: 'utf8' });
  const faults = log
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => faultsOf(line.slice(line.indexOf(' ') + 1)).map((fault) => `${line}\n  ${fault}\n`));
  process.stderr.write(faults.join(''));
  if (faults.length > 0) process.exitCode = 1;
}
