// `profile edit NAME`: changes the settings of a profile with `FIELD=VALUE` or as text in the editor.
import { toYaml } from '../../lib/files/yaml-text.ts';
import { pickProfile } from '../pick.ts';
import * as z from 'zod/mini';
import { editUntilValid, withEditedFile } from '../../lib/runtime/prompts/editor.ts';
import { defineCommand, type FlagSpec } from '../../lib/runtime/command-line/define-command.ts';
import { profileResult, type Draft, FIELDS, type Profiles } from './fields.ts';
import { showPath } from '../../lib/contract/explain.ts';
import { isNeutralName, neutralWords } from '../../lib/contract/neutral-words.ts';
import { changedFields } from '../../lib/domain/field-changes.ts';
import { formatOf, parseDocumentText, placeIssues } from '../../lib/files/load.ts';
import { invalidInput, usageError } from '../../lib/kernel/errors.ts';
import { canonicalJson, isRecord } from '../../lib/kernel/json.ts';
import { didYouMean, nearestHint } from '../../lib/kernel/nearest.ts';
import { asSentence } from '../../lib/kernel/words.ts';

export type Profile = Draft['profile'];

const MAPS = ['limits', 'names', 'secrets'] as const;
/** Fields that `--set` accepts. A map needs a key after a dot. */
const KNOWN_FIELDS = [
  ...FIELDS.map(({ name }) => name),
  'protected',
  'access',
  'allow_commands',
  'allow_files',
  ...MAPS,
];

export const setFlag = {
  value: 'field=value',
  help: 'a field such as base_url, protected, access, limits.dsr or names.xpid; an empty value removes the field (repeatable)',
  many: true,
  offers: () => KNOWN_FIELDS.map((field) => `${field}${MAPS.some((map) => map === field) ? '.' : '='}`),
} as const satisfies FlagSpec;

/**
 * Parses a profile; throws invalid input (9) with the position of every issue. Unknown fields are issues, unless
 * `before` has them.
 */
export async function parseProfile(name: string, text: string, profiles: Profiles, before?: Profile): Promise<Profile> {
  const document = await parseDocumentText(name, text, formatOf(name));
  if (!isRecord(document.value)) {
    const issue = { path: [], message: 'a profile must be a map of settings' };
    throw invalidInput(`${name} is not a profile.`, placeIssues(document, [issue]));
  }
  const { data, issues } = profiles.check(document.value, before);
  if (!data) throw invalidInput(`${name} is not a valid profile.`, placeIssues(document, issues));
  return data;
}

/** Applies changes such as `base_url=https://…` and `limits.dsr=1000/m`; an empty value removes the field. */
export function withChanges(profile: Profile, changes: readonly string[], profiles: Profiles): Profile {
  const changed = structuredClone(profile) as Fields;
  for (const change of changes) {
    const [field, text] = splitOnce(change, '=');
    if (text === undefined)
      throw usageError(`--set must be FIELD=VALUE, not ${change}.`, 'An empty value removes the field.');
    setField(changed, field, text);
  }
  const { data, issues } = profiles.check(changed, profile);
  if (data) return data;
  const sentences = issues.map(({ path, message, isUnknown }) =>
    isUnknown ? asSentence(message) : `${showPath(path)} ${message}.`,
  );
  throw usageError(sentences.join(' '));
}

type Fields = Record<string, unknown>;

/** Applies to `now` the changes between `before` and `after`, so that changes by other processes are kept. */
function withEdits(now: Fields, before: Fields, after: Fields): Fields {
  const edited = { ...now };
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [own, was, value] = [now[key], before[key], after[key]];
    if (isRecord(value)) edited[key] = withEdits(isRecord(own) ? own : {}, isRecord(was) ? was : {}, value);
    else if (value === undefined) delete edited[key];
    else if (canonicalJson(value) !== canonicalJson(was ?? null)) edited[key] = value;
  }
  return edited;
}

/** Returns one line per changed field, with maps split into fields: ` limits.dsr: none → 1000/m`. */
function changesBetween(before: Profile, after: Profile): string[] {
  const shown = (value: unknown): string =>
    value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
  return Object.entries(changedFields(before, after)).map(
    ([field, { from, to }]) => `  ${field}: ${shown(from)} → ${shown(to)}`,
  );
}

