// Completes commands in hints: they get the running command's target flags, so that they apply to the same platform.
import type { Hint } from '../../kernel/errors.ts';
import { shellWord } from '../../kernel/words.ts';
import { PROGRAM } from '../../kernel/version.ts';

/** Global flags field -> flag, in command-line order. */
const TARGET_FLAGS = {
  profile: '--profile',
  org: '--org',
  account: '--account',
  workspace: '--workspace',
  caFile: '--ca-file',
};
export type TargetFlags = Partial<Record<keyof typeof TARGET_FLAGS, string | undefined>>;

/** Adds the target flags to a hint's command. `asking`: first words of commands that accept them (`auth test`). */
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

export function targetFlags(flags: TargetFlags): [flag: string, value: string][] {
  return Object.entries(TARGET_FLAGS).flatMap(([key, flag]): [string, string][] => {
    const value = flags[key as keyof TargetFlags];
    return value === undefined ? [] : [[flag, value]];
  });
}
