// Prepares definitions of warehouse resources: removes the platform's fields, normalizes them, and gives advice.
import { READ_ONLY_FIELDS } from '../../contract/warehouse.ts';
import { isMask, MASK } from '../../contract/masks.ts';
import { isRecord } from '../../kernel/json.ts';
import { isoMillis, parseIso } from '../../kernel/timestamps.ts';
import type { FieldIssue } from '../../contract/explain.ts';

/** Resource types in dependency order: pipelines need the other two. */
export const RESOURCE_TYPES = ['connection', 'data_model', 'pipeline'] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];

export type Definition = Record<string, unknown> & { id: string };

/** Fields that contain secrets: those that the platform masks, and a feed's key (decision: D100). */
export const SECRET_PATHS: Readonly<Record<ResourceType, readonly (readonly string[])[]>> = {
  connection: [
    ['config', 'password'],
    ['config', 'service_account_key'],
  ],
  data_model: [],
  pipeline: [['partner_feed_key']],
};

/** Fields that a file may omit: the platform then keeps the current value, which does not count as a difference. */
const LEFT_TO_PLATFORM: Readonly<Record<ResourceType, readonly (readonly string[])[]>> = {
  connection: [['state'], ['config', 'port']],
  data_model: [['state']],
  pipeline: [],
};

/** Returns a response in the form of a request, without read-only fields or nulls. */
export function toDefinition(reply: Record<string, unknown>): Definition {
  const rest = Object.entries(reply).filter(([key]) => !READ_ONLY_FIELDS.includes(key));
  return withoutNulls(Object.fromEntries(rest)) as Definition;
}

/** Returns a copy with masked secrets, for output, files and dry runs. */
export function withHiddenSecrets<T extends object>(type: ResourceType, value: T): T {
  return SECRET_PATHS[type].reduce<T>(
    (copy, path) => (typeof valueAt(copy, path) === 'string' ? withValue(copy, path, MASK) : copy),
    value,
  );
}

/** Returns the comparable part of a definition, normalized and without secrets. */
export function comparable(type: ResourceType, definition: Record<string, unknown>): Definition {
  const plain = withoutPaths(toDefinition(definition), SECRET_PATHS[type]) as Definition;
  // Git may convert the line breaks of SQL files.
  const oneQuery = (text: string): string => text.replaceAll('\r\n', '\n').trim();
  if (type === 'data_model') return withText(plain, ['config', 'sql_query'], oneQuery);
  if (type === 'connection') return plain;
  const oneTime = (text: string): string => {
    const ms = parseIso(text);
    return ms === undefined ? text : isoMillis(ms);
  };
  const normalized = [
    ['sync_mode', 'from'],
    ['sync_mode', 'until'],
    ['schedule', 'start'],
    ['schedule', 'end'],
  ].reduce((copy, path) => withText(copy, path, oneTime), plain);
  const version = normalized['data_plan_version'];
  return withText(
    version === undefined ? normalized : { ...normalized, data_plan_version: String(version as string | number) },
    ['schedule', 'type'],
    (text) => (text === 'on-demand' ? 'on_demand' : text),
  );
}

/** Returns the desired definition, with omitted fields taken from the live one. */
export function completed(type: ResourceType, wanted: Definition, live: Definition | undefined): Definition {
  if (!live) return wanted;
  const omitted = LEFT_TO_PLATFORM[type].filter((path) => valueAt(wanted, path) === undefined);
  return omitted.reduce((copy, path) => withValue(copy, path, valueAt(live, path)), wanted);
}

export function findMasks(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
  if (isMask(value)) return [[...path]];
  if (Array.isArray(value)) return value.flatMap((item, index) => findMasks(item, [...path, index]));
  return isRecord(value) ? Object.entries(value).flatMap(([key, item]) => findMasks(item, [...path, key])) : [];
}

export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);
}

/** Returns a copy with a different value at `path`. Undefined removes the value. Does not create missing parents. */
export function withValue<T extends object>(value: T, [key = '', ...rest]: readonly string[], item: unknown): T {
  const record = value as Record<string, unknown>;
  if (rest.length > 0) {
    const inner = record[key];
    return isRecord(inner) ? ({ ...record, [key]: withValue(inner, rest, item) } as T) : value;
  }
  const { [key]: _old, ...others } = record;
  return (item === undefined ? others : { ...record, [key]: item }) as T;
}

