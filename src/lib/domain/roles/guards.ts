// The guards before a PUT: each dangerous kind of change needs its own flag, in dry runs too.
import { counted } from '../../kernel/words.ts';
import { escalationsOf } from './diff.ts';
import type { PlannedPush } from './plan.ts';

export interface GuardFlags {
  allowDelete: boolean;
  force: boolean;
  allowEmpty: boolean;
  failOnEscalation: boolean;
}

export interface GuardRefusal {
  guard: 'delete' | 'empty' | 'threshold' | 'escalation';
  /** The flag that lifts the guard; absent for `--fail-on`, which sets it. */
  flag?: string;
  message: string;
  /** The text that a user on a terminal may type instead of passing the flag. */
  typed?: string;
}

/** With this many live roles or more, changing more than the share below at once is suspicious. */
const THRESHOLD_ROLES = 10;
const THRESHOLD_PERCENT = 30;

/** Every guard that stops this push, so that one run reports them all. */
export function guardPush({ plan, live, request }: PlannedPush, flags: GuardFlags): GuardRefusal[] {
  const refusals: GuardRefusal[] = [];
  const { modify, delete: deletions } = plan.summary;
  if (deletions > 0 && !flags.allowDelete) {
    refusals.push({
      guard: 'delete',
      flag: '--allow-delete',
      message: `${counted(deletions, 'role')} would be deleted for the whole organization: ${plan.deleted
        .map((role) => role.role_id)
        .join(', ')}`,
      typed: String(deletions),
    });
  }
  if (request.roles.length === 0 && live.roles.length > 0 && !flags.allowEmpty) {
    refusals.push({ guard: 'empty', flag: '--allow-empty', message: 'the manifest would have no roles left' });
  }
  const touched = modify + deletions;
  if (live.roles.length >= THRESHOLD_ROLES && touched * 100 > live.roles.length * THRESHOLD_PERCENT && !flags.force) {
    refusals.push({
      guard: 'threshold',
      flag: '--force',
      message: `${touched} of ${live.roles.length} roles would be changed or deleted, more than ${THRESHOLD_PERCENT} %`,
    });
  }
  const escalations = escalationsOf(plan);
  if (flags.failOnEscalation && escalations.length > 0) {
    refusals.push({
      guard: 'escalation',
      message: `permissions would be escalated: ${escalations.map((item) => `${item.role_id} gains ${item.task_id}`).join(', ')}`,
    });
  }
  return refusals;
}
