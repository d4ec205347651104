// Reads a definition from a file, flags or both (flags override the file), and reads its secrets before it is sent.
import { isMask, MASK } from '../lib/contract/masks.ts';
import {
  type Definition,
  NOUNS,
  type ResourceType,
  withValue,
  isReference,
  type SecretUse,
  secretUses,
  adviseOn,
  SECRET_PATHS,
  toDefinition,
  valueAt,
  isMaskIssue,
  secretIssues,
  withoutPaths,
} from '../lib/domain/warehouse/definition.ts';
import { type FieldIssue, parseWith, showPath } from '../lib/contract/explain.ts';
import { type Issue, invalidInput, type KnownError } from '../lib/kernel/errors.ts';
import type { Context } from '../lib/runtime/context.ts';
import { type JudgedReference, type ReferenceRules, openReferenceRules } from '../lib/runtime/reference-rules.ts';
import { flagOf, type GivenField } from './definition-flags.ts';
import { connectionsEndpoints, needsSecret } from '../lib/contract/connections.ts';
import { dataModelsEndpoints } from '../lib/contract/data-models.ts';
import type { Endpoint } from '../lib/contract/endpoint.ts';
import { pipelinesEndpoints } from '../lib/contract/pipelines.ts';
import { fail } from '../lib/errors/fail.ts';
import { type LoadedDocument, placeIssues } from '../lib/files/load.ts';
import { folderOf, SQL_FILE, withSqlText } from '../lib/files/warehouse-dir.ts';
import { isRecord } from '../lib/kernel/json.ts';
import { counted } from '../lib/kernel/words.ts';
import type { ResourceReply } from '../lib/workflows/warehouse-apply.ts';
import { inNeutralWords, loadDefinition } from './find-resource.ts';

/** A checked definition whose secrets have not yet been read. */
export interface SourcedDefinition {
  readonly type: ResourceType;
  readonly definition: Definition;
  /** Returns the folder that paths in this field are relative to. */
  folderFor(path: readonly string[]): string;
  /** Paths of masked secrets, which the command prompts for on a terminal. A mask is never sent. */
  readonly masked: readonly (readonly string[])[];
  /** Answers to the prompts for masked secrets, by dotted path: each is a secret or a reference. */
  readonly answers: Map<string, string>;
  readonly rules: ReferenceRules;
  /** True if a flag set this field: a reference on the command line needs no permission. */
  isGiven(path: readonly string[]): boolean;
  /** Returns issues about fields with their positions in a file, or with the flags of the fields. */
  place(issues: readonly FieldIssue[]): Issue[];
}

type PlacedUse = SecretUse & JudgedReference;

export function referencesOf(source: SourcedDefinition): PlacedUse[] {
  return usesOf(source)
    .filter(({ reference }) => isReference(reference))
    .map((use) => ({
      ...use,
      given: source.isGiven(use.path) || source.answers.has(use.path.join('.')),
      folder: source.folderFor(use.path),
      issue: (message) => source.place([{ path: [...use.path], message }])[0] ?? { path: use.path.join('.'), message },
    }));
}

/** Returns the path and the reference of every secret that a write sends, for its plan. */
export function usesOf({ type, definition, answers }: SourcedDefinition): SecretUse[] {
  const answered = [...answers].map(([path, answer]) => {
    return { path: path.split('.'), reference: isReference(answer) ? answer : 'typed at the prompt' };
  });
  return [...secretUses(type, definition), ...answered];
}

/** Asks for the masked secrets. Throws usage (2) if there is no terminal. */
export async function askForSecrets(ctx: Context, source: SourcedDefinition): Promise<void> {
  for (const path of source.masked.filter((one) => !source.answers.has(one.join('.')))) {
    const check = (text: string): string | undefined => {
      if (text.trim() === '') return 'The secret is empty.';
      return isMask(text) ? 'This is a mask, not a secret.' : undefined;
    };
    const question = `${nameOf(source, path)} (or env:NAME, file:PATH, keychain:NAME, command:LINE):`;
    const answer = await ctx.prompt.secret(question, { flag: flagOf(source.type, path) ?? '-f', check });
    if (!isReference(answer)) ctx.redactor.add(answer);
    source.answers.set(path.join('.'), answer);
  }
  source.rules.refuseOwnSecrets(referencesOf(source));
}

