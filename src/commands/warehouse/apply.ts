// `warehouse apply`: makes the workspace's connections, data models and pipelines what a folder says.
import { completed, toDefinition, withHiddenSecrets } from '../../lib/domain/warehouse/definition.ts';
import type { Style } from '../../lib/render/style.ts';
import type { DocumentView } from '../../lib/render/view.ts';
import { renderWarehousePlan } from '../../lib/render/warehouse-plan.ts';
import { defineCommand, type FlagSpec, type FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { asColumns } from '../../lib/runtime/command-line/help.ts';
import { openSecretMemory, type SecretMemory } from '../../lib/runtime/memory/secrets.ts';
import { guardReferences, openReferenceRules, type ReferenceRules } from '../../lib/runtime/reference-rules.ts';
import { applyWarehouse, stepName } from '../../lib/workflows/warehouse-apply.ts';
import { warehouseCalls } from '../../lib/workflows/warehouse-calls.ts';
import { type DirectoryEntry, readDirectory, referencesOf, tellDirectoryAdvice } from './directory.ts';
import { allowCommands } from '../definition-flags.ts';
import { planDirectory, type PlannedDirectory } from './plan.ts';
import type { WithTarget } from '../results.ts';
import { appliedResult } from './results.ts';
import { askForMasked, bodyOf, checkMasks, checkSecretsAtHand } from './secrets.ts';
import { guardWarehouse, type WarehouseRefusal } from '../../lib/domain/warehouse/guards.ts';
import type { KnownError } from '../../lib/kernel/errors.ts';
import { fail } from '../../lib/errors/fail.ts';

/** The flags of `warehouse apply` that allow something. */
const guardFlags = {
  allowDelete: { help: 'allow what no file defines to be deleted' },
  allowReset: { help: 'allow sync modes to change, which resets the sync position' },
  allowEmpty: { help: 'allow the workspace to be left with nothing (besides --allow-delete)' },
  force: { help: 'allow more than 30 % of 10 or more resources to be changed or deleted' },
} as const satisfies Record<string, FlagSpec>;

const applyFlags = {
  ...guardFlags,
  expectPlan: { value: 'hex', help: 'apply only the plan that `warehouse diff` printed' },
  sendSecrets: { help: 'send every secret again, whether it is known to have changed or not' },
  allowCommands,
} as const satisfies Record<string, FlagSpec>;

type ApplyFlags = FlagValues<typeof applyFlags>;
type AppliedPlan = WithTarget<typeof appliedResult>;

export const applyFolder = defineCommand({
  path: 'warehouse apply',
  summary: 'create, update and delete until the workspace is what a folder says',
  effect: 'write',
  calls: 'platform',
  args: { dir: { help: 'the folder' } },
  flags: applyFlags,
  columns: asColumns('plan steps unchanged summary applied target'),
  output: appliedResult,
  notes: [
    'What no file defines is deleted, pipelines first. When a step fails, what was done is told, and applying again finishes the rest.',
  ],
  examples: [
    'cdpadm warehouse apply sync --allow-delete',
    'cdpadm warehouse apply sync --allow-delete --dry-run -o json',
  ],
  exits: {
    conflict: 'another plan than the expected one, or somebody changed a resource meanwhile',
    invalidInput: 'a file is invalid',
    guard: 'a guard refused, or you answered no',
  },
  run: (ctx, { args, flags }) => applyDirectory(ctx, args.dir, flags),
});

async function applyDirectory(ctx: Context, dir: string, flags: ApplyFlags): Promise<void> {
  const rules = await openReferenceRules(ctx, flags.allowCommands === true);
  const entries = await readDirectory(ctx, dir, rules);
  tellDirectoryAdvice(ctx, entries);
  const memory = await openSecretMemory(ctx);
  await memory.exclusively(async () => {
    const planned = await planDirectory(ctx, entries, memory, { sendAll: flags.sendSecrets === true, rules });
    checkMasks(ctx, dir, planned.plan, entries);
    await applyPlanned(ctx, planned, { entries, memory, rules }, flags);
  });
}

async function applyPlanned(
  ctx: Context,
  planned: PlannedDirectory,
  { entries, memory, rules }: { entries: readonly DirectoryEntry[]; memory: SecretMemory; rules: ReferenceRules },
  flags: ApplyFlags,
): Promise<void> {
  const { plan, live, wanted } = planned;
  const { dryRun } = ctx.flags;
  const target = await ctx.startWrite('workspace');
  const draw = (style: Style): string => renderWarehousePlan(plan, style);
  const ids = plan.steps.map(({ id }) => id);
  if (!dryRun) ctx.out.show((style) => renderWarehousePlan(plan, style));
  if (flags.expectPlan !== undefined && flags.expectPlan !== plan.plan) throw otherPlan(flags.expectPlan, plan.plan);
  guardReferences(rules, entries.flatMap(referencesOf));
  if (plan.steps.length === 0) {
    if (dryRun) await ctx.out.emitDryRun([], plan, draw, ids);
    else await ctx.out.emit({ ...plan, applied: false, target }, view);
    return;
  }
  await passGuards(ctx, planned, flags);
  await checkSecretsAtHand(ctx, plan, entries, rules);
  if (dryRun) {
    await ctx.out.emitDryRun(await describeSteps(ctx, planned), plan, draw, ids);
    return;
  }
  const typed = await askForMasked(ctx, plan, entries, rules);
  await ctx.confirmWrite(`Apply ${plan.steps.length} ${plan.steps.length === 1 ? 'step' : 'steps'}?`);
  // Of the step under way; only what has arrived is remembered.
  const sent = new Map<string, string>();
  await applyWarehouse(plan, live, wanted, {
    api: await ctx.api(),
    tell: ctx.out,
    signal: ctx.signal,
    withSecrets: async (type, definition) => {
      const entry = entries.find((it) => it.type === type && it.definition.id === definition.id);
      if (!entry) return definition;
      return await bodyOf(ctx, entry, definition, { typed, rules }, (key, secret) => sent.set(key, secret));
    },
    onDone: (step, index) => {
      ctx.out.note(`${index + 1}/${plan.steps.length} ${stepName(step)}: done`);
      for (const [key, secret] of sent) memory.remember(key, secret);
      sent.clear();
    },
  });
  await ctx.out.emit({ ...plan, applied: true, target }, view);
}

const view: DocumentView<AppliedPlan> = {
  kind: 'document',
  text: ({ applied, summary }) =>
    applied
      ? `Done: ${summary.create} created, ${summary.update} updated, ${summary.delete} deleted.`
      : 'Nothing to do: the workspace is what the folder says.',
  names: ({ steps }) => steps.map(({ id }) => id),
};

async function describeSteps(ctx: Context, { plan, live, wanted }: PlannedDirectory) {
  const api = await ctx.api();
  return plan.steps.map(({ action, type, id, resets }) => {
    const calls = warehouseCalls(api, type, { allowReset: resets });
    const definition = wanted[type].find((it) => it.id === id);
    if (action === 'delete' || !definition) return calls.describeDelete(id);
    const held = live[type].find((it) => it.id === id);
    const body = withHiddenSecrets(type, completed(type, definition, held && toDefinition(held)));
    return action === 'create' ? calls.describeCreate(body) : calls.describeUpdate(id, body);
  });
}

/** On a terminal the number of deletions may be typed; every other guard needs its flag. */
async function passGuards(
  ctx: Context,
  { plan, live }: PlannedDirectory,
  flags: FlagValues<typeof guardFlags>,
): Promise<void> {
  const count = Object.values(live).reduce((sum, list) => sum + list.length, 0);
  const refusals = guardWarehouse(plan, count, {
    allowDelete: flags.allowDelete === true,
    allowReset: flags.allowReset === true,
    allowEmpty: flags.allowEmpty === true,
    force: flags.force === true,
  });
  const mayType = ctx.prompt.possible && !ctx.flags.dryRun;
  const final = refusals.filter(({ typed }) => typed === undefined || !mayType);
  if (final.length > 0) throw guardError(refusals);
  for (const { message, typed } of refusals) {
    if (typed !== undefined) {
      const question = `${message}. Type the number of deletions to allow them:`;
      await ctx.prompt.typed(question, typed, { flag: '--allow-delete' });
    }
  }
}

function guardError(refusals: readonly WarehouseRefusal[]): KnownError {
  return fail(`warehouse.guard.${refusals[0]?.guard ?? 'delete'}`, {
    message: `Nothing was sent: ${refusals.map(({ message }) => message).join('; ')}.`,
    hint: `If that is what you want, add ${refusals.map(({ flag }) => flag).join(' ')}.`,
  });
}

/** Conflict (6): the plan is not the one that was looked at. */
function otherPlan(expected: string, found: string): KnownError {
  return fail('warehouse.other_plan', {
    message: `The plan is now ${found}, not the expected ${expected}. Nothing was sent.`,
    hint: { text: 'The workspace or the folder has changed since. Review it:', command: 'cdpadm warehouse diff' },
  });
}
