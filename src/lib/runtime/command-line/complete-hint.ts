// A command in a hint means the platform that the running command meant: it gets the flags that say where to.
import type { Hint } from '../../kernel/errors.ts';
import { shellWord } from '../../kernel/words.ts';
import { PROGRAM } from '../../kernel/version.ts';
import type { GlobalFlags } from '../context.ts';

type TargetFlags = Pick<GlobalFlags, 'profile' | 'org' | 'account' | 'workspace' | 'caFile'>;

/**
 * Makes the function that adds the given target flags to the command of a hint. A command that names its profile means that
 * profile's own target and stays as it is. `asking`: how the commands begin that take a target (`roles`, `auth test`).
 */
export function hintCompleter(
  asking: readonly string[],
  { profile, org, account, workspace, caFile }: TargetFlags,
): (hint: Hint) => Hint {
  const given = Object.entries({
    '--profile': profile,
    '--org': org,
    '--account': account,
    '--workspace': workspace,
    '--ca-file': caFile,
  });
  return (hint) => {
    const command = `${hint.command ?? ''} `;
    const takesTarget = asking.some((words) => command.startsWith(`${PROGRAM} ${words} `));
    if (!takesTarget || command.includes(' --profile ')) return hint;
    const missing = given.flatMap(([flag, value]) =>
      value === undefined || command.includes(` ${flag} `) ? [] : [flag, shellWord(value)],
    );
    return { ...hint, command: [command.trimEnd(), ...missing].join(' ') };
  };
}
