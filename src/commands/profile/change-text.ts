// A profile as text, for the editor and for export, and `FIELD=VALUE` changes of it.
import { isAbsolute } from 'node:path';
import { showPath } from '../../lib/contract/explain.ts';
import { isNeutralName, neutralWords } from '../../lib/contract/neutral-words.ts';
import { parseDocumentText } from '../../lib/files/load.ts';
import { toYaml } from '../../lib/files/yaml-text.ts';
import { type KnownError, invalidInput, usageError } from '../../lib/kernel/errors.ts';
import { isRecord } from '../../lib/kernel/json.ts';
import { nearest } from '../../lib/kernel/nearest.ts';
import type { Draft, Profiles } from './fields.ts';
import { FIELDS } from './fields.ts';

export type Profile = Draft['profile'];

export const MAPS = ['limits', 'names', 'secrets'] as const;
/** What `profile edit --set` takes; of a map with the key behind a dot. */
export const KNOWN_FIELDS = [
  ...FIELDS.map(({ name }) => name),
  'protected',
  'access',
  'allow_commands',
  'allow_files',
  ...MAPS,
];
const BOOLEANS: readonly string[] = ['protected', 'allow_commands'];

/** YAML without anything secret: a profile holds only where its secrets are. */
export function profileText(profile: Profile): Promise<string> {
  return toYaml(profile);
}

/** Reads such a text. Throws invalid input (9) with the place of every issue. */
export async function parseProfile(name: string, text: string, profiles: Profiles): Promise<Profile> {
  const document = await parseDocumentText(name, text, /\.json$/i.test(name) ? 'json' : 'yaml');
  const { value } = document;
  if (!isRecord(value)) {
    throw invalidInput(`${name} is not a profile.`, [
      { file: name, ...document.locate([]), path: '', message: 'a profile is a map of settings' },
    ]);
  }
  const issues = Object.entries(value).flatMap(([key, item]) => {
    const message = problemOf(profiles, key, item);
    const path = [key];
    return message === undefined
      ? []
      : [{ file: name, ...document.locate(path, 'key'), path: showPath(path), message }];
  });
  if (issues.length > 0) throw invalidInput(`${name} is not a valid profile.`, issues);
  return value as Profile;
}

/** Applies `base_url=https://…`, `limits.dsr=1000/m`, `names.xpid=pid`; an empty value takes the field away. */
export function withChanges(profile: Profile, changes: readonly string[], profiles: Profiles): Profile {
  const changed = structuredClone(profile) as Record<string, unknown>;
  for (const change of changes) {
    const equals = change.indexOf('=');
    const field = equals < 0 ? change : change.slice(0, equals);
    const text = equals < 0 ? undefined : change.slice(equals + 1);
    if (text === undefined)
      throw usageError(`--set takes FIELD=VALUE, not ${change}.`, 'An empty value takes the field away.');
    setField(changed, field, text, profiles);
  }
  return changed;
}

/** A line for each field that differs, maps field by field: `  limits.dsr: none → 1000/m`. */
export function changesBetween(before: Profile, after: Profile): string[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const fields = [...new Set([...was.keys(), ...is.keys()])].filter((field) => was.get(field) !== is.get(field));
  return fields.map((field) => `  ${field}: ${was.get(field) ?? 'none'} → ${is.get(field) ?? 'none'}`);
}

function fieldsOf(profile: Profile): Map<string, string> {
  const pairs = Object.entries(profile).flatMap(([field, value]) =>
    isTextMap(value)
      ? Object.entries(value).map(([key, item]) => [`${field}.${key}`, item] as const)
      : [[field, String(value)] as const],
  );
  return new Map(pairs);
}

function setField(profile: Record<string, unknown>, field: string, text: string, profiles: Profiles): void {
  const [map, key] = splitOnce(field);
  if (key !== undefined && MAPS.some((name) => name === map)) {
    const entries = { ...(profile[map] as Record<string, unknown> | undefined) };
    if (text === '') delete entries[key];
    else entries[key] = text;
    profile[map] = entries;
    return;
  }
  if (!KNOWN_FIELDS.includes(field)) throw unknownField(field);
  if (text === '') {
    delete profile[field];
    return;
  }
  const value = valueOf(field, text);
  const problem = problemOf(profiles, field, value);
  if (problem !== undefined) throw usageError(`${field} ${problem}.`);
  profile[field] = value;
}

function problemOf(profiles: Profiles, field: string, value: unknown): string | undefined {
  if (BOOLEANS.includes(field)) return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (field === 'allow_files') {
    const isFolders = Array.isArray(value) && value.every((item) => typeof item === 'string' && isAbsolute(item));
    return isFolders ? undefined : 'must be a list of absolute paths';
  }
  if (field === 'access') return value === 'read' || value === 'write' ? undefined : 'must be `read` or `write`';
  if (MAPS.some((name) => name === field)) return isTextMap(value) ? undefined : 'must be a map of texts';
  const known = FIELDS.find(({ name }) => name === field);
  if (!known) return [`unknown field \`${field}\``, ...proposals(field)].join('; did you mean ');
  const checked = profiles.checkValue(known.name, String(value));
  return 'problem' in checked ? checked.problem : undefined;
}

function unknownField(field: string): KnownError {
  const [proposal] = proposals(field);
  return usageError(
    `A profile has no field \`${field}\`.`,
    proposal === undefined ? `Fields: ${KNOWN_FIELDS.join(', ')}.` : `Did you mean ${proposal}`,
  );
}

/** The nearest known field, as the end of "did you mean"; none when none is near. */
function proposals(field: string): string[] {
  const proposal = nearest(field, KNOWN_FIELDS);
  return proposal === undefined ? [] : [`\`${proposal}\`?`];
}

/**
 * A sentence for each word in `names` that `before` did not have and the specification does not know: it may be an identity
 * type of a newer platform, and is most likely a slip.
 */
export function strangeNames(after: Profile, before?: Profile): string[] {
  const added = Object.keys(after.names ?? {}).filter((name) => before?.names?.[name] === undefined);
  return added
    .filter((name) => !isNeutralName(name))
    .map((name) => {
      const guess = nearest(name.replace(/\*$/, ''), neutralWords());
      const end = guess === undefined ? '.' : `; did you mean \`${guess}\`?`;
      return `names.${name}: the specification has no such word${end} It is kept, in case your platform has one.`;
    });
}

function isTextMap(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((item) => typeof item === 'string');
}

/** A list comes with commas. */
function valueOf(field: string, text: string): unknown {
  if (field === 'allow_files') return text.split(',').map((folder) => folder.trim());
  return BOOLEANS.includes(field) ? booleanOf(text) : text;
}

function booleanOf(text: string): boolean | string {
  return text === 'true' ? true : text === 'false' ? false : text;
}

function splitOnce(field: string): [string, string | undefined] {
  const dot = field.indexOf('.');
  return dot < 0 ? [field, undefined] : [field.slice(0, dot), field.slice(dot + 1)];
}
