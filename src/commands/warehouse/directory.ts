// A directory of definitions, checked as a whole, and the references in it with their places.
import { explain, type FieldIssue } from '../../lib/contract/explain.ts';
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
} from '../../lib/domain/warehouse/definition.ts';
import {
  maskedSecrets,
  maskIssue,
  secretIssues,
  secretUses,
  withoutPaths,
} from '../../lib/domain/warehouse/secrets.ts';
import { placeIssues, withoutSchemaHint } from '../../lib/files/load.ts';
import { type DirectoryFile, folderOf, readWarehouseDir, withSqlText } from '../../lib/files/warehouse-dir.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import { invalidInput, type Issue, type KnownError } from '../../lib/kernel/errors.ts';
import { isRecord } from '../../lib/kernel/json.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { JudgedReference, ReferenceRules } from '../../lib/runtime/reference-rules.ts';
import { inNeutralWords } from '../../lib/runtime/neutral-words.ts';
import { createEndpoint } from '../definition-input.ts';

/** A definition and the file that it is from. */
export interface DirectoryEntry {
  type: ResourceType;
  definition: Definition;
  folder: string;
  file: DirectoryFile;
  /** Where a mask stands in a secret's place: no difference, and never sent. */
  masked: (readonly string[])[];
}

/**
 * Reads and checks every file. Throws invalid input (9) with all issues of all files; a mask in a secret's place is one
 * only where nobody can be asked for the secret and something else is wrong, too.
 */
export async function readDirectory(
  ctx: Context,
  dir: string,
  rules: ReferenceRules | undefined,
): Promise<DirectoryEntry[]> {
  const issues: Issue[] = [];
  const masks: Issue[] = [];
  const entries: DirectoryEntry[] = [];
  const files = await readWarehouseDir(dir, Object.values(GROUPS), ctx);
  const referred = new Set(files.flatMap((file) => filesReferredTo(typeOf(file), file, ctx.io.cwd)));
  for (const file of files) {
    // A key beside the definition that refers to it is no definition.
    if (referred.has(resolvePath(file.path, ctx.io.cwd))) continue;
    const type = typeOf(file);
    const folder = folderOf(file.path, ctx.io.cwd);
    const { definition, masked, found } = await check(ctx, type, file, folder);
    const twin = definition && entries.find((it) => it.type === type && it.definition.id === definition.id);
    if (twin)
      found.push({ path: ['id'], message: `\`${twin.definition.id}\` is defined in ${twin.file.path} already` });
    issues.push(...placeIssues(file.document, found));
    masks.push(...placeIssues(file.document, masked.map(maskIssue)));
    if (!definition) continue;
    const entry = { type, definition, folder, file, masked };
    for (const reference of referencesOf(entry)) {
      const own = rules?.ownSecret(reference);
      if (own !== undefined) issues.push(reference.issue(own));
    }
    entries.push(entry);
  }
  if (issues.length > 0) throw invalidFolder(dir, ctx.prompt.possible ? issues : [...masks, ...issues]);
  return entries;
}

function typeOf({ group }: DirectoryFile): ResourceType {
  return RESOURCE_TYPES.find((known) => GROUPS[known] === group) ?? 'connection';
}

/** The paths of `file:` references, as far as they can be seen before the file is checked. */
function filesReferredTo(type: ResourceType, { document, path }: DirectoryFile, cwd: string): string[] {
  const { value } = document;
  if (!isRecord(value)) return [];
  return SECRET_PATHS[type].flatMap((field) => {
    const target = /^file:\s*(\S.*)$/s.exec(String(valueAt(value, field)))?.[1];
    return target === undefined ? [] : [resolvePath(target.trim(), folderOf(path, cwd))];
  });
}

/** Invalid input (9) with these issues. */
export function invalidFolder(dir: string, issues: Issue[]): KnownError {
  const count = issues.length === 1 ? 'one issue' : `${issues.length} issues`;
  return invalidInput(`${dir} is not a valid folder of definitions: ${count}. Nothing was sent.`, issues);
}

async function check(
  ctx: Context,
  type: ResourceType,
  { document }: DirectoryFile,
  folder: string,
): Promise<{ definition?: Definition; masked: (readonly string[])[]; found: FieldIssue[] }> {
  const endpoint = createEndpoint(type);
  const value = await inNeutralWords(ctx, endpoint, withoutSchemaHint(document.value));
  if (!isRecord(value) || !endpoint.body) {
    return { masked: [], found: [{ path: [], message: `a ${NOUNS[type]} is a map of its fields` }] };
  }
  const expanded = type === 'data_model' ? await withSqlText(value, folder, ctx) : { value, issues: [] };
  const misfits = expanded.issues.length > 0 ? expanded.issues : explain(endpoint.body, expanded.value);
  const masked = maskedSecrets(type, expanded.value);
  const found = [...misfits, ...secretIssues(type, withoutPaths(expanded.value, masked))];
  if (found.length > 0) return { masked, found };
  const definition = toDefinition(endpoint.body.parse(expanded.value) as Record<string, unknown>);
  return { definition, masked, found };
}

/** Tells what is allowed and deserves a second look. */
export function tellDirectoryAdvice(ctx: Context, entries: readonly DirectoryEntry[]): void {
  for (const { type, definition, file } of entries) {
    for (const issue of placeIssues(file.document, adviseOn(type, definition))) ctx.out.warn(issue);
  }
}

export function referencesOf(entry: {
  type: ResourceType;
  definition: Definition;
  folder: string;
  file: DirectoryFile;
}): JudgedReference[] {
  return secretUses(entry.type, entry.definition).map(({ path, reference }) => ({
    reference,
    folder: entry.folder,
    given: false,
    issue: (message) => {
      const [issue] = placeIssues(entry.file.document, [{ path: [...path], message }]);
      return issue ?? { path: path.join('.'), message };
    },
  }));
}
