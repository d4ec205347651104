// Command lines in hints mean the platform that the command itself meant: what its flags said of it is said again.
import { shellWord } from '../../kernel/shell-word.ts';
import type { GlobalFlags } from '../context.ts';

type Place = Pick<GlobalFlags, 'profile' | 'org' | 'account' | 'workspace' | 'caFile'>;

/** The commands that ask a platform, or tell of the settings in use. */
const ASKING =
  'roles|groups|warehouse|connections|data-models|pipelines|seed|intake|dsr|api|doctor|auth (?:login|logout|test)|profile show';

/** One in back-ticks, or one that the line ends with: so they stand in our texts. */
const COMMAND = new RegExp(
  `(?<=\`)cdpadm (?:${ASKING})\\b[^\`\\n]*(?=\`)|cdpadm (?:${ASKING})\\b[^\`\\n]*?(?=\\.?$)`,
  'gm',
);

/**
 * Adds to the command lines of a text the flags that say where to, as far as they were given and do not stand there. One
 * that names its profile means that profile's own place, and stays.
 */
export function inSamePlace(text: string, { profile, org, account, workspace, caFile }: Place): string {
  const given = Object.entries({
    '--profile': profile,
    '--org': org,
    '--account': account,
    '--workspace': workspace,
    '--ca-file': caFile,
  });
  return text.replace(COMMAND, (command) => {
    // A sentence that goes on behind the command is none of its words.
    if (/[,;:)] | --profile /.test(command)) return command;
    const missing = given.flatMap(([flag, value]) =>
      value === undefined || command.includes(` ${flag} `) ? [] : [flag, shellWord(value)],
    );
    return [command, ...missing].join(' ');
  });
}
