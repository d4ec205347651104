// Command lines in hints mean the platform that the command itself meant: what its flags said of it is said again.
import { shellWord } from '../../kernel/shell-word.ts';
import type { GlobalFlags } from '../context.ts';

type TargetFlags = Pick<GlobalFlags, 'profile' | 'org' | 'account' | 'workspace' | 'caFile'>;

/**
 * Makes what adds to the command lines of a text the flags that say where to, as far as they were given and do not stand
 * there. One that names its profile means that profile's own target, and stays. `asking`: how the lines begin that mean a
 * platform, or tell of the settings in use (`roles`, `auth test`); every one, if none is named.
 */
export function createSameTarget(
  asking: readonly string[],
  { profile, org, account, workspace, caFile }: TargetFlags,
): (text: string) => string {
  const given = Object.entries({
    '--profile': profile,
    '--org': org,
    '--account': account,
    '--workspace': workspace,
    '--ca-file': caFile,
  });
  const command = new RegExp(`cdpadm (?:${asking.join('|')})\\b`);
  const inSameTarget = (line: string): string => {
    // A sentence that continues after the command is not part of it.
    if (/[,;:)] | --profile /.test(line)) return line;
    const missing = given.flatMap(([flag, value]) =>
      value === undefined || line.includes(` ${flag} `) ? [] : [flag, shellWord(value)],
    );
    return [line, ...missing].join(' ');
  };
  return (text) => {
    // Our texts have a command line in back-ticks, or at the end of a line.
    const parts = text.split(/([`\n])/);
    return parts
      .map((part, index) => {
        const start = part.search(command);
        if (start < 0) return part;
        if (parts[index + 1] === '`') return start === 0 && parts[index - 1] === '`' ? inSameTarget(part) : part;
        const end = part.endsWith('.') ? part.length - 1 : part.length;
        return part.slice(0, start) + inSameTarget(part.slice(start, end)) + part.slice(end);
      })
      .join('');
  };
}
