// The guard flags, the same on every command that replaces the manifest.
import { type Command, Option } from 'commander';
import type { GuardFlags } from '../../lib/domain/roles/guards.ts';

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
    .addOption(new Option('--fail-on <what>', 'refuse (12) a plan that gives such permissions').choices(['escalation']))
    .option('--expect-plan <hex>', 'apply only the plan that `roles diff` printed');
}

export function guardFlags(raw: RawGuardFlags): GuardFlags {
  return {
    allowDelete: raw.allowDelete === true,
    force: raw.force === true,
    allowEmpty: raw.allowEmpty === true,
    failOnEscalation: raw.failOn === 'escalation',
  };
}