function setField(profile: Fields, field: string, text: string): void {
  const [map, key] = splitOnce(field, '.');
  const isInMap = key !== undefined && MAPS.some((name) => name === map);
  if (!isInMap && !KNOWN_FIELDS.includes(field)) {
    const fields = `Fields: ${KNOWN_FIELDS.join(', ')}.`;
    throw usageError(`Unknown profile field \`${field}\`.`, nearestHint(field, KNOWN_FIELDS, fields));
  }
  const [fields, name] = isInMap ? [(profile[map] ??= {}) as Fields, key] : [profile, field];
  if (text === '') delete fields[name];
  else fields[name] = isInMap ? text : valueOf(field, text);
}

/** Returns warnings about new words in `names` that the specification lacks: typos, or types of a newer platform. */
export function strangeNames(after: Profile, before?: Profile): string[] {
  const added = Object.keys(after.names ?? {}).filter((name) => before?.names?.[name] === undefined);
  return added
    .filter((name) => !isNeutralName(name))
    .map((name) => {
      const end = didYouMean(name.replace(/\*$/, ''), neutralWords()) || '.';
      return `names.${name} is not in the specification${end} It is kept, because your platform may use it.`;
    });
}

/** List items are separated by commas. */
function valueOf(field: string, text: string): unknown {
  if (field === 'allow_files') return text.split(',').map((folder) => folder.trim());
  const isBoolean = ['protected', 'allow_commands'].includes(field);
  return isBoolean && (text === 'true' || text === 'false') ? text === 'true' : text;
}

function splitOnce(text: string, sign: string): [string, string | undefined] {
  const at = text.indexOf(sign);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

export const editProfile = defineCommand({
  path: 'profile edit',
  summary: 'change a profile with flags or in your editor',
  effect: 'local',
  calls: 'settings',
  args: { name: { help: 'the profile', pick: pickProfile } },
  flags: { set: setFlag },
  output: () => z.object({ name: z.string(), profile: profileResult(), changed: z.boolean() }),
  notes: ['A profile contains the location of each secret, not the secret itself. `auth login` stores secrets.'],
  examples: [
    'cdpadm profile edit dev --set protected=true --set limits.dsr=1000/m',
    'cdpadm profile edit prod --set names.xpid=pid --confirm prod --dry-run',
  ],
  exits: {
    notFound: 'profile not found',
    invalidInput: 'the edited text is not a valid profile',
    guard: 'you did not type the name of a protected profile',
  },
  run: async (ctx, { args: { name }, flags }) => {
    const profiles = await ctx.profiles();
    const before = await profiles.findOwn(name);
    const editByHand = (): Promise<Profile> =>
      withEditedFile(ctx, 'profile.yaml', async (file) => {
        const check = (text: string): Promise<Profile> => parseProfile(file.path, text, profiles, before);
        const edited = await editUntilValid(ctx, file, toYaml(before), check);
        file.discard();
        return edited ?? before;
      });
    let after = flags.set ? withChanges(before, flags.set, profiles) : await editByHand();
    const changes = changesBetween(before, after);
    const changed = changes.length > 0;
    for (const sentence of strangeNames(after, before)) ctx.out.warn(sentence);
    if (ctx.flags.dryRun) {
      const text = [`Profile ${name} would ${changed ? 'be changed' : 'not change'}.`, ...changes].join('\n');
      return await ctx.out.emitDryRun([], { name, profile: after }, text, [name]);
    }
    if (changed) {
      const { protected: isProtected } = await profiles.findOwn(name);
      const question = `Profile ${name} is protected. Type its name to change it`;
      if (isProtected === true) await ctx.prompt.typed(question, name, { exit: 'guard' });
      after = await profiles.update(name, (now) => withEdits(now, before, after));
    }
    const text = changed ? [`Changed profile ${name}.`, ...changes].join('\n') : `Profile ${name} did not change.`;
    await ctx.out.emit({ name, profile: after, changed }, { kind: 'document', text: () => text });
  },
});