/** Throws auth (4) if a secret cannot be read. Skips commands and keychains, which may prompt the user. */
export async function checkSecrets(source: SourcedDefinition): Promise<void> {
  for (const use of referencesOf(source)) if (/^(?:env|file):/.test(use.reference)) await secretOf(source, use);
}

export async function secretOf(source: SourcedDefinition, use: PlacedUse): Promise<string> {
  return await source.rules.read(use, { field: use.path.at(-1) ?? '', what: nameOf(source, use.path) });
}

/** Returns `definition` with its secrets, to be sent. `onSecret` gets each secret with its path. */
export async function bodyWithSecrets(
  source: SourcedDefinition,
  definition: Definition,
  onSecret: (path: string, secret: string) => void,
): Promise<Definition> {
  let body = definition;
  const put = (path: readonly string[], secret: string): void => {
    body = withValue(body, path, secret);
    onSecret(path.join('.'), secret);
  };
  for (const path of source.masked) {
    const answer = source.answers.get(path.join('.'));
    if (answer === undefined || isReference(answer)) body = withValue(body, path, undefined);
    else put(path, answer);
  }
  for (const use of referencesOf(source)) put(use.path, await secretOf(source, use));
  return body;
}

/** Returns a name for messages, such as `password of connection crm`. */
function nameOf({ type, definition }: SourcedDefinition, path: readonly string[]): string {
  return `${path.at(-1) ?? ''} of ${NOUNS[type]} ${definition.id}`;
}

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
export async function readSource(ctx: Context, type: ResourceType, source: DefinitionSource) {
  const { document, value, folder, issues } = await assembled(ctx, type, source);
  const masked = openSecrets(ctx, type, value);
  const filled = masked.reduce((copy, path) => withValue(copy, path, MASK), value);
  const { definition, issues: misfits } = check(type, filled, source);
  const place = (found: readonly FieldIssue[]) => placesOf(type, source, document, found);
  if (issues.length === 0) issues.push(...misfits);
  issues.push(...secretIssues(type, withoutPaths(filled, [...masked, ...keptSecrets(type, source)])));
  if (issues.length > 0) throw invalidSource(type, document, issues, place(issues));
  const sourced: SourcedDefinition = {
    ...{ type, definition, folderFor: () => folder, masked, answers: new Map() },
    rules: await openReferenceRules(ctx, source.allowCommands),
    isGiven: (path) => source.fields.some((field) => field.path.join('.') === path.join('.')),
    place,
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
function check(type: ResourceType, value: Record<string, unknown>, { file, live }: DefinitionSource) {
  const { definition = value as Definition, issues } = parseDefinition(type, value);
  const key = ({ path, message }: FieldIssue): string => JSON.stringify([path, message]);
  const known = live && file === undefined && issues.length > 0 ? parseDefinition(type, toDefinition(live)).issues : [];
  const before = new Set(known.map(key));
  return { definition, issues: issues.filter((issue) => !before.has(key(issue))) };
}

export function parseDefinition(type: ResourceType, value: unknown) {
  const { body } = DEFINITIONS[type].create();
  if (!body) throw new TypeError('a definition has a schema');
  const { data, issues } = parseWith(body, value);
  return { definition: data ? toDefinition(data as Record<string, unknown>) : undefined, issues };
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
  document: LoadedDocument | undefined,
  found: readonly FieldIssue[],
  issues: readonly Issue[],
): KnownError {
  const [flag] = found.filter(isMaskIssue).flatMap(({ path }) => flagOf(type, path) ?? []);
  const hint = flag && `Pass ${flag} env:NAME, or run the command in a terminal, where it asks for the secret.`;
  const problem = document ? `${document.name} is not` : 'The flags do not form';
  const message = `${problem} a valid ${NOUNS[type]}: ${counted(issues.length, 'issue')}. Nothing was sent.`;
  if (document) return invalidInput(message, issues, hint);
  return fail('usage', { message, issues, ...(hint !== undefined && { hint }) });
}
