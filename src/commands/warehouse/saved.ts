// Saved plans of `warehouse diff`: the wanted resources with references to their secrets, never the secrets.
import { isAbsolute, relative } from 'node:path';
import { array, boolean, enum as oneOf, type infer as Infer, looseObject, object, record, string } from 'zod/mini';
import { maskedSecrets, RESOURCE_TYPES, secretUses } from '../../lib/domain/warehouse/definition.ts';
import type { WarehousePlan } from '../../lib/domain/warehouse/plan.ts';
import { fail } from '../../lib/errors/fail.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import { writeSavedPlan } from '../../lib/files/saved-plan.ts';
import { plainStyle } from '../../lib/render/style.ts';
import { renderWarehousePlan } from '../../lib/render/warehouse.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { SecretMemory } from '../../lib/runtime/memory/secrets.ts';
import { openReferenceRules } from '../../lib/runtime/reference-rules.ts';
import { type PlaceableDefinition, withGuard } from './directory.ts';

export function savedContent() {
  return object({
    prune: boolean(),
    only: array(string()),
    /** Resources whose secrets changed, as this machine knows: `connection/crm`. */
    resend: array(string()),
    resources: array(
      object({
        type: oneOf(RESOURCE_TYPES),
        definition: looseObject({ id: string() }),
        /** The folders that `file:` references start from, by field; relative to the working folder. */
        folders: record(string(), string()),
      }),
    ),
  });
}

export type SavedContent = Infer<ReturnType<typeof savedContent>>;

export function savePlan(
  ctx: Context,
  path: string,
  plan: WarehousePlan,
  entries: readonly PlaceableDefinition[],
  { scope }: SecretMemory,
  flags: Omit<SavedContent, 'resources'>,
): void {
  const resources = entries.map(({ type, definition, folderFor }) => {
    const files = secretUses(type, definition).filter(({ reference }) => reference.startsWith('file:'));
    const folders = files.map((use) => [use.path.join('.'), relative(ctx.io.cwd, folderFor(use.path)) || '.']);
    return { type, definition, folders: Object.fromEntries(folders) as Record<string, string> };
  });
  resources.flatMap(({ folders }) => Object.values(folders)).forEach(requireInside);
  const saved = { kind: 'warehouse', target: scope, plan: plan.plan, content: { ...flags, resources } } as const;
  writeSavedPlan(path, ctx, saved, renderWarehousePlan(plan, ctx.flags.verbose, plainStyle));
  ctx.out.note({ text: `Saved the plan in ${path}. To apply it:`, command: `cdpadm warehouse apply --plan ${path}` });
}

/** The definitions of a saved plan. */
export async function openSaved(ctx: Context, { resources }: SavedContent, allowCommands: boolean | undefined) {
  const rules = await openReferenceRules(ctx, allowCommands === true);
  const entries = resources.map(({ type, definition, folders }): PlaceableDefinition => {
    Object.values(folders).forEach(requireInside);
    const issueAt = (path: readonly (string | number)[], message: string) => {
      return { path: `${type}/${definition.id}: ${path.join('.')}`, message };
    };
    return {
      ...{ type, definition, masked: maskedSecrets(type, definition), answers: new Map(), rules, issueAt },
      isGiven: () => false,
      place: (issues) => issues.map(({ path, message }) => issueAt(path, message)),
      folderFor: (path) => resolvePath(folders[path.join('.')] ?? '.', ctx.io.cwd),
    };
  });
  return withGuard(rules, entries);
}

/** Throws guard (12). A plan may be made by another machine, whose files outside of the working folder it cannot name. */
function requireInside(folder: string): void {
  if (!isAbsolute(folder) && !/^\.\.(?:[\\/]|$)/.test(folder)) return;
  throw fail('references.not_allowed', {
    message: `Reference not allowed: a \`file:\` in a saved plan cannot start from ${folder}, outside of the working folder.`,
    hint: 'Run the command in a folder above the definitions, or use env:NAME.',
  });
}
