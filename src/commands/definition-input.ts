// Reads a definition from a file, flags or both; flags override the file.
import { connectionsEndpoints, needsSecret } from '../lib/contract/connections.ts';
import { dataModelsEndpoints } from '../lib/contract/data-models.ts';
import type { Endpoint } from '../lib/contract/endpoint.ts';
import { explain, type FieldIssue, parseWith, showPath } from '../lib/contract/explain.ts';
import { isMask, MASK } from '../lib/contract/masks.ts';
import { pipelinesEndpoints } from '../lib/contract/pipelines.ts';
import {
  adviseOn,
  type Definition,
  NOUNS,
  type ResourceType,
  SECRET_PATHS,
  toDefinition,
  valueAt,
  withValue,
  isMaskIssue,
  secretIssues,
  withoutPaths,
} from '../lib/domain/warehouse/definition.ts';
import { fail } from '../lib/errors/fail.ts';
import { type LoadedDocument, placeIssues } from '../lib/files/load.ts';
import { folderOf, SQL_FILE, withSqlText } from '../lib/files/warehouse-dir.ts';
import { invalidInput, type Issue, type KnownError } from '../lib/kernel/errors.ts';
import { isRecord } from '../lib/kernel/json.ts';
import { counted } from '../lib/kernel/words.ts';
import type { Context } from '../lib/runtime/context.ts';
import { inNeutralWords } from '../lib/runtime/neutral-words.ts';
import { openReferenceRules } from '../lib/runtime/reference-rules.ts';
import type { ResourceReply } from '../lib/workflows/warehouse-apply.ts';
import { flagOf, type GivenField } from './definition-flags.ts';
import { loadDefinition } from './definition-file.ts';
import { askForSecrets, referencesOf, type SourcedDefinition } from './definition-secrets.ts';

/** Endpoint that the definition is sent to, and the initial fields if there are only flags. */
export const DEFINITIONS: Readonly<Record<ResourceType, { create: () => Endpoint; blank: Record<string, unknown> }>> = {
  connection: { create: () => connectionsEndpoints.create, blank: { config: {} } },
  data_model: { create: () => dataModelsEndpoints.create, blank: { type: 'sql', config: {} } },
  pipeline: { create: () => pipelinesEndpoints.create, blank: { sync_mode: {}, schedule: {} } },
};

export interface DefinitionSource {
  /** Id on the command line; the id in the file must be the same. */
  id: string | undefined;
  file: string | undefined;
  fields: readonly GivenField[];
  allowCommands: boolean;
  /** Live definition that flags change if there is no file. */
  live?: ResourceReply;
}

/** Throws invalid input (9) with positions in the file, or usage (2) if there are only flags. */
export async function readSource(
  ctx: Context,
  type: ResourceType,
  source: DefinitionSource,
): Promise<SourcedDefinition> {
  const { document, value, folder, issues } = await assembled(ctx, type, source);
  const masked = openSecrets(ctx, type, value);
  const filled = masked.reduce((copy, path) => withValue(copy, path, MASK), value);
  const { definition, issues: misfits } = check(type, filled, source);
  if (issues.length === 0) issues.push(...misfits);
  issues.push(...secretIssues(type, withoutPaths(filled, [...masked, ...keptSecrets(type, source)])));
  if (issues.length > 0) throw invalidSource(type, source, document, issues);
  const sourced: SourcedDefinition = {
    ...{ type, definition, folderFor: () => folder, masked, answers: new Map() },
    rules: await openReferenceRules(ctx, source.allowCommands),
    isGiven: (path) => source.fields.some((field) => field.path.join('.') === path.join('.')),
    place: (found) => placesOf(type, source, document, found),
  };
  sourced.rules.refuseOwnSecrets(referencesOf(sourced));
  await askForSecrets(ctx, sourced);
  for (const issue of sourced.place(adviseOn(type, definition))) ctx.out.warn(issue);
  return sourced;
}

