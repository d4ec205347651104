// A command in a hint must apply to the same platform as the running command, so it gets the same target flags.
import type { Hint } from '../../kernel/errors.ts';
import { shellWord } from '../../kernel/words.ts';
import { PROGRAM } from '../../kernel/version.ts';

type TargetFlags = Partial<Record<'profile' | 'org' | 'account' | 'workspace' | 'caFile', string | undefined>>;

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
  account,
  caFile,
  org,
  profile,
  workspace,
}: TargetFlags): [flag: string, value: string][] {
  const flags = {
    '--profile': profile,
    '--org': org,
    '--account': account,
    '--workspace': workspace,
    '--ca-file': caFile,
  };
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [[flag, value]]));
}
