// Reads folders of definitions, merges overlays, and checks every definition.
import type { FieldIssue } from '../../lib/contract/explain.ts';
import {
  adviseOn,
  GROUPS,
  NOUNS,
  RESOURCE_TYPES,
  type ResourceType,
  SECRET_PATHS,
  valueAt,
  maskedSecrets,
  maskIssue,
  mergeFields,
  secretIssues,
  withoutPaths,
} from '../../lib/domain/warehouse/definition.ts';
import { placeIssues, withoutSchemaHint } from '../../lib/files/load.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import { type DirectoryFile, folderOf, readWarehouseDir, withSqlText } from '../../lib/files/warehouse-dir.ts';
import { invalidInput, type Issue, type KnownError, usageError } from '../../lib/kernel/errors.ts';
import { isRecord } from '../../lib/kernel/json.ts';
import { namesIn } from '../../lib/kernel/temporary-file.ts';
import { counted } from '../../lib/kernel/words.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { inNeutralWords } from '../find-resource.ts';
import { openReferenceRules, type ReferenceRules } from '../../lib/runtime/reference-rules.ts';
import { DEFINITIONS, parseDefinition, referencesOf, type SourcedDefinition } from '../definition-input.ts';

export interface DirectoryEntry extends SourcedDefinition {
  /** File in the base folder. Overlays may change some of its fields. */
  readonly file: DirectoryFile;
}

/** A resource's file, from the folder itself or from an overlay. */
interface Layer {
  dir: string;
  file: DirectoryFile;
  value: Record<string, unknown>;
}

/** Files of one resource, in the order in which they are merged. */
interface Draft {
  type: ResourceType;
  layers: [Layer, ...Layer[]];
}

/** Reads folders to compare or send. Warns about likely mistakes. Throws usage (2) for a folder without definitions. */
export async function openDirectory(ctx: Context, dirs: readonly [string, ...string[]], allowCommands = false) {
  const rules = await openReferenceRules(ctx, allowCommands);
  const opened = withGuard(rules, await readDirectory(ctx, dirs, rules));
  dirs.forEach((dir, at) => {
    const names = namesIn(resolvePath(dir, ctx.io.cwd)).filter((name) => !name.startsWith('.'));
    const groups = Object.values(GROUPS);
    // An empty folder is allowed for --prune, but not as an overlay.
    if (names.some((name) => groups.includes(name)) || (names.length === 0 && at === 0)) return;
    throw usageError(`${dir} contains none of the folders ${groups.join(', ')}.`, 'Pass their parent folder.');
  });
  for (const { type, definition, place } of opened.entries) {
    for (const issue of place(adviseOn(type, definition))) ctx.out.warn(issue);
  }
  return opened;
}

/** Throws invalid input (9) for references to our own secrets. `guard` throws guard (12) for references not allowed. */
export function withGuard(rules: ReferenceRules, entries: readonly SourcedDefinition[]) {
  const references = entries.flatMap(referencesOf);
  rules.refuseOwnSecrets(references);
  return { entries, guard: () => rules.guard(references) };
}

/** Each folder is an overlay of the previous ones. Throws invalid input (9) with all issues of all files. */
export async function readDirectory(ctx: Context, dirs: readonly [string, ...string[]], rules: ReferenceRules) {
  const { drafts, issues } = await readDrafts(ctx, dirs);
  const masks: Issue[] = [];
  const entries: DirectoryEntry[] = [];
  for (const { type, layers } of drafts) {
    const layerOf = (path: readonly (string | number)[]): Layer =>
      layers.findLast(({ value }) => valueAt(value, path.map(String)) !== undefined) ?? layers[0];
    const place = (found: readonly FieldIssue[]): Issue[] =>
      found.flatMap((issue) => placeIssues(layerOf(issue.path).file.document, [issue]));
    const value = layers.map((layer) => layer.value).reduce(mergeFields);
    const masked = maskedSecrets(type, value);
    const { definition, issues: invalid } = parseDefinition(type, value);
    const found = [...invalid, ...secretIssues(type, withoutPaths(value, masked))];
    masks.push(...place(masked.map(maskIssue)));
    issues.push(...place(found));
    if (!definition || found.length > 0) continue;
    entries.push({
      ...{ type, definition, file: layers[0].file },
      ...{ masked, answers: new Map(), rules, isGiven: () => false, place },
      folderFor: (path) => folderOf(layerOf(path).file.path, ctx.io.cwd),
    });
  }
  if (issues.length > 0) throw invalidFolder(dirs[0], ctx.prompt.possible ? issues : [...masks, ...issues]);
  return entries;
}

async function readDrafts(ctx: Context, dirs: readonly string[]): Promise<{ drafts: Draft[]; issues: Issue[] }> {
  const drafts: Draft[] = [];
  const issues: Issue[] = [];
  const folders = await Promise.all(
    dirs.map(async (dir, at) => ({ dir, files: await readWarehouseDir(dir, Object.values(GROUPS), ctx, at > 0) })),
  );
  const referred = new Set(folders.flatMap(({ files }) => files.flatMap((file) => filesReferredTo(file, ctx.io.cwd))));
  for (const { dir, files } of folders) {
    for (const file of files) {
      // A JSON key file next to a definition is not a definition.
      if (referred.has(resolvePath(file.path, ctx.io.cwd))) continue;
      const type = typeOf(file);
      const { value, found } = await readFields(ctx, type, file);
      const draft = drafts.find(
        ({ layers }) => layers[0].file.group === file.group && layers[0].value['id'] === value.id,
      );
      const twin = draft?.layers.find((layer) => layer.dir === dir);
      if (twin)
        found.push({ path: ['id'], message: `\`${String(value.id)}\` is already defined in ${twin.file.path}` });
      issues.push(...placeIssues(file.document, found));
      if (found.length > 0) continue;
      if (draft) draft.layers.push({ dir, file, value });
      else drafts.push({ type, layers: [{ dir, file, value }] });
    }
  }
  return { drafts, issues };
}

function typeOf({ group }: DirectoryFile): ResourceType {
  return RESOURCE_TYPES.find((known) => GROUPS[known] === group) ?? 'connection';
}

/** Returns the paths in the file's `file:` references. The file need not be valid. */
function filesReferredTo(file: DirectoryFile, cwd: string): string[] {
  return SECRET_PATHS[typeOf(file)].flatMap((field) => {
    const target = /^file:\s*(\S.*)$/s.exec(String(valueAt(file.document.value, field)))?.[1];
    return target === undefined ? [] : [resolvePath(target.trim(), folderOf(file.path, cwd))];
  });
}

export function invalidFolder(dir: string, issues: Issue[]): KnownError {
  const count = counted(issues.length, 'issue');
  return invalidInput(`${dir} is not a valid folder of definitions: ${count}. Nothing was sent.`, issues);
}

async function readFields(ctx: Context, type: ResourceType, { document, path }: DirectoryFile) {
  const value = await inNeutralWords(ctx, DEFINITIONS[type].create(), withoutSchemaHint(document.value));
  if (!isRecord(value)) {
    return { value: {}, found: [{ path: [], message: `a ${NOUNS[type]} must be a map of fields` }] };
  }
  if (typeof value['id'] !== 'string')
    return { value, found: [{ path: ['id'], message: 'must be the id of the resource' }] };
  const expanded =
    type === 'data_model' ? await withSqlText(value, folderOf(path, ctx.io.cwd), ctx) : { value, issues: [] };
  return { value: expanded.value, found: expanded.issues };
}
