// Command lines in hints mean the platform that the command itself meant: what its flags said of it is said again.
import { shellWord } from '../../kernel/shell-word.ts';
import type { GlobalFlags } from '../context.ts';

type Place = Pick<GlobalFlags, 'profile' | 'org' | 'account' | 'workspace' | 'caFile'>;

/**
 * Makes what adds to the command lines of a text the flags that say where to, as far as they were given and do not stand
 * there. One that names its profile means that profile's own place, and stays. `asking`: how the lines begin that mean a
 * platform, or tell of the settings in use (`roles`, `auth test`); every one, if none is named.
 */
export function createSamePlace(
  asking: readonly string[],
  { profile, org, account, workspace, caFile }: Place,
): (text: string) => string {
  const given = Object.entries({
    '--profile': profile,
    '--org': org,
    '--account': account,
    '--workspace': workspace,
    '--ca-file': caFile,
  });
  const command = `cdpadm (?:${asking.join('|')})\\b[^\`\\n]*`;
  // One in back-ticks, or one that the line ends with: so they stand in our texts.
  const commands = new RegExp(`(?<=\`)${command}(?=\`)|${command}?(?=\\.?$)`, 'gm');
  return (text) =>
    text.replace(commands, (line) => {
      // A sentence that goes on behind the command is none of its words.
      if (/[,;:)] | --profile /.test(line)) return line;
      const missing = given.flatMap(([flag, value]) =>
        value === undefined || line.includes(` ${flag} `) ? [] : [flag, shellWord(value)],
      );
      return [line, ...missing].join(' ');
    });
}
