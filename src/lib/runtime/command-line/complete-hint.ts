// A command in a hint must apply to the same platform as the running command, so it gets the same target flags.
import type { Hint } from '../../kernel/errors.ts';
import { shellWord } from '../../kernel/words.ts';
import { PROGRAM } from '../../kernel/version.ts';
import type { GlobalFlags } from '../context.ts';

type TargetFlags = Pick<GlobalFlags, 'profile' | 'org' | 'account' | 'workspace' | 'caFile'>;

/** Adds the target flags to a hint's command. `asking`: the first words of commands that take them (`auth test`). */
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
