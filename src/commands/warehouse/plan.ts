// Plans the difference between folders of definitions and the platform.
import * as z from 'zod/mini';
import {
  type Definition,
  GROUPS,
  maskIssue,
  NOUNS,
  RESOURCE_TYPES,
  type ResourceType,
  maskedSecrets,
  secretUses,
} from '../../lib/domain/warehouse/definition.ts';
import {
  byType,
  type ByType,
  findIn,
  planResult,
  planWarehouse,
  stepResult,
  type WarehousePlan,
} from '../../lib/domain/warehouse/plan.ts';
import { fail } from '../../lib/errors/fail.ts';
import { invalidInput, type Issue, usageError } from '../../lib/kernel/errors.ts';
import { shellWord } from '../../lib/kernel/words.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { FlagSpec } from '../../lib/runtime/command-line/define-command.ts';
import { type SecretMemory, secretKey } from '../../lib/runtime/memory/secrets.ts';
import { readLive } from '../../lib/workflows/warehouse-apply.ts';
import { allowCommands } from '../definition-flags.ts';
import { referencesOf, secretOf, type SourcedDefinition } from '../definition-input.ts';
import { workspaceTarget } from '../results.ts';
import { invalidFolder, withGuard } from './directory.ts';
import { isAbsolute, normalize, relative } from 'node:path';
import { resolvePath } from '../../lib/files/read-input.ts';
import { writeSavedPlan } from '../../lib/files/saved-plan.ts';
import { plainStyle } from '../../lib/render/style.ts';
import { renderWarehousePlan } from '../../lib/render/warehouse.ts';
import { openReferenceRules } from '../../lib/runtime/reference-rules.ts';

export const planFlags = {
  prune: { help: 'plan the deletion of resources that no file defines' },
  only: {
    value: 'pattern',
    many: true,
    help: "only resources whose id matches this pattern, such as crm or 'pipelines/*' (repeatable)",
  },
  overlay: {
    value: 'dir',
    many: true,
    help: 'folder with files to merge over the files of the same resources (repeatable)',
  },
  allowCommands,
} as const satisfies Record<string, FlagSpec>;

export function appliedResult() {
  return z.object({
    ...planResult().shape,
    steps: z.array(stepResult()),
    applied: z.boolean(),
    target: workspaceTarget(),
  });
}

export function entriesSent({ steps }: WarehousePlan, entries: readonly SourcedDefinition[]): SourcedDefinition[] {
  return steps.flatMap(({ type, id }) => entries.filter((it) => it.type === type && it.definition.id === id));
}

export function masksInTheWay(plan: WarehousePlan, entries: readonly SourcedDefinition[]): Issue[] {
  return entriesSent(plan, entries).flatMap(({ place, masked }) => place(masked.map(maskIssue)));
}

export type PlannedDirectory = Awaited<ReturnType<typeof planDirectory>>;

/** Compares the platform with the folders. `resend` lists resources whose secrets changed, such as `connection/crm`. */
export async function planDirectory(
  ctx: Context,
  entries: readonly SourcedDefinition[],
  { scope }: SecretMemory,
  { prune, only, resend }: Selection & { resend: readonly string[] | 'all' },
) {
  const live = await readLive(await ctx.api(), ctx.signal);
  const wanted = byType((type) => entries.filter((it) => it.type === type).map(({ definition }) => definition));
  const selects = selector(only, [live, wanted]);
  const plan = planWarehouse({
    ...{ scope, live: live as ByType<Definition>, wanted, prune, selects },
    sendSecrets: (type, { id }) => resend === 'all' || resend.includes(`${type}/${id}`),
  });
  return { plan, live, wanted, selected: entries.filter(({ type, definition }) => selects(type, definition.id)) };
}

/** Throws invalid input (9) for missing resources and unresolved masks, or conflict (6) if a deleted one is in use. */
export function checkPlanned(ctx: Context, name: string, { plan, live, selected }: PlannedDirectory): void {
  const isDeleted = (type: ResourceType, id: unknown): boolean =>
    plan.steps.some((step) => step.action === 'delete' && step.type === type && step.id === id);
  const isSelected = (type: ResourceType, id: unknown): boolean =>
    selected.some((it) => it.type === type && it.definition.id === id);
  const parts = ['connection', 'data_model'] as const;
  const issues = selected.flatMap(({ type, definition, place }) =>
    parts.flatMap((part) => {
      const id = definition[`${part}_id`] as string;
      if (type !== 'pipeline' || isSelected(part, id)) return [];
      const isLive = findIn(live, part, id) !== undefined;
      if (isLive && !isDeleted(part, id)) return [];
      const message = isLive
        ? `--prune would delete the ${NOUNS[part]} \`${id}\`, which no file defines`
        : `the ${NOUNS[part]} \`${id}\` is neither in a selected file nor in the workspace`;
      return place([{ path: [`${part}_id`], message }]);
    }),
  );
  if (issues.length > 0)
    throw invalidInput('A pipeline uses a resource that would not exist. Nothing was sent.', issues);
  for (const user of live.pipeline) {
    const part = parts.find((it) => isDeleted(it, user[`${it}_id`]));
    if (!part || isSelected('pipeline', user.id) || isDeleted('pipeline', user.id)) continue;
    throw fail('warehouse.in_use', {
      message: `--prune would delete the ${NOUNS[part]} ${String(user[`${part}_id`])}, which the pipeline ${user.id} uses. Nothing was sent.`,
      hint: 'Include the pipeline in --only, or exclude the resource that it uses.',
    });
  }
  const masks = ctx.prompt.possible ? [] : masksInTheWay(plan, selected);
  if (masks.length > 0) throw invalidFolder(name, masks);
}

