// `warehouse apply`: creates, updates and deletes resources so that the workspace matches a folder.
import { completed, toDefinition, withHiddenSecrets } from '../../lib/domain/warehouse/definition.ts';
import type { Style } from '../../lib/render/style.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import { renderWarehousePlan } from '../../lib/render/warehouse.ts';
import { defineCommand, type FlagSpec, type FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { openSecretMemory, secretKey, type SecretMemory } from '../../lib/runtime/memory/secrets.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import { passGuards } from '../../lib/workflows/pass-guards.ts';
import { applyWarehouse, stepName, warehouseCalls } from '../../lib/workflows/warehouse-apply.ts';
import { askForSecrets, bodyWithSecrets, checkSecrets, type SourcedDefinition } from '../definition-input.ts';
import type { WithTarget } from '../results.ts';
import { undoSteps } from '../definition-flags.ts';
import { openDirectory } from './directory.ts';
import {
  appliedResult,
  changedSecrets,
  checkPlanned,
  diffWords,
  entriesSent,
  planDirectory,
  planFlags,
  type PlannedDirectory,
  openSaved,
  type SavedContent,
  savedContent,
} from './plan.ts';
import { findIn, guardWarehouse, type WarehouseRefusal } from '../../lib/domain/warehouse/plan.ts';
import { diffCommand, readSavedPlan, requireSameTarget } from '../../lib/files/saved-plan.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { canonicalJson } from '../../lib/kernel/json.ts';
import { counted, shellLine } from '../../lib/kernel/words.ts';
import { fail, planChanged } from '../../lib/errors/fail.ts';

const guardFlags = {
  allowDelete: { help: 'allow the --prune deletions' },
  allowReset: { help: 'allow changes to a sync mode, which reset the sync position' },
  allowEmpty: { help: 'allow the deletion of every resource (in addition to --allow-delete)' },
  force: { help: 'allow changing or deleting more than 30% of the resources (if there are 10 or more)' },
} as const satisfies Record<string, FlagSpec>;

const applyFlags = {
  ...guardFlags,
  expectPlan: { value: 'hex', help: 'apply only this plan, as printed by `warehouse diff`' },
  plan: {
    value: 'file',
    conflicts: ['prune', 'only', 'sendSecrets', 'expectPlan'],
    help: 'apply only the plan that `warehouse diff --save-plan` wrote',
  },
  sendSecrets: { help: 'send every secret again, even if it has not changed' },
  ...planFlags,
} as const satisfies Record<string, FlagSpec>;

/** Another writer must not keep this command in a loop forever. */
const MAX_ROUNDS = 5;

type ApplyFlags = FlagValues<typeof applyFlags>;
type AppliedPlan = WithTarget<typeof appliedResult>;

const view: DocumentView<AppliedPlan> = {
  kind: 'document',
  text: ({ applied, steps, summary }) => {
    if (steps.length === 0) return 'Nothing to do: the workspace matches the folder.';
    if (!applied) return steps.map((step) => cleanLine(`${step.outcome.padEnd(7)}  ${stepName(step)}`)).join('\n');
    return `Done: ${summary.create} created, ${summary.update} updated, ${summary.delete} deleted.`;
  },
  names: ({ steps }) => steps.map(({ id }) => id),
};

export const applyFolder = defineCommand({
  path: 'warehouse apply',
  summary: 'create, update and delete resources so that the workspace matches a folder',
  effect: 'write',
  calls: 'platform',
  args: { dir: { optional: true, help: 'folder of definitions; not needed with --plan' } },
  flags: applyFlags,
  output: appliedResult,
  notes: [
    'A resource that no file defines is unmanaged: it is listed and never changed, unless --prune plans its deletion.',
    '--plan does not need a folder: the plan contains the definitions, with references instead of secrets. If you also pass a folder, it must still produce the same plan. If the platform has changed since the plan was saved, nothing is sent (exit 6).',
    'If a step fails, only the steps that depend on it are skipped. The result lists the outcome of every step. To finish the rest, apply again. If you used a saved plan, save a new one first.',
  ],
  examples: [
    'cdpadm warehouse apply sync',
    'cdpadm warehouse apply sync --only crm --overlay production',
    'cdpadm warehouse apply sync --prune --allow-delete --dry-run -o json',
    'cdpadm warehouse apply --plan sync.plan',
  ],
  exits: {
    failed: 'a step failed; the steps that do not depend on it were applied',
    conflict: 'the plan is not the expected one, or a pipeline uses a resource to be deleted',
    network: 'the outcome of a step is unknown',
    invalidInput: 'a file or the saved plan is invalid',
    guard: 'a guard stopped the plan, or you answered no',
  },
  run: (ctx, { args, flags }) => applyDirectory(ctx, args.dir, flags),
  view,
});

async function applyDirectory(ctx: Context, dir: string | undefined, { overlay = [], ...flags }: ApplyFlags) {
  const saved =
    flags.plan === undefined ? undefined : await readSavedPlan(flags.plan, ctx, 'warehouse', savedContent());
  const { prune = false, only = [] } = saved?.content ?? flags;
  const { entries, guard } = await openWanted(ctx, dir, overlay, saved?.content, flags.allowCommands);
  const memory = await openSecretMemory(ctx);
  const from = dir === undefined ? saved?.from : diffWords(dir, overlay, { prune, only });
  const again = diffCommand('warehouse', from);
  const resend = shellLine(['cdpadm', 'warehouse', 'apply', ...(from ?? ['DIR']), '--send-secrets']);
  const compared = new Map<string, string>();
  const plan = async (): Promise<PlannedDirectory> => {
    const known = saved?.content.resend ?? (flags.sendSecrets ? 'all' : undefined);
    const resend = known ?? (await changedSecrets(ctx, entries, memory, compared));
    return await planDirectory(ctx, entries, memory, { prune, only, resend });
  };
  const check = (planned: PlannedDirectory): void => checkPlanned(ctx, dir ?? flags.plan ?? '', planned);
  let shown: string | undefined;
  for (let round = 0; ; round++) {
    const planned = await plan();
    // A saved plan was valid when it was created: if it no longer is, the platform has changed (6).
    if (!saved) check(planned);
    const { dryRun } = ctx.flags;
    const target = await ctx.startWrite('workspace');
    const draw = (style: Style, width: number) => renderWarehousePlan(planned.plan, ctx.flags.verbose, style, width);
    const ids = planned.plan.steps.map(({ id }) => id);
    if (!dryRun) ctx.out.show(draw);
    const expected = saved?.plan ?? flags.expectPlan ?? (round < MAX_ROUNDS ? undefined : shown);
    if (saved) requireSameTarget(saved, memory.scope);
    if (expected !== undefined && expected !== planned.plan.plan) throw planChanged(expected, planned.plan.plan, again);
    if (saved) check(planned);
    guard();
    if (ids.length === 0) {
      if (dryRun) return await ctx.out.emitDryRun([], planned.plan, draw, ids);
      return { ...planned.plan, steps: [], applied: false, target };
    }
    const { delete: deletions } = planned.plan.summary;
    await passGuards(guardsOf(planned, flags), {
      dryRun,
      deletions,
      prompt: ctx.prompt,
      stop: (refusals) =>
        fail(`warehouse.guard.${refusals[0]?.guard ?? 'delete'}`, {
          message: `Nothing was sent: ${refusals.map(({ message }) => message).join('; ')}.`,
          hint: `To allow this, add ${refusals.map(({ flag }) => flag).join(' ')}.`,
        }),
    });
    const sources = entriesSent(planned.plan, entries);
    for (const source of sources) await checkSecrets(source);
    if (dryRun) return await ctx.out.emitDryRun(await describeSteps(ctx, planned), planned.plan, draw, ids);
    for (const source of sources) await askForSecrets(ctx, source);
    const question =
      deletions === ids.length
        ? `Delete ${counted(deletions, 'resource')}?`
        : `Apply ${counted(ids.length, 'step')}${deletions > 0 ? `, including ${counted(deletions, 'deletion')}` : ''}?`;
    await ctx.confirmWrite(question);
    // Another process may have written while the user was prompted, or while this process waited for the lock.
    const done = await memory.exclusively(async () => {
      const now = await plan();
      if (keyOf(now, flags) !== keyOf(planned, flags)) return undefined;
      check(now);
      return await sendSteps(ctx, now, sources, memory, resend);
    });
    if (!done) {
      ctx.out.warn('The platform has changed. Planning again.');
      shown = planned.plan.plan;
      continue;
    }
    const { steps, error } = done;
    const result = { ...planned.plan, steps, applied: error === undefined, target };
    if (error === undefined) return result;
    await ctx.out.emit(result, view);
    const first = ctx.signal.aborted ? 'To continue,' : 'Fix the cause, then';
    const rest = { text: `${first} save a plan for the rest:`, command: again };
    const next = expected === undefined ? `${first} apply again. Completed steps are not repeated.` : rest;
    throw error.with({ hint: [...error.hints, next] });
  }
}

/** Returns equal keys for plans that make the same changes and are stopped by the same guards. */
function keyOf(planned: PlannedDirectory, flags: FlagValues<typeof guardFlags>): string {
  return canonicalJson([planned.plan.plan, guardsOf(planned, flags)]);
}

function guardsOf({ plan, live }: PlannedDirectory, flags: FlagValues<typeof guardFlags>): WarehouseRefusal[] {
  return guardWarehouse(plan, Object.values(live).flat().length, flags);
}

async function sendSteps(
  ctx: Context,
  { plan, live, wanted }: PlannedDirectory,
  sources: readonly SourcedDefinition[],
  memory: SecretMemory,
  resend: string,
) {
  ctx.logFacts({ plan: plan.plan, ...undoSteps(plan.steps) });
  // Secrets of the current step; they are remembered only once it is completed.
  const sent = new Map<string, string>();
  const done = await applyWarehouse(plan, live, wanted, {
    api: await ctx.api(),
    out: ctx.out,
    signal: ctx.signal,
    flags: ctx.flags,
    resend,
    withSecrets: async (type, definition) => {
      const source = sources.find((it) => it.type === type && it.definition.id === definition.id);
      if (!source) return definition;
      return await bodyWithSecrets(source, definition, (path, secret) =>
        sent.set(secretKey(type, definition.id, path), secret),
      );
    },
    onEnd: ({ outcome, ...step }, index) => {
      ctx.out.note(`${index + 1}/${plan.steps.length} ${stepName(step)}: ${outcome}`);
      if (outcome === 'done') for (const [key, secret] of sent) memory.remember(key, secret);
      sent.clear();
    },
  });
  const undo = undoSteps(done.steps.filter(({ outcome }) => outcome !== 'failed' && outcome !== 'skipped'));
  const confirmed = done.error && done.steps.filter(({ outcome }) => outcome === 'done').length;
  ctx.logFacts({ counts: countSteps(done.steps, plan.summary), ...undo, confirmed });
  return done;
}

async function openWanted(
  ctx: Context,
  dir: string | undefined,
  overlays: readonly string[],
  saved: SavedContent | undefined,
  allowCommands: boolean | undefined,
) {
  if (dir !== undefined) return await openDirectory(ctx, [dir, ...overlays], allowCommands);
  if (saved) return await openSaved(ctx, saved, allowCommands);
  throw usageError('No definitions folder or plan is specified.', 'Pass the folder, or --plan FILE.');
}

async function describeSteps(ctx: Context, { plan, live, wanted }: PlannedDirectory) {
  const api = await ctx.api();
  return plan.steps.map(({ action, type, id, resets }) => {
    const calls = warehouseCalls(api, type, { allowReset: resets });
    const definition = findIn(wanted, type, id);
    if (action === 'delete' || !definition) return calls.describeDelete(id);
    const held = findIn(live, type, id);
    const body = withHiddenSecrets(type, completed(type, definition, held && toDefinition(held)));
    return action === 'create' ? calls.describeCreate(body) : calls.describeUpdate(id, body);
  });
}

function countSteps(steps: AppliedPlan['steps'], { unchanged, unmanaged }: AppliedPlan['summary']) {
  const counts: Record<string, number> = { create: 0, update: 0, delete: 0, unchanged, unmanaged };
  for (const { action, outcome } of steps) {
    const name = outcome === 'done' ? action : outcome;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
