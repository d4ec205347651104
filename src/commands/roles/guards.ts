// The guard flags, the same on every command that replaces the manifest.
import type { GuardFlags } from '../../lib/domain/roles/guards.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import type { FlagSpec, FlagValues } from '../../lib/runtime/command-line/define-command.ts';

export const guardFlags = {
  allowDelete: { help: 'allow roles to be deleted for the whole organization' },
  force: { help: 'allow more than 30 % of 10 or more roles to be changed or deleted' },
  allowEmpty: { help: 'allow a manifest without any role (besides the other two)' },
  failOn: { value: 'what', choices: ['escalation'], help: 'refuse (12) a plan that gives such permissions' },
  expectPlan: { value: 'hex', read: planOf, help: 'apply only the plan that `roles diff` printed' },
} as const satisfies Record<string, FlagSpec>;

export type RawGuardFlags = FlagValues<typeof guardFlags>;

/** An empty variable of a script must not read as a plan that has changed meanwhile. */
function planOf(value: string): string {
  if (/^[0-9a-f]{32}$/i.test(value)) return value;
  throw usageError(`--expect-plan takes the 32 hexadecimal digits of a plan, not \`${value}\`.`, {
    text: 'To print the plan:',
    command: 'cdpadm roles diff',
  });
}

export function readGuards(raw: RawGuardFlags): GuardFlags {
  return {
    allowDelete: raw.allowDelete === true,
    force: raw.force === true,
    allowEmpty: raw.allowEmpty === true,
    failOnEscalation: raw.failOn === 'escalation',
  };
}