/** Returns `base` with the changes in `over`: merges maps, removes null fields, and replaces everything else. */
export function mergeFields(base: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const held = merged.get(key);
    if (value === null) merged.delete(key);
    else merged.set(key, isRecord(held) && isRecord(value) ? mergeFields(held, value) : value);
  }
  return Object.fromEntries(merged);
}

function withText<T extends object>(value: T, path: readonly string[], change: (text: string) => string): T {
  const text = valueAt(value, path);
  return typeof text === 'string' ? withValue(value, path, change(text)) : value;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, withoutNulls(item)]])),
  );
}

export const NOUNS = { connection: 'connection', data_model: 'data model', pipeline: 'pipeline' };

/** Name of each type's command group and folder. */
export const GROUPS = { connection: 'connections', data_model: 'data-models', pipeline: 'pipelines' };

export function adviseOn(type: ResourceType, definition: Definition): FieldIssue[] {
  if (type !== 'pipeline') return [];
  const isFull = valueAt(definition, ['sync_mode', 'type']) === 'full';
  if (!isFull || valueAt(definition, ['schedule', 'type']) !== 'interval') return [];
  const message =
    'a full sync on a repeating schedule sends all rows each time; an incremental sync sends only new rows';
  return [{ path: ['sync_mode', 'type'], message }];
}

/** True if an update changes the sync mode, which resets the sync position. */
export function resetsPosition(type: ResourceType, changes: Readonly<Record<string, unknown>>): boolean {
  return type === 'pipeline' && Object.keys(changes).some((path) => path.startsWith('sync_mode.'));
}

export function describeReread(definition: Definition): string {
  const from = valueAt(definition, ['sync_mode', 'from']);
  const until = valueAt(definition, ['sync_mode', 'until']);
  const range = [
    typeof from === 'string' ? `from ${from} on` : 'from its first row',
    ...(typeof until === 'string' ? [`up to ${until}`] : []),
  ].join(', ');
  return `This resets the sync position: the next run reads data model ${String(definition['data_model_id'])} again ${range}.`;
}

export interface SecretUse {
  path: readonly string[];
  reference: string;
}

const REFERENCE = /^(?:env|file|keychain|command):\s*\S/;

export function isReference(text: string): boolean {
  return REFERENCE.test(text);
}

/** Reports what is never sent: masks, literal secrets, and a reference instead of a query. Does not repeat secrets. */
export function secretIssues(type: ResourceType, value: unknown): FieldIssue[] {
  const masks = findMasks(value).map(maskIssue);
  const literals = SECRET_PATHS[type].flatMap((path) => {
    const text = valueAt(value, path);
    if (typeof text !== 'string' || text.trim() === '' || isMask(text) || REFERENCE.test(text)) return [];
    const message = 'must be a reference, not the secret itself: env:NAME, file:PATH, keychain:NAME or command:LINE';
    return [{ path: [...path], message }];
  });
  const query = valueAt(value, ['config', 'sql_query']);
  if (typeof query !== 'string' || !REFERENCE.test(query)) return [...masks, ...literals];
  const message = 'must be the query itself, not a reference; for a query in a file, set sql_file to its path';
  return [...masks, ...literals, { path: ['config', 'sql_query'], message }];
}

/** Returns the paths of secrets that hold the platform's mask, which does not count as a difference. */
export function maskedSecrets(type: ResourceType, value: unknown): (readonly string[])[] {
  return SECRET_PATHS[type].filter((path) => isMask(valueAt(value, path)));
}

interface MaskIssue extends FieldIssue {
  isMask: true;
}

export function maskIssue(path: readonly (string | number)[]): MaskIssue {
  const message = 'is a masked value; use a reference: env:NAME, file:PATH, keychain:NAME or command:LINE';
  return { path: [...path], message, isMask: true };
}

export function isMaskIssue(issue: FieldIssue): issue is MaskIssue {
  return 'isMask' in issue;
}

export function withoutPaths(value: Record<string, unknown>, paths: readonly (readonly string[])[]) {
  return paths.reduce((copy, path) => withValue(copy, path, undefined), value);
}

export function secretUses(type: ResourceType, definition: unknown): SecretUse[] {
  return SECRET_PATHS[type].flatMap((path) => {
    const reference = valueAt(definition, path);
    return typeof reference === 'string' && REFERENCE.test(reference) ? [{ path, reference }] : [];
  });
}

/** Returns a map such as `{"config.password": "env:NAME"}`, which plans show. */
export function referenceMap(uses: readonly SecretUse[]): Record<string, string> {
  return Object.fromEntries(uses.map(({ path, reference }) => [path.join('.'), reference]));
}
