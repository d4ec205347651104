// Plans a push: turns wanted roles into a plan against the live manifest, without writing anything.
import { showPath } from '../contract/explain.ts';
import { isEmptyDiff } from '../domain/roles/diff.ts';
import type { Manifest, ManifestScope } from '../domain/roles/manifest.ts';
import type { MergeConflict } from '../domain/roles/merge.ts';
import { type PlannedPush, planRoles, type RolesPlan } from '../domain/roles/plan.ts';
import type { WantedRoles } from '../domain/roles/wanted.ts';
import type { KnownError, Issue } from '../kernel/errors.ts';
import { stringifyJson } from '../kernel/json.ts';
import { fail } from '../errors/fail.ts';

export interface Planned extends PlannedPush {
  wanted: WantedRoles;
}

/** Plans to write `wanted` over `live`. Throws a conflict (6), redacted, if both sides changed the same field differently. */
export function planWanted(
  scope: ManifestScope,
  live: Manifest,
  wanted: WantedRoles,
  redact: (text: string) => string,
): Planned {
  if (wanted.conflicts.length > 0) throw conflictError(wanted.conflicts, redact);
  const planned = planRoles(scope, live, wanted.roles);
  // Warnings are part of the plan: the person who approves it may never see the standard error of a job.
  const plan: RolesPlan = {
    ...planned.plan,
    ...(wanted.stale && { warnings: [staleWarning(live)] }),
    ...(wanted.rebased.length > 0 && { kept: wanted.rebased }),
  };
  return { ...planned, plan, wanted };
}

function staleWarning({ last_modified_on: on, last_modified_by: by }: Manifest): string {
  const text =
    "The file has an older stamp than the platform, and this machine does not know its base. The plan may undo other admins' changes.";
  return on === null ? text : `${text} The platform last changed on ${on} UTC${by === null ? '' : ` by ${by}`}.`;
}

/**
 * Throws a conflict (6) for a plan that is not the expected one, and for a file with an older stamp and an unknown base,
 * unless it changes nothing or `expectPlan` names this plan.
 */
export function requireExpected(planned: Planned, expectPlan: string | undefined): void {
  const { plan, wanted } = planned;
  if (expectPlan !== undefined && expectPlan.toLowerCase() !== plan.plan) {
    throw fail('roles.plan_mismatch', {
      message: `The plan is now ${plan.plan}, not ${expectPlan}: the platform or the file changed after the review.`,
      hint: { text: 'Push with the plan that this command prints:', command: 'cdpadm roles diff' },
    });
  }
  if (!wanted.stale || expectPlan !== undefined || isEmptyDiff(plan)) return;
  throw fail('roles.stale_file', {
    message:
      "The file has an older stamp than the platform, and this machine does not know its base. A push could undo other admins' changes.",
    hint: `Pull again and repeat your edit, or pass the manifest it was made from with --base FILE. To push exactly the difference shown, pass --expect-plan ${plan.plan}.`,
  });
}

/** Conflict (6), with both sides of each field. */
export function conflictError(conflicts: readonly MergeConflict[], redact: (text: string) => string): KnownError {
  const side = (value: unknown): string => showSide(value, redact);
  const issues = conflicts.map((conflict): Issue => {
    const sides = `yours: ${side(conflict.mine)}; the platform's: ${side(conflict.theirs)}; it was: ${side(conflict.base)}`;
    return { path: showPath(['roles', conflict.role_id, conflict.field]), message: sides };
  });
  return fail('roles.conflict', {
    message:
      'Conflict: the platform changed these fields after you pulled, and you changed them too. Nothing was sent.',
    hint: { text: 'Merge the changes of the platform into the file:', command: 'cdpadm roles pull --merge' },
    issues,
    details: { conflicts },
  });
}

/** The value of one side, redacted before it is shortened: the redactor would not recognize half of a secret. */
export function showSide(value: unknown, redact: (text: string) => string): string {
  const text = redact(value === null ? '(none)' : typeof value === 'string' ? `"${value}"` : stringifyJson(value));
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