async function assembled(ctx: Context, type: ResourceType, source: DefinitionSource) {
  const { id, file, fields, live } = source;
  const { blank, create } = DEFINITIONS[type];
  const endpoint = create();
  const loaded = file === undefined ? undefined : await loadDefinition(ctx, file, endpoint, NOUNS[type]);
  let value: Record<string, unknown> = loaded?.value ?? (live ? toDefinition(live) : blank);
  const issues: FieldIssue[] = [];
  if (id !== undefined) {
    if (!('id' in value)) value = { id, ...value };
    if (value['id'] !== id) issues.push({ path: ['id'], message: `must be \`${id}\`, the id on the command line` });
  }
  const provider = fields.find(({ flag }) => flag === '--service-provider')?.value;
  // A provider's fields are meaningless for another provider.
  if (live && provider !== undefined && provider !== live['service_provider']) value = { ...value, config: {} };
  for (const field of fields) value = withField(value, field);
  value = (await inNeutralWords(ctx, endpoint, value)) as Record<string, unknown>;
  const folder = file === undefined ? ctx.io.cwd : folderOf(file, ctx.io.cwd);
  const expanded = type === 'data_model' ? await withSqlText(value, folder, ctx) : { value, issues: [] };
  return { document: loaded?.document, value: expanded.value, folder, issues: [...issues, ...expanded.issues] };
}

/** Checks a definition. Ignores issues that the live definition already has, because its values are sent back as is. */
function check(
  type: ResourceType,
  value: Record<string, unknown>,
  { file, live }: DefinitionSource,
): { definition: Definition; issues: FieldIssue[] } {
  const { body: schema } = DEFINITIONS[type].create();
  if (!schema) throw new TypeError('a definition has a schema');
  const { data, issues } = parseWith(schema, value);
  if (data) return { definition: toDefinition(data as Record<string, unknown>), issues: [] };
  const key = ({ path, message }: FieldIssue): string => JSON.stringify([path, message]);
  const before = new Set(live && file === undefined ? explain(schema, toDefinition(live)).map(key) : []);
  return { definition: value as Definition, issues: issues.filter((issue) => !before.has(key(issue))) };
}

function withField(value: Record<string, unknown>, { path, value: item }: GivenField): Record<string, unknown> {
  const [outer = ''] = path;
  const whole = path.length === 1 || isRecord(value[outer]) ? value : { ...value, [outer]: {} };
  // `sql_query` replaces `sql_file`.
  const kept = path.at(-1) === 'sql_query' ? withValue(whole, ['config', SQL_FILE], undefined) : whole;
  return withValue(kept, path, item);
}

/** Returns the paths of the masked and missing secrets to ask for; none without a terminal. */
function openSecrets(ctx: Context, type: ResourceType, value: Record<string, unknown>): (readonly string[])[] {
  if (!ctx.prompt.possible) return [];
  return SECRET_PATHS[type].filter((path) => {
    const held = valueAt(value, path);
    return isMask(held) || (held === undefined && needsSecret(value['service_provider'], path.at(-1) ?? ''));
  });
}

/** Returns the paths of secrets that the platform does not mask and that no flag sets; none if there is a file. */
function keptSecrets(type: ResourceType, { live, file, fields }: DefinitionSource): (readonly string[])[] {
  if (file !== undefined || !live) return [];
  return SECRET_PATHS[type].filter(
    (path) => !isMask(valueAt(live, path)) && !fields.some(({ path: given }) => given.join('.') === path.join('.')),
  );
}

/** Maps each issue to its line in the file, or to the flag of its field. */
function placesOf(
  type: ResourceType,
  { file, fields, live }: DefinitionSource,
  document: LoadedDocument | undefined,
  issues: readonly FieldIssue[],
): Issue[] {
  return issues.flatMap((issue): Issue[] => {
    const dotted = issue.path.join('.');
    const given = fields.find(({ path }) => path.join('.') === dotted)?.flag;
    const flag = given ?? (file === undefined ? flagOf(type, issue.path) : undefined);
    if (document && flag === undefined) return placeIssues(document, [issue]);
    const isKept = file === undefined && live !== undefined && isMaskIssue(issue);
    const message = isKept
      ? 'must be passed again: the platform never returns this secret, and an update sends every field'
      : issue.message;
    return [{ path: flag ?? showPath(issue.path), message }];
  });
}

function invalidSource(
  type: ResourceType,
  source: DefinitionSource,
  document: LoadedDocument | undefined,
  found: readonly FieldIssue[],
): KnownError {
  const issues = placesOf(type, source, document, found);
  const [flag] = found.filter(isMaskIssue).flatMap(({ path }) => flagOf(type, path) ?? []);
  const hint = flag && `Pass ${flag} env:NAME, or run the command in a terminal, where it asks for the secret.`;
  const problem = document ? `${document.name} is not` : 'The flags do not form';
  const message = `${problem} a valid ${NOUNS[type]}: ${counted(issues.length, 'issue')}. Nothing was sent.`;
  if (document) return invalidInput(message, issues, hint);
  return fail('usage', { message, issues, ...(hint !== undefined && { hint }) });
}
