// A change of single roles by flags: carried out on the live manifest through the same plan and guards as a push.
import { type FieldIssue, showPath } from '../../lib/contract/explain.ts';
import type { Manifest, Role } from '../../lib/domain/roles/manifest.ts';
import { checkManifest } from '../../lib/domain/roles/validate.ts';
import { invalidInput } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { openRolesMemory } from '../../lib/runtime/memory/roles.ts';
import { applyIntent, emitOutcome } from './apply.ts';
import type { RawGuardFlags } from './guards.ts';
import { catalogTasks } from './session.ts';

/** Applies `change` to the roles as they are when it is applied. `reason` is for the history. */
export async function changeRoles(
  ctx: Context,
  reason: string,
  change: (roles: readonly Role[]) => Role[],
  flags: RawGuardFlags,
): Promise<void> {
  const memory = await openRolesMemory(ctx);
  const told = new Set<string>();
  const want = (live: Manifest, liveTasks: ReadonlySet<string>) => {
    const roles = change(live.roles);
    const { issues, warnings } = checkManifest({ roles }, { live, liveTasks, catalogTasks: catalogTasks() });
    if (issues.length > 0) throw invalidRoles(issues, roles);
    for (const advice of adviceOn(roles, live, warnings)) {
      // The roles may be read, and changed, more than once.
      if (!told.has(advice)) ctx.out.warn(advice);
      told.add(advice);
    }
    return { roles, conflicts: [], rebased: [], stale: false };
  };
  const outcome = await applyIntent(ctx, memory, { reason, want }, flags);
  await emitOutcome(ctx, outcome);
}

/** Advice on what the command changes; the other roles are not its affair. */
function adviceOn(roles: readonly Role[], live: Manifest, warnings: readonly FieldIssue[]): string[] {
  return warnings.flatMap(({ path: [, index, ...rest], message }) => {
    const role = roles[Number(index)];
    if (role === undefined || live.roles.includes(role)) return [];
    return [`${showPath([role.role_id, ...rest])}: ${message}`];
  });
}

/** There is no file to point into: an issue is named by the role's id. */
function invalidRoles(issues: readonly FieldIssue[], roles: readonly Role[]) {
  return invalidInput(
    'The role cannot be written like this. Nothing was sent.',
    issues.map(({ path: [, index, ...rest], message }) => ({
      path: showPath([roles[Number(index)]?.role_id ?? 'roles', ...rest]),
      message,
    })),
  );
}
