// Plans what a push would do: the live manifest is read, the file's edits are carried onto it, nothing is written.
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

/**
 * Plans `wanted` on top of `live`. Throws a conflict (6) when both sides changed the same thing differently; `redact`
 * takes secrets out of what that quotes.
 */
export function planWanted(
  scope: ManifestScope,
  live: Manifest,
  wanted: WantedRoles,
  redact: (text: string) => string,
): Planned {
  if (wanted.conflicts.length > 0) throw conflictError(wanted.conflicts, redact);
  const planned = planRoles(scope, live, wanted.roles);
  // They travel with the plan: who approves one reads a page, not what a job said on standard error.
  const plan: RolesPlan = {
    ...planned.plan,
    ...(wanted.stale && { warnings: [staleWarning(live)] }),
    ...(wanted.rebased.length > 0 && { kept: wanted.rebased }),
  };
  return { ...planned, plan, wanted };
}

function staleWarning({ last_modified_on: on, last_modified_by: by }: Manifest): string {
  const text =
    'The file carries an older stamp than the platform and its base is not known here: this is the difference to the platform as it is now, which may undo what others changed.';
  return on === null ? text : `${text} It was last changed on ${on} UTC${by === null ? '' : ` by ${by}`}.`;
}

/**
 * Refuses (6) a file with an older stamp whose base is unknown, unless it changes nothing or `expectPlan` says that
 * exactly this plan was looked at; and any plan that is not the expected one.
 */
export function requireExpected(planned: Planned, expectPlan: string | undefined): void {
  const { plan, wanted } = planned;
  if (expectPlan !== undefined && expectPlan.toLowerCase() !== plan.plan) {
    throw fail('roles.plan_mismatch', {
      message: `The plan is now ${plan.plan}, not ${expectPlan}: the platform or the file changed since it was made.`,
      hint: { text: 'Push with the plan that this command prints:', command: 'cdpadm roles diff' },
    });
  }
  if (!wanted.stale || expectPlan !== undefined || isEmptyDiff(plan)) return;
  throw fail('roles.stale_file', {
    message:
      'The file carries an older stamp than the platform, and the manifest it was made from is not known on this machine: ' +
      'pushing it could undo what others changed meanwhile.',
    hint: `Pull again and repeat your edit, name the manifest it was made from with --base FILE, or, if the difference shown is what you want, push with --expect-plan ${plan.plan}.`,
  });
}

function conflictError(conflicts: readonly MergeConflict[], redact: (text: string) => string): KnownError {
  const side = (value: unknown): string => shortened(redact(quoted(value)));
  const issues = conflicts.map((conflict): Issue => {
    const sides = `yours: ${side(conflict.mine)}; the platform's: ${side(conflict.theirs)}; it was: ${side(conflict.base)}`;
    return { path: showPath(['roles', conflict.role_id, conflict.field]), message: sides };
  });
  return fail('roles.conflict', {
    message:
      'Conflict: your changes and changes made on the platform since your last pull concern the same fields. Nothing was sent.',
    hint: { text: 'Pull into a new file and make your changes there:', command: 'cdpadm roles pull new.yaml' },
    issues,
    details: { conflicts },
  });
}

function quoted(value: unknown): string {
  if (value === null) return '(not there)';
  return typeof value === 'string' ? `"${value}"` : stringifyJson(value);
}

/** Of a text without secrets: half of one would not be known for one. */
function shortened(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
