// Applies an intent, or a change of single roles, through the one push workflow and reports what became of it.
import type { RolesPlan } from '../../lib/domain/roles/plan.ts';
import { renderRolesPlan, rolesPlanRows } from '../../lib/render/roles-plan.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { CommandRecord } from '../../lib/runtime/command-line/define-command.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import type { Target } from '../../lib/runtime/target.ts';
import { openRolesMemory, type RolesMemoryOfContext } from '../../lib/runtime/memory/roles.ts';
import { type PushIntent, type PushOutcome, pushRoles } from '../../lib/workflows/roles-push.ts';
import type { Planned } from '../../lib/workflows/roles-plan.ts';
import { type RawGuardFlags, readGuards } from './guards.ts';
import { outcomeResult } from './results.ts';
import { type FieldIssue, showPath } from '../../lib/contract/explain.ts';
import type { Manifest, Role } from '../../lib/domain/roles/manifest.ts';
import { checkManifest } from '../../lib/domain/roles/validate.ts';
import { invalidInput } from '../../lib/kernel/errors.ts';
import { catalogTasks } from './session.ts';

/** What a push prints as data: the plan, whether it was applied, and the saved copy of what was there before. */
interface AppliedPlan extends RolesPlan {
  applied: boolean;
  revision: string | null;
  target: Target;
}

/** Runs the push workflow with the questions, the screen and the memory of this context. */
export async function applyIntent(
  ctx: Context,
  memory: RolesMemoryOfContext,
  intent: PushIntent,
  flags: RawGuardFlags,
): Promise<PushOutcome> {
  const api = await ctx.api();
  const { dryRun } = ctx.flags;
  let refused: Planned | undefined;
  try {
    return await pushRoles(
      intent,
      { guards: readGuards(flags), expectPlan: flags.expectPlan, dryRun },
      {
        api: api.roles,
        memory: memory.store,
        scope: memory.scope,
        profile: memory.profile,
        ask: {
          possible: ctx.prompt.possible,
          startWrite: () => ctx.startWrite('organization'),
          confirmWrite: (question) => ctx.confirmWrite(question),
          typed: (question, expected) => ctx.prompt.typed(question, expected, { flag: '--allow-delete' }),
          offer: (question) => (ctx.prompt.possible ? ctx.prompt.ask(question, false) : Promise.resolve(false)),
        },
        tell: ctx.out,
        redact: ctx.redactor.text,
        show: (planned) => {
          // A dry run prints the plan as its result; only when it is refused does it have to be shown beside.
          if (dryRun) refused = planned;
          else showPlan(ctx, planned);
        },
        signal: ctx.signal,
      },
    );
  } catch (error) {
    if (refused) showPlan(ctx, refused);
    throw error;
  }
}

function showPlan(ctx: Context, planned: Planned): void {
  tellRebased(ctx, planned.wanted.rebased);
  ctx.out.show((style, width) => renderRolesPlan(planned.plan, style, width));
}

/** Says which roles keep changes that the platform got since the file was made. */
export function tellRebased(ctx: Context, roleIds: readonly string[]): void {
  if (roleIds.length === 0) return;
  ctx.out.note(`Kept from the platform, changed there since your file was made: ${roleIds.join(', ')}`);
}

/** Prints the outcome: for a dry run the request, if there would be one, else the plan with what became of it. */
export async function emitOutcome(ctx: Context, outcome: PushOutcome): Promise<void> {
  const { plan, request } = outcome.planned;
  if (ctx.flags.dryRun) {
    const requests = outcome.kind === 'unchanged' ? [] : [(await ctx.api()).roles.describeReplace(request)];
    await ctx.out.emitDryRun(requests, plan, (style, width) => renderRolesPlan(plan, style, width), rolesOf(plan));
    return;
  }
  const target = await ctx.startWrite('organization');
  const data: AppliedPlan = {
    ...plan,
    applied: outcome.kind === 'applied',
    revision: outcome.revision ?? null,
    target,
  };
  await ctx.out.emit(data, outcomeView);
  if (outcome.revision !== undefined) {
    ctx.out.note({ text: 'To undo this:', command: `cdpadm roles rollback ${outcome.revision}` });
  }
}

/** The roles that a plan creates, modifies or deletes. */
function rolesOf(plan: RolesPlan): string[] {
  return rolesPlanRows(plan).map((row) => row.role_id);
}

/** What the records of all commands that replace the manifest have alike. */
export const outcomeRecord = {
  effect: 'write',
  calls: 'platform',
  columns: asColumns('plan base created modified deleted unchanged summary warnings kept applied revision target'),
  output: outcomeResult,
} as const satisfies Partial<CommandRecord>;

const outcomeView: DocumentView<AppliedPlan> = {
  kind: 'document',
  text: ({ applied, summary }) =>
    applied
      ? `Done: ${summary.create} created, ${summary.modify} modified, ${summary.delete} deleted.`
      : 'Nothing to do: the platform already holds these roles.',
  names: rolesOf,
};

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
