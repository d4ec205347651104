// A directory of definitions, checked as a whole, and the plan that it makes with what the platform holds.
import { explain } from '../../lib/contract/explain.ts';
import type { FieldIssue } from '../../lib/contract/explain.ts';
import { adviseOn } from '../../lib/domain/warehouse/advice.ts';
import {
  type Definition,
  RESOURCE_TYPES,
  type ResourceType,
  toDefinition,
} from '../../lib/domain/warehouse/definition.ts';
import { type ByType, planWarehouse, type WarehousePlan } from '../../lib/domain/warehouse/plan.ts';
import { secretIssues, secretUses, type SecretUse } from '../../lib/domain/warehouse/secrets.ts';
import { placeIssues } from '../../lib/files/load.ts';
import { type DirectoryFile, readWarehouseDir } from '../../lib/files/warehouse-dir.ts';
import { folderOf, withSqlText } from '../../lib/files/warehouse-file.ts';
import { invalidInput, type Issue } from '../../lib/kernel/errors.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { resolveFileSecret } from '../../lib/runtime/file-secrets.ts';
import { inNeutralWords } from '../../lib/runtime/neutral-words.ts';
import { type SecretMemory, secretPlace } from '../../lib/runtime/secret-memory.ts';
import { readLive } from '../../lib/workflows/warehouse-apply.ts';
import { GROUPS, NOUNS, type ResourceReply } from '../../lib/workflows/warehouse-calls.ts';
import { CREATE_ENDPOINTS } from '../definition-input.ts';

/** A definition and the file that it is from. */
export interface DirectoryEntry {
  type: ResourceType;
  definition: Definition;
  folder: string;
  file: DirectoryFile;
}

export interface PlannedDirectory {
  plan: WarehousePlan;
  live: ByType<ResourceReply>;
  wanted: ByType<Definition>;
}

/** Reads and checks every file. Throws invalid input (9) with all issues of all files. */
export async function readDirectory(ctx: Context, dir: string): Promise<DirectoryEntry[]> {
  const issues: Issue[] = [];
  const entries: DirectoryEntry[] = [];
  for (const file of await readWarehouseDir(dir, Object.values(GROUPS), ctx.io)) {
    const type = RESOURCE_TYPES.find((known) => GROUPS[known] === file.group) ?? 'connection';
    const folder = folderOf(file.path, ctx.io.cwd);
    const { definition, found } = await check(ctx, type, file, folder);
    const twin = definition && entries.find((it) => it.type === type && it.definition.id === definition.id);
    if (twin)
      found.push({ path: ['id'], message: `\`${twin.definition.id}\` is defined in ${twin.file.path} already` });
    issues.push(...placeIssues(file.document, found));
    if (definition) entries.push({ type, definition, folder, file });
  }
  if (issues.length > 0) {
    const count = issues.length === 1 ? 'one issue' : `${issues.length} issues`;
    throw invalidInput(`${dir} is not a valid folder of definitions: ${count}. Nothing was sent.`, issues);
  }
  return entries;
}

async function check(
  ctx: Context,
  type: ResourceType,
  { document }: DirectoryFile,
  folder: string,
): Promise<{ definition?: Definition; found: FieldIssue[] }> {
  const endpoint = CREATE_ENDPOINTS[type];
  const value = await inNeutralWords(ctx, endpoint, document.value);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !endpoint.body) {
    return { found: [{ path: [], message: `a ${NOUNS[type]} is a map of its fields` }] };
  }
  const { $schema: _hint, ...fields } = value as Record<string, unknown>;
  const expanded = type === 'data_model' ? await withSqlText(fields, folder, ctx.io) : { value: fields, issues: [] };
  const misfits = expanded.issues.length > 0 ? expanded.issues : explain(endpoint.body, expanded.value);
  const found = [...misfits, ...secretIssues(type, expanded.value)];
  if (found.length > 0) return { found };
  const definition = toDefinition(endpoint.body.parse(expanded.value) as Record<string, unknown>);
  return { definition, found };
}

/** Tells what is allowed and deserves a second look. */
export function tellDirectoryAdvice(ctx: Context, entries: readonly DirectoryEntry[]): void {
  for (const { type, definition, file } of entries) {
    for (const issue of placeIssues(file.document, adviseOn(type, definition))) {
      ctx.out.warn(`${issue.file}:${issue.line}:${issue.column}: ${issue.path}: ${issue.message}`);
    }
  }
}

/** Reads what the platform holds and compares. Throws invalid input (9) for a pipeline whose parts are nowhere. */
export async function planDirectory(
  ctx: Context,
  entries: readonly DirectoryEntry[],
  memory: SecretMemory,
  sendAll: boolean,
): Promise<PlannedDirectory> {
  const live = await readLive(await ctx.api(), ctx.signal);
  const of = (type: ResourceType) => entries.filter((it) => it.type === type).map(({ definition }) => definition);
  const wanted = { connection: of('connection'), data_model: of('data_model'), pipeline: of('pipeline') };
  checkReferences(entries, wanted);
  const changed = sendAll ? undefined : await changedSecrets(ctx, entries, memory);
  const plan = planWarehouse({
    scope: memory.scope,
    live: live as ByType<Definition>,
    wanted,
    sendSecrets: (type, { id }) => changed === undefined || changed.has(`${type}/${id}`),
  });
  return { plan, live, wanted };
}

/** A secret of an entry, had now. */
export async function secretOf(
  ctx: Context,
  { type, definition, folder }: Pick<DirectoryEntry, 'type' | 'definition' | 'folder'>,
  { path, reference }: SecretUse,
): Promise<string> {
  return await resolveFileSecret(ctx, reference, {
    folder,
    field: path.at(-1) ?? '',
    what: `${path.at(-1) ?? ''} of ${NOUNS[type]} ${definition.id}`,
  });
}

/** Where the memory keeps the hash of a secret. */
export function placeOf(
  { type, definition }: Pick<DirectoryEntry, 'type' | 'definition'>,
  { path }: SecretUse,
): string {
  return secretPlace(type, definition.id, path.join('.'));
}

/** Entries whose secret was sent from here before and is another one now. */
async function changedSecrets(
  ctx: Context,
  entries: readonly DirectoryEntry[],
  memory: SecretMemory,
): Promise<Set<string>> {
  const changed = new Set<string>();
  for (const entry of entries) {
    for (const use of secretUses(entry.type, entry.definition)) {
      const place = placeOf(entry, use);
      if (!memory.knows(place)) continue;
      try {
        if (memory.isChanged(place, await secretOf(ctx, entry, use)))
          changed.add(`${entry.type}/${entry.definition.id}`);
      } catch (error) {
        ctx.out.verbose(`Not compared: ${(error as Error).message}`);
      }
    }
  }
  return changed;
}

/** A pipeline's connection and data model are deleted when no file defines them, so they must be there. */
function checkReferences(entries: readonly DirectoryEntry[], wanted: ByType<Definition>): void {
  const issues = entries.flatMap(({ type, definition, file }) =>
    type !== 'pipeline'
      ? []
      : (['connection', 'data_model'] as const).flatMap((part) => {
          const field = `${part}_id`;
          if (wanted[part].some(({ id }) => id === definition[field])) return [];
          const message = `no file defines the ${NOUNS[part]} \`${String(definition[field])}\``;
          return placeIssues(file.document, [{ path: [field], message }]);
        }),
  );
  if (issues.length > 0) throw invalidInput('A pipeline needs what no file defines. Nothing was sent.', issues);
}
