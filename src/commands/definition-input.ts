// A definition from a file, from flags, or from both, flags first; a secret that is shown as a mask is asked for.
import { connectionsEndpoints, needsSecret } from '../lib/contract/connections.ts';
import { dataModelsEndpoints } from '../lib/contract/data-models.ts';
import type { Endpoint } from '../lib/contract/endpoint.ts';
import { explain, type FieldIssue, showPath } from '../lib/contract/explain.ts';
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
} from '../lib/domain/warehouse/definition.ts';
import {
  isMaskIssue,
  isReference,
  secretIssues,
  type SecretUse,
  secretUses,
  withoutPaths,
  withSecrets,
} from '../lib/domain/warehouse/secrets.ts';
import { type LoadedDocument, placeIssues } from '../lib/files/load.ts';
import { folderOf, SQL_FILE, withSqlText } from '../lib/files/warehouse-dir.ts';
import { invalidInput, type Issue, type KnownError } from '../lib/kernel/errors.ts';
import { isRecord } from '../lib/kernel/json.ts';
import type { Context } from '../lib/runtime/context.ts';
import { checkFileSecret, resolveFileSecret } from '../lib/runtime/file-secrets.ts';
import { inNeutralWords } from '../lib/runtime/neutral-words.ts';
import {
  type JudgedReference,
  openReferenceRules,
  type ReferenceRules,
  refuseOwnSecrets,
} from '../lib/runtime/reference-rules.ts';
import type { ResourceReply } from '../lib/workflows/warehouse-calls.ts';
import { askSecret, secretName } from './ask-secret.ts';
import { flagOf, type GivenField } from './definition-flags.ts';
import { loadDefinition } from './definition-file.ts';
import { fail } from '../lib/errors/fail.ts';

/** The endpoint whose body a definition is. */
export function createEndpoint(type: ResourceType): Endpoint {
  switch (type) {
    case 'connection':
      return connectionsEndpoints.create;
    case 'data_model':
      return dataModelsEndpoints.create;
    case 'pipeline':
      return pipelinesEndpoints.create;
  }
}

/** Where a definition comes from. */
export interface DefinitionSource {
  /** The id of the command line; a file's must be the same. */
  id: string | undefined;
  file: string | undefined;
  fields: readonly GivenField[];
  /** `--allow-commands`. */
  allowCommands: boolean;
  /** What flags without a file are put over. */
  live?: ResourceReply;
}

/** A checked definition with its secrets still to be had. */
export interface SourcedDefinition {
  definition: Definition;
  /** The folder that paths in it start from. */
  folder: string;
  /** Secrets that somebody typed, by the dotted way to their field; the definition holds a mask there. */
  typed: ReadonlyMap<string, string>;
  /** Its references, in the order of the fields; those of flags and prompts are `given`. */
  references: readonly (SecretUse & JudgedReference)[];
  rules: ReferenceRules;
}

/**
 * Builds and checks it. Throws invalid input (9) with the place of everything that is wrong in a file, usage (2) for
 * what flags alone got wrong or left out. Advice is told.
 */
export async function readSource(
  ctx: Context,
  type: ResourceType,
  source: DefinitionSource,
): Promise<SourcedDefinition> {
  const { document, value, folder, issues } = await assembled(ctx, type, source);
  const open = openSecrets(ctx, type, value);
  const filled = open.reduce((copy, path) => withValue(copy, path, MASK), value);
  const checked = check(type, filled, source);
  if (issues.length === 0) issues.push(...checked.issues);
  issues.push(...secretIssues(type, withoutPaths(filled, [...open, ...keptSecrets(type, source)])));
  if (issues.length > 0) throw invalidSource(type, source, document, issues);
  const typed = new Map<string, string>();
  const given = new Set(source.fields.map(({ path }) => path.join('.')));
  let { definition } = checked;
  for (const path of open) {
    const answer = await askSecret(ctx, type, path, definition.id);
    if (isReference(answer)) {
      definition = withValue(definition, path, answer);
      given.add(path.join('.'));
    } else typed.set(path.join('.'), answer);
  }
  const rules = await openReferenceRules(ctx, source.allowCommands);
  const references = secretUses(type, definition).map(({ path, reference }): SecretUse & JudgedReference => ({
    path,
    reference,
    folder,
    given: given.has(path.join('.')),
    issue: (message) => {
      const [issue] = placesOf(type, source, document, [{ path: [...path], message }]);
      return issue ?? { path: showPath(path), message };
    },
  }));
  refuseOwnSecrets(rules, references);
  for (const { file, line, column, path, message } of placesOf(type, source, document, adviseOn(type, definition))) {
    const place = [file, line, column].filter((part) => part !== undefined).join(':');
    ctx.out.warn(`${place === '' ? '' : `${place}: `}${path}: ${message}`);
  }
  return { definition, folder, typed, references, rules };
}

/** Every secret that a write sends: referred to, or typed. */
export function usesOf(type: ResourceType, { definition, typed }: SourcedDefinition): SecretUse[] {
  const given = [...typed.keys()].map((path): SecretUse => ({ path: path.split('.'), reference: 'what you typed' }));
  return [...secretUses(type, definition), ...given];
}

/** Throws KnownError auth (4) for a variable or a file that a reference names and that cannot be read. */
export async function checkSecrets(
  ctx: Context,
  type: ResourceType,
  { definition, references, rules }: SourcedDefinition,
): Promise<void> {
  for (const placed of references) {
    const what = secretName(type, placed.path, definition.id);
    await checkFileSecret(ctx, placed, { rules, what, field: placed.path.at(-1) ?? '' });
  }
}

