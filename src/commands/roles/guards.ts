// The guard flags, the same on every command that replaces the manifest.
import { type Command, Option } from 'commander';
import type { GuardFlags } from '../../lib/domain/roles/guards.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { choiceOption } from '../flag-values.ts';

export interface RawGuardFlags {
  allowDelete?: boolean;
  force?: boolean;
  allowEmpty?: boolean;
  failOn?: 'escalation';
  expectPlan?: string;
}

/** Adds `--allow-delete`, `--force`, `--allow-empty`, `--fail-on` and `--expect-plan`. */
export function withGuardFlags(command: Command): Command {
  return command
    .option('--allow-delete', 'allow roles to be deleted for the whole organization')
    .option('--force', 'allow more than 30 % of 10 or more roles to be changed or deleted')
    .option('--allow-empty', 'allow a manifest without any role (besides the other two)')
    .addOption(choiceOption('--fail-on <what>', 'refuse (12) a plan that gives such permissions', ['escalation']))
    .addOption(new Option('--expect-plan <hex>', 'apply only the plan that `roles diff` printed').argParser(planOf));
}

/** An empty variable of a script must not read as a plan that has changed meanwhile. */
function planOf(value: string): string {
  if (/^[0-9a-f]{32}$/i.test(value)) return value;
  throw usageError(
    `--expect-plan takes the 32 hexadecimal digits of a plan, not \`${value}\`.`,
    '`cdpadm roles diff` prints the plan on its last line.',
  );
}

export function guardFlags(raw: RawGuardFlags): GuardFlags {
  return {
    allowDelete: raw.allowDelete === true,
    force: raw.force === true,
    allowEmpty: raw.allowEmpty === true,
    failOnEscalation: raw.failOn === 'escalation',
  };
}
