// Reads a folder of definitions, checks all of them, and plans the difference from the platform.
import { explain } from '../../lib/contract/explain.ts';
import {
  adviseOn,
  type Definition,
  GROUPS,
  NOUNS,
  RESOURCE_TYPES,
  type ResourceType,
  SECRET_PATHS,
  toDefinition,
  valueAt,
  maskedSecrets,
  maskIssue,
  secretIssues,
  withoutPaths,
} from '../../lib/domain/warehouse/definition.ts';
import { type ByType, planWarehouse, type WarehousePlan } from '../../lib/domain/warehouse/plan.ts';
import { placeIssues, withoutSchemaHint } from '../../lib/files/load.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import { type DirectoryFile, folderOf, readWarehouseDir, withSqlText } from '../../lib/files/warehouse-dir.ts';
import { invalidInput, type Issue, type KnownError } from '../../lib/kernel/errors.ts';
import { isRecord } from '../../lib/kernel/json.ts';
import { counted } from '../../lib/kernel/words.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { type SecretMemory, secretKey } from '../../lib/runtime/memory/secrets.ts';
import { inNeutralWords } from '../../lib/runtime/neutral-words.ts';
import {
  guardReferences,
  openReferenceRules,
  type ReferenceRules,
  refuseOwnSecrets,
} from '../../lib/runtime/reference-rules.ts';
import { readLive, type ResourceReply } from '../../lib/workflows/warehouse-apply.ts';
import { DEFINITIONS } from '../definition-input.ts';
import { referencesOf, secretOf, type SourcedDefinition } from '../definition-secrets.ts';
import { array, boolean, enum as oneOf, number, object, record, string, unknown } from 'zod/mini';
import { workspaceTarget } from '../results.ts';

function planFields() {
  return {
    plan: string(),
    steps: array(
      object({
        action: oneOf(['create', 'update', 'delete']),
        type: oneOf(RESOURCE_TYPES),
        id: string(),
        // Values of a definition hold any JSON.
        changes: record(string(), object({ from: unknown(), to: unknown() })),
        secrets: array(string()),
        references: record(string(), string()),
        resets: boolean(),
      }),
    ),
    unchanged: array(string()),
    summary: object({ create: number(), update: number(), delete: number(), unchanged: number() }),
  };
}

export function planResult() {
  return object(planFields());
}

export function appliedResult() {
  return object({ ...planFields(), applied: boolean(), target: workspaceTarget() });
}

export function exportedFile() {
  return object({
    type: oneOf(RESOURCE_TYPES),
    id: string(),
    file: string(),
    action: oneOf(['written', 'updated', 'unchanged']),
  });
}

/** A definition and its file. */
export interface DirectoryEntry extends SourcedDefinition {
  readonly file: DirectoryFile;
}

/** Reads a folder whose definitions will be compared or sent, and warns about what is probably not intended. */
export async function openDirectory(ctx: Context, dir: string, allowCommands = false) {
  const rules = await openReferenceRules(ctx, allowCommands);
  const entries = await readDirectory(ctx, dir, rules);
  refuseOwnSecrets(rules, entries.flatMap(referencesOf));
  for (const { type, definition, file } of entries) {
    for (const issue of placeIssues(file.document, adviseOn(type, definition))) ctx.out.warn(issue);
  }
  return { entries, guard: () => guardReferences(rules, entries.flatMap(referencesOf)) };
}

/**
 * Reads and checks every file. Throws invalid input (9) with all issues of all files. A masked secret is an issue only if
 * there is another issue and no terminal.
 */
export async function readDirectory(ctx: Context, dir: string, rules: ReferenceRules): Promise<DirectoryEntry[]> {
  const issues: Issue[] = [];
  const masks: Issue[] = [];
  const entries: DirectoryEntry[] = [];
  const files = await readWarehouseDir(dir, Object.values(GROUPS), ctx);
  const referred = new Set(files.flatMap((file) => filesReferredTo(file, ctx.io.cwd)));
  for (const file of files) {
    // A JSON key file next to a definition is not a definition.
    if (referred.has(resolvePath(file.path, ctx.io.cwd))) continue;
    const { document } = file;
    const type = typeOf(file);
    const folder = folderOf(file.path, ctx.io.cwd);
    const { value, found } = await check(ctx, type, file, folder);
    const masked = maskedSecrets(type, value);
    masks.push(...placeIssues(document, masked.map(maskIssue)));
    issues.push(...placeIssues(document, found));
    if (found.length > 0) continue;
    const definition = toDefinition(value);
    const twin = entries.find((it) => it.type === type && it.definition.id === definition.id);
    if (twin) {
      const message = `\`${definition.id}\` is already defined in ${twin.file.path}`;
      issues.push(...placeIssues(document, [{ path: ['id'], message }]));
    }
    const issueAt = (path: readonly string[], message: string): Issue =>
      placeIssues(document, [{ path: [...path], message }])[0] ?? { path: path.join('.'), message };
    entries.push({ type, definition, folder, file, masked, answers: new Map(), rules, isGiven: () => false, issueAt });
  }
  if (issues.length > 0) throw invalidFolder(dir, ctx.prompt.possible ? issues : [...masks, ...issues]);
  return entries;
}

