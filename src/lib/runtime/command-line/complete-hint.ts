// Adds the running command's target flags to the commands in hints, so that those use the same platform.
import type { Hint } from '../../kernel/errors.ts';
import { shellWord } from '../../kernel/words.ts';
import { PROGRAM } from '../../kernel/version.ts';

/** Flags by `GlobalFlags` field, in command-line order. */
const TARGET_FLAGS = {
  profile: '--profile',
  org: '--org',
  account: '--account',
  workspace: '--workspace',
  caFile: '--ca-file',
};
export type TargetFlags = Partial<Record<keyof typeof TARGET_FLAGS, string | undefined>>;

/** `asking` lists the commands that accept target flags, by their first words (`auth test`). */
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