/** A pattern can match `crm`, `connections/crm` or `connection/crm`. Throws usage (2) if it matches no resource. */
function selector(patterns: readonly string[], lists: readonly ByType<{ id: string }>[]) {
  const tests = patterns.map((pattern) => {
    const parts = pattern.split('*').map((part) => part.replace(/[^\w]/g, '\\$&'));
    const test = new RegExp(`^${parts.join('.*')}$`);
    return (type: ResourceType, id: string) =>
      [id, `${GROUPS[type]}/${id}`, `${type}/${id}`].some((name) => test.test(name));
  });
  const isKnown = (test: (typeof tests)[number]) =>
    lists.some((list) => RESOURCE_TYPES.some((type) => list[type].some(({ id }) => test(type, id))));
  const idle = patterns.find((_, index) => tests[index] && !isKnown(tests[index]));
  if (idle !== undefined) {
    throw usageError(
      `--only ${idle} matches no resource in the folder or the workspace.`,
      "Pass an id (crm), a kind and an id (connections/crm), or a pattern in quotes ('pipelines/*').",
    );
  }
  return (type: ResourceType, id: string): boolean => tests.length === 0 || tests.some((test) => test(type, id));
}

/** Returns resources with changed secrets, such as `connection/crm`. Caches secrets in `values`: a read may prompt. */
export async function changedSecrets(
  ctx: Context,
  entries: readonly SourcedDefinition[],
  memory: SecretMemory,
  values = new Map<string, string>(),
): Promise<string[]> {
  const changed = new Set<string>();
  for (const entry of entries) {
    const { type, definition } = entry;
    for (const use of referencesOf(entry)) {
      const key = secretKey(type, definition.id, use.path.join('.'));
      if (!memory.knows(key)) continue;
      try {
        const value = values.get(key) ?? (await secretOf(entry, use));
        values.set(key, value);
        if (memory.isChanged(key, value)) changed.add(`${type}/${definition.id}`);
      } catch (error) {
        ctx.out.verbose(`Not compared: ${(error as Error).message}`);
      }
    }
  }
  return [...changed];
}

export function savedContent() {
  return z.object({
    prune: z.boolean(),
    only: z.array(z.string()),
    /** Resources whose secrets have changed, according to this machine, such as `connection/crm`. */
    resend: z.array(z.string()),
    resources: z.array(
      z.object({
        type: z.enum(RESOURCE_TYPES),
        definition: z.looseObject({ id: z.string() }),
        /** Base folder of each field's `file:` reference, relative to the working directory. */
        folders: z.record(z.string(), z.string()),
      }),
    ),
  });
}

export type SavedContent = z.infer<ReturnType<typeof savedContent>>;
type Selection = Pick<SavedContent, 'prune' | 'only'>;

/** Returns the arguments of `warehouse diff` that produce the same plan. */
export function diffWords(dir: string, overlay: readonly string[], { only, prune }: Selection) {
  const several = (flag: string, values: readonly string[]): string[] => values.flatMap((value) => [flag, value]);
  return [dir, ...several('--overlay', overlay), ...(prune ? ['--prune'] : []), ...several('--only', only)];
}

export function savePlan(
  ctx: Context,
  path: string,
  plan: WarehousePlan,
  entries: readonly SourcedDefinition[],
  { scope }: SecretMemory,
  flags: Omit<SavedContent, 'resources'>,
  from: readonly string[],
): void {
  const resources = entries.map(({ type, definition, folderFor }) => {
    const files = secretUses(type, definition).filter(({ reference }) => reference.startsWith('file:'));
    const folders = files.map((use) => [use.path.join('.'), relative(ctx.io.cwd, folderFor(use.path)) || '.']);
    return { type, definition, folders: Object.fromEntries(folders) as Record<string, string> };
  });
  resources.flatMap(({ folders }) => Object.values(folders)).forEach(requireInside);
  const saved = { kind: 'warehouse', target: scope, plan: plan.plan, from, content: { ...flags, resources } } as const;
  writeSavedPlan(path, ctx, saved, renderWarehousePlan(plan, ctx.flags.verbose, plainStyle));
  ctx.out.note({
    text: `Saved the plan to ${path}. To apply it:`,
    command: `cdpadm warehouse apply --plan ${shellWord(path)}`,
  });
}

export async function openSaved(ctx: Context, { resources }: SavedContent, allowCommands: boolean | undefined) {
  const rules = await openReferenceRules(ctx, allowCommands === true);
  const entries = resources.map(({ type, definition, folders }): SourcedDefinition => {
    Object.values(folders).forEach(requireInside);
    return {
      ...{ type, definition, masked: maskedSecrets(type, definition), answers: new Map(), rules },
      isGiven: () => false,
      place: (issues) =>
        issues.map(({ path, message }) => ({ path: `${type}/${definition.id}: ${path.join('.')}`, message })),
      folderFor: (path) => resolvePath(folders[path.join('.')] ?? '.', ctx.io.cwd),
    };
  });
  return withGuard(rules, entries);
}

/** Throws guard (12) for a folder outside the working directory, because a plan may come from another machine. */
function requireInside(folder: string): void {
  if (!leavesFolder(folder)) return;
  throw fail('references.not_allowed', {
    message: `Reference not allowed: a \`file:\` path in a saved plan must not be relative to ${folder}, which is outside the working directory.`,
    hint: 'Run the command in a folder above the definitions, or use env:NAME.',
  });
}

/** True for a relative path that leads outside the folder that it is relative to, and for an absolute path. */
export function leavesFolder(path: string): boolean {
  return isAbsolute(path) || /^\.\.(?:[\\/]|$)/.test(normalize(path));
}