function typeOf({ group }: DirectoryFile): ResourceType {
  return RESOURCE_TYPES.find((known) => GROUPS[known] === group) ?? 'connection';
}

/** The paths of `file:` references, before the file is checked. */
function filesReferredTo(file: DirectoryFile, cwd: string): string[] {
  return SECRET_PATHS[typeOf(file)].flatMap((field) => {
    const target = /^file:\s*(\S.*)$/s.exec(String(valueAt(file.document.value, field)))?.[1];
    return target === undefined ? [] : [resolvePath(target.trim(), folderOf(file.path, cwd))];
  });
}

/** Invalid input (9) with these issues. */
function invalidFolder(dir: string, issues: Issue[]): KnownError {
  const count = counted(issues.length, 'issue');
  return invalidInput(`${dir} is not a valid folder of definitions: ${count}. Nothing was sent.`, issues);
}

async function check(ctx: Context, type: ResourceType, { document }: DirectoryFile, folder: string) {
  const endpoint = DEFINITIONS[type].create();
  const value = await inNeutralWords(ctx, endpoint, withoutSchemaHint(document.value));
  if (!isRecord(value) || !endpoint.body) {
    return { value: {}, found: [{ path: [], message: `a ${NOUNS[type]} is a map of its fields` }] };
  }
  const expanded = type === 'data_model' ? await withSqlText(value, folder, ctx) : { value, issues: [] };
  const misfits = expanded.issues.length > 0 ? expanded.issues : explain(endpoint.body, expanded.value);
  const found = [...misfits, ...secretIssues(type, withoutPaths(expanded.value, maskedSecrets(type, expanded.value)))];
  const parsed = found.length > 0 ? expanded.value : (endpoint.body.parse(expanded.value) as Record<string, unknown>);
  return { value: parsed, found };
}

/** The entries that the plan sends. */
export function entriesSent({ steps }: WarehousePlan, entries: readonly DirectoryEntry[]): DirectoryEntry[] {
  return steps.flatMap(({ type, id }) => entries.filter((it) => it.type === type && it.definition.id === id));
}

/** The masks of secrets that the plan would have to send. */
export function masksInTheWay(plan: WarehousePlan, entries: readonly DirectoryEntry[]): Issue[] {
  return entriesSent(plan, entries).flatMap(({ file, masked }) => placeIssues(file.document, masked.map(maskIssue)));
}

export interface PlannedDirectory {
  plan: WarehousePlan;
  live: ByType<ResourceReply>;
  wanted: ByType<Definition>;
}

/**
 * Reads the platform and compares. Throws invalid input (9) for a pipeline whose parts no file defines, and for masks of
 * secrets that would have to be sent if there is no terminal.
 */
export async function planDirectory(
  ctx: Context,
  dir: string,
  entries: readonly DirectoryEntry[],
  memory: SecretMemory,
  { sendAll }: { sendAll: boolean },
): Promise<PlannedDirectory> {
  const live = await readLive(await ctx.api(), ctx.signal);
  const of = (type: ResourceType) => entries.filter((it) => it.type === type).map(({ definition }) => definition);
  const wanted = { connection: of('connection'), data_model: of('data_model'), pipeline: of('pipeline') };
  checkParts(entries, wanted);
  const changed = sendAll ? undefined : await changedSecrets(ctx, entries, memory);
  const plan = planWarehouse({
    scope: memory.scope,
    live: live as ByType<Definition>,
    wanted,
    sendSecrets: (type, { id }) => changed === undefined || changed.has(`${type}/${id}`),
  });
  const masks = ctx.prompt.possible ? [] : masksInTheWay(plan, entries);
  if (masks.length > 0) throw invalidFolder(dir, masks);
  return { plan, live, wanted };
}

/** Entries with a secret that this machine sent before and that has changed. */
async function changedSecrets(
  ctx: Context,
  entries: readonly DirectoryEntry[],
  memory: SecretMemory,
): Promise<Set<string>> {
  const changed = new Set<string>();
  for (const entry of entries) {
    const { type, definition } = entry;
    for (const use of referencesOf(entry)) {
      const key = secretKey(type, definition.id, use.path.join('.'));
      if (!memory.knows(key)) continue;
      try {
        if (memory.isChanged(key, await secretOf(ctx, entry, use))) changed.add(`${type}/${definition.id}`);
      } catch (error) {
        ctx.out.verbose(`Not compared: ${(error as Error).message}`);
      }
    }
  }
  return changed;
}

/** Resources that no file defines are deleted, so a pipeline needs files for its connection and data model. */
function checkParts(entries: readonly DirectoryEntry[], wanted: ByType<Definition>): void {
  const issues = entries.flatMap(({ type, definition, file }) =>
    (['connection', 'data_model'] as const).flatMap((part) => {
      const field = `${part}_id`;
      if (type !== 'pipeline' || wanted[part].some(({ id }) => id === definition[field])) return [];
      const message = `no file defines the ${NOUNS[part]} \`${String(definition[field])}\``;
      return placeIssues(file.document, [{ path: [field], message }]);
    }),
  );
  if (issues.length > 0)
    throw invalidInput('A pipeline uses a resource that no file defines. Nothing was sent.', issues);
}