/** The body with its secrets, had now. `onSecret` learns of each. */
export async function bodyWithSecrets(
  ctx: Context,
  type: ResourceType,
  { definition, folder, typed, references, rules }: SourcedDefinition,
  onSecret: (path: readonly string[], secret: string) => void,
): Promise<Definition> {
  const body = await withSecrets(type, definition, async ({ path, reference }) => {
    const dotted = path.join('.');
    const what = secretName(type, path, definition.id);
    const placed = references.find((it) => it.path.join('.') === dotted) ?? { reference, folder, given: false };
    const secret = await resolveFileSecret(ctx, placed, { rules, what, field: path.at(-1) ?? '' });
    onSecret(path, secret);
    return secret;
  });
  return [...typed].reduce((copy, [dotted, secret]) => {
    const path = dotted.split('.');
    onSecret(path, secret);
    return withValue(copy, path, secret);
  }, body);
}

interface Assembled {
  document: LoadedDocument | undefined;
  value: Record<string, unknown>;
  folder: string;
  issues: FieldIssue[];
}

async function assembled(ctx: Context, type: ResourceType, source: DefinitionSource): Promise<Assembled> {
  const { id, file, fields, live } = source;
  const endpoint = createEndpoint(type);
  const loaded = file === undefined ? undefined : await loadDefinition(ctx, file, endpoint, NOUNS[type]);
  let value: Record<string, unknown> = loaded?.value ?? (live ? toDefinition(live) : blank(type));
  const issues: FieldIssue[] = [];
  if (id !== undefined) {
    if (!('id' in value)) value = { id, ...value };
    if (value['id'] !== id) issues.push({ path: ['id'], message: `is not \`${id}\`, which the command is about` });
  }
  const provider = fields.find(({ flag }) => flag === '--service-provider')?.value;
  // Another provider's fields mean nothing to this one.
  if (live && provider !== undefined && provider !== live['service_provider']) value = { ...value, config: {} };
  for (const field of fields) value = withField(value, field);
  value = (await inNeutralWords(ctx, endpoint, value)) as Record<string, unknown>;
  const folder = file === undefined ? ctx.io.cwd : folderOf(file, ctx.io.cwd);
  if (type !== 'data_model') return { document: loaded?.document, value, folder, issues };
  const expanded = await withSqlText(value, folder, ctx);
  return {
    document: loaded?.document,
    value: expanded.value,
    folder,
    issues: [...issues, ...expanded.issues],
  };
}

/** What the platform itself answered may hold more than a request: that is sent back and no fault of the flags. */
function check(
  type: ResourceType,
  value: Record<string, unknown>,
  { file, live }: DefinitionSource,
): { definition: Definition; issues: FieldIssue[] } {
  const { body: schema } = createEndpoint(type);
  if (!schema) throw new TypeError('a definition has a schema');
  const parsed = schema.safeParse(value);
  if (parsed.success) return { definition: toDefinition(parsed.data as Record<string, unknown>), issues: [] };
  const key = ({ path, message }: FieldIssue): string => JSON.stringify([path, message]);
  const before = new Set(live && file === undefined ? explain(schema, toDefinition(live)).map(key) : []);
  const issues = explain(schema, value).filter((issue) => !before.has(key(issue)));
  return { definition: value as Definition, issues };
}

/** What flags alone begin with, so that what is missing is missed where it belongs. */
function blank(type: ResourceType): Record<string, unknown> {
  switch (type) {
    case 'connection':
      return { config: {} };
    case 'data_model':
      return { type: 'sql', config: {} };
    case 'pipeline':
      return { sync_mode: {}, schedule: {} };
  }
}

function withField(value: Record<string, unknown>, { path, value: item }: GivenField): Record<string, unknown> {
  const [outer = '', inner] = path;
  if (inner === undefined) return withValue(value, path, item);
  const held = value[outer];
  const record: Record<string, unknown> = isRecord(held) ? held : {};
  // The query itself stands in place of the file that holds it.
  const kept = inner === 'sql_query' ? withValue(record, [SQL_FILE], undefined) : record;
  return { ...value, [outer]: withValue(kept, [inner], item) };
}

/** Secrets that a person at the terminal is asked for: those shown as a mask, and those that are missing. */
function openSecrets(ctx: Context, type: ResourceType, value: Record<string, unknown>): (readonly string[])[] {
  if (!ctx.prompt.possible) return [];
  return SECRET_PATHS[type].filter((path) => {
    const held = valueAt(value, path);
    return isMask(held) || (held === undefined && needsSecret(value['service_provider'], path.at(-1) ?? ''));
  });
}

/** What the platform answered is no secret written into a file. */
function keptSecrets(type: ResourceType, { live, file, fields }: DefinitionSource): (readonly string[])[] {
  if (file !== undefined || !live) return [];
  return SECRET_PATHS[type].filter(
    (path) => !isMask(valueAt(live, path)) && !fields.some(({ path: given }) => given.join('.') === path.join('.')),
  );
}

/** Issues that lie in a file have a line there; those of what a flag gave, or nobody, have the flag. */
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
      ? 'is needed again: the platform never shows this secret, and takes a change whole'
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
  const count = issues.length === 1 ? 'one issue' : `${issues.length} issues`;
  const masked = found.find((issue) => isMaskIssue(issue) && flagOf(type, issue.path));
  const flag = masked && flagOf(type, masked.path);
  const hint = flag && `Give ${flag} env:NAME, or run it on a terminal, where it is asked for.`;
  if (document) {
    const message = `${document.name} is not a valid ${NOUNS[type]}: ${count}. Nothing was sent.`;
    return invalidInput(message, issues, hint);
  }
  const message = `The flags make no valid ${NOUNS[type]}: ${count}. Nothing was sent.`;
  return fail('usage', { message, issues, ...(hint !== undefined && { hint }) });
}
