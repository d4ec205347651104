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
import { type DirectoryEntry, readDirectory, tellDirectoryAdvice } from './directory.ts';
import { allowCommands } from '../definition-flags.ts';
import { guardFlags, otherPlan, passGuards } from './guards.ts';
import { planDirectory, type PlannedDirectory } from './plan.ts';
import { referencesOf } from './references.ts';
import type { WithTarget } from '../results.ts';
import { appliedResult } from './results.ts';
import { askForMasked, bodyOf, checkMasks, checkSecretsAtHand } from './secrets.ts';

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
