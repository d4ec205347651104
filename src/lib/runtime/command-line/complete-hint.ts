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
export function hintCompleter(asking: readonly string[], flags: TargetFlags): (hint: Hint) => Hint {
  const given = targetFlags(flags);
  return (hint) => {
    const command = `${hint.command ?? ''} `;
    const takesTarget = asking.some((words) => command.startsWith(`${PROGRAM} ${words} `));
    if (!takesTarget || command.includes(' --profile ')) return hint;
    const missing = given.filter(([flag]) => !command.includes(` ${flag} `)).flat();
    return { ...hint, command: [command.trimEnd(), ...missing.map(shellWord)].join(' ') };
  };
}

/** The given flags that say where a command is sent, with their values. */
export function targetFlags({
  profile,
  org,
  account,
  workspace,
  caFile,
}: TargetFlags): [flag: string, value: string][] {
  const given = [
    ['--profile', profile],
    ['--org', org],
    ['--account', account],
    ['--workspace', workspace],
    ['--ca-file', caFile],
  ] as const;
  return given.flatMap(([flag, value]): [string, string][] => (value === undefined ? [] : [[flag, value]]));
}
