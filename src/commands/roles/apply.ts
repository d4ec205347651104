// Asks about conflicts, applies an intent or changes single roles through the push workflow, and prints the outcome.
import { type FieldIssue, showPath, explain } from '../../lib/contract/explain.ts';
import type { Manifest, Role } from '../../lib/domain/roles/manifest.ts';
import { checkManifest } from '../../lib/domain/roles/validate.ts';
import { invalidInput, usageError } from '../../lib/kernel/errors.ts';
import { shellLine } from '../../lib/kernel/words.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import { renderRolesPlan, rolesPlanRows } from '../../lib/render/roles-plan.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { CommandRecord, FlagSpec, FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import { openRolesMemory, type RolesMemoryOfContext } from '../../lib/runtime/memory/roles.ts';
import { type Planned, sidesOf } from '../../lib/workflows/roles-plan.ts';
import { type PushIntent, type PushOutcome, pushRoles } from '../../lib/workflows/roles-push.ts';
import * as z from 'zod/mini';
import { rolesPlanFields } from '../../lib/domain/roles/plan.ts';
import { organizationTarget } from '../results.ts';
import { tellRebased } from './session.ts';
import { Role as RoleSchema } from '../../lib/contract/roles.ts';
import { type MergeConflict, resolveConflict, type WantedRoles } from '../../lib/domain/roles/merge.ts';

export const guardFlags = {
  allowDelete: { help: 'allow roles to be deleted for the whole organization' },
  force: { help: 'allow changing or deleting more than 30% of the roles (if there are 10 or more)' },
  allowEmpty: { help: 'allow a manifest with no roles (with --allow-delete and --force)' },
  failOn: { value: 'what', choices: ['escalation'], help: 'exit 12 if the plan escalates permissions' },
  expectPlan: { value: 'hex', read: planOf, help: 'apply only this plan, as printed by `roles diff` or a dry run' },
} as const satisfies Record<string, FlagSpec>;

type RawGuardFlags = FlagValues<typeof guardFlags>;

/** An empty shell variable must not count as a changed plan. */
function planOf(value: string): string {
  if (/^[0-9a-f]{32}$/i.test(value)) return value;
  throw usageError(`--expect-plan must be the 32 hexadecimal digits of a plan, not \`${value}\`.`, {
    text: 'To print the plan, add --dry-run to the same command, or run:',
    command: 'cdpadm roles diff',
  });
}

export async function applyIntent(
  ctx: Context,
  memory: RolesMemoryOfContext,
  intent: PushIntent,
  guards: RawGuardFlags,
): Promise<PushOutcome> {
  const { roles: api } = await ctx.api();
  const { dryRun } = ctx.flags;
  let stopped: Planned | undefined;
  const show = (planned: Planned): void => {
    // A dry run's result is the plan, so stderr shows it only if the run fails.
    if (dryRun) stopped = planned;
    else showPlan(ctx, planned);
  };
  try {
    const outcome = await pushRoles(intent, { ...guards, dryRun }, { ...memory, api, ctx, show });
    // An empty plan is not shown.
    if (outcome.kind === 'unchanged') tellRebased(ctx, outcome.planned.wanted);
    return outcome;
  } catch (error) {
    if (stopped) showPlan(ctx, stopped);
    throw error;
  }
}

function showPlan(ctx: Context, { plan, wanted }: Planned): void {
  tellRebased(ctx, wanted);
  ctx.out.show((style, width) => renderRolesPlan(plan, style, width));
}

/** Prints the outcome: the plan and its result or, in a dry run, the request that would be sent. */
export async function emitOutcome(ctx: Context, { kind, planned, revision, undo }: PushOutcome): Promise<void> {
  const { plan, request } = planned;
  const changedRoles = rolesPlanRows(plan).map((row) => row.role_id);
  if (ctx.flags.dryRun) {
    const requests = kind === 'unchanged' ? [] : [(await ctx.api()).roles.describeReplace(request)];
    await ctx.out.emitDryRun(requests, plan, (style, width) => renderRolesPlan(plan, style, width), changedRoles);
    return;
  }
  const { create, modify, delete: deleted } = plan.summary;
  const applied = kind === 'applied';
  const data = { ...plan, applied, revision: revision ?? null, target: await ctx.startWrite('organization') };
  const view: DocumentView<typeof data> = {
    kind: 'document',
    text: () =>
      applied
        ? `Done: ${create} created, ${modify} modified, ${deleted} deleted.`
        : plan.kept
          ? 'No changes to push: only the platform changed after the pull.'
          : 'No changes: the platform already has these roles.',
    names: () => changedRoles,
  };
  await ctx.out.emit(data, view);
  if (undo) ctx.out.note({ text: 'To undo this:', command: shellLine(['cdpadm', ...undo]) });
}

export const outcomeRecord = {
  effect: 'write',
  calls: 'platform',
  flags: guardFlags,
  output: () =>
    z.object({
      plan: z.string(),
      ...rolesPlanFields(),
      applied: z.boolean(),
      revision: z.nullable(z.string()),
      target: organizationTarget(),
    }),
} as const satisfies Partial<CommandRecord>;

/** Applies `change` to the live roles. `reason` is stored in the history. */
export async function changeRoles(
  ctx: Context,
  reason: string,
  flags: RawGuardFlags,
  change: (roles: readonly Role[]) => Role[],
): Promise<void> {
  const told = new Set<string>();
  const want = (live: Manifest, liveTasks: ReadonlySet<string>) => {
    const roles = change(live.roles);
    const { issues, warnings } = checkManifest({ roles }, { live, liveTasks, fieldsOfPlatform: true });
    // There is no file to point to, so an issue names the role's id.
    const pathOf = ({ path: [, index, ...rest] }: FieldIssue): string =>
      showPath([roles[Number(index)]?.role_id ?? 'roles', ...rest]);
    if (issues.length > 0) {
      const named = issues.map((issue) => ({ path: pathOf(issue), message: issue.message }));
      throw invalidInput('The role is not valid. Nothing was sent.', named);
    }
    for (const warning of warnings) {
      const role = roles[Number(warning.path[1])];
      const advice = `${pathOf(warning)}: ${warning.message}`;
      // Show only advice about roles that the command changes, and only once: the workflow may plan several times.
      if (!role || live.roles.includes(role) || told.has(advice)) continue;
      ctx.out.warn(advice);
      told.add(advice);
    }
    return { roles, conflicts: [], rebased: [], stale: false };
  };
  await emitOutcome(ctx, await applyIntent(ctx, await openRolesMemory(ctx), { reason, want }, flags));
}

/** Asks on a terminal how to resolve each conflict. Without a terminal, and in a dry run, conflicts remain. */
export async function askConflicts(ctx: Context, merged: WantedRoles): Promise<WantedRoles> {
  if (!ctx.prompt.possible || ctx.flags.dryRun) return merged;
  let { roles } = merged;
  const rebased = new Set(merged.rebased);
  for (const conflict of merged.conflicts) {
    const value = await askSide(ctx, conflict);
    if (value === conflict.theirs) rebased.add(conflict.role_id);
    roles = resolveConflict(roles, conflict, value);
  }
  return { ...merged, roles, rebased: [...rebased], conflicts: [] };
}

async function askSide(ctx: Context, conflict: MergeConflict): Promise<unknown> {
  const { role_id, field, mine, theirs } = conflict;
  const sides = sidesOf(conflict, ctx.redactor.text);
  const what = field === 'role' ? `Role ${role_id}` : `Role ${role_id}, ${field}`;
  const isText = [mine, theirs].every((side) => side === null || typeof side === 'string');
  const choice = await ctx.prompt.select(`Conflict: ${what} (it was: ${cleanLine(sides.base)}). Which value?`, [
    { value: 'yours', label: `yours: ${cleanLine(sides.mine)}` },
    { value: 'platform', label: `platform's: ${cleanLine(sides.theirs)}` },
    ...(isText ? [{ value: 'edit', label: 'edit: type a different value' } as const] : []),
  ]);
  if (choice !== 'edit') return choice === 'yours' ? mine : theirs;
  const rest = { role_id, name: 'x', description: 'x', tasks: [] };
  return await ctx.prompt.input(`${what}:`, {
    initial: typeof mine === 'string' ? mine : '',
    check: (text) => explain(RoleSchema, { ...rest, [field]: text })[0]?.message,
  });
}
