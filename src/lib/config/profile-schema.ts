// The schema of the settings file: profiles by name, and the current one.
import { isAbsolute } from 'node:path';
import * as z from 'zod/mini';
import { LIMITED_AREAS } from '../contract/limits.ts';
import { parseRate } from '../kernel/timestamps.ts';
import { profileNameProblem } from './profile-name.ts';
import { looksLikeReference, parseReference } from './secret-file.ts';
import {
  checkSetting,
  isIdName,
  OUTPUT_FORMATS,
  SETTING_NAMES,
  SHARED_NAMES,
  type SettingName,
  type SharedName,
} from './setting-fields.ts';

export const FILE_VERSION = 1;

function checkedText(problemOf: (text: string) => string | false | undefined) {
  return z.string().check(
    z.check((context) => {
      const message = problemOf(context.value);
      if (message) context.issues.push({ code: 'custom', message, input: context.value });
    }),
  );
}

/** Returns the schema of a record whose entries `problemOf` checks. Each issue is reported at its key. */
function checkedRecord<T extends z.ZodMiniType>(
  value: T,
  problemOf: (key: string, value: z.output<T>) => string | undefined,
) {
  return z.record(z.string(), value).check(
    z.check((context) => {
      for (const [key, item] of Object.entries(context.value)) {
        const message = problemOf(key, item as z.output<T>);
        if (message) context.issues.push({ code: 'custom', message, input: context.value, path: [key] });
      }
    }),
  );
}

/** Returns the schema of a setting. An id that is a number in the file becomes a string without losing digits. */
function setting(name: SettingName) {
  const checked = z.transform((text: string, context) => {
    const result = checkSetting(name, text);
    if ('value' in result) return result.value;
    context.issues.push({ code: 'custom', message: result.problem, input: text });
    return text;
  });
  const asText = z.pipe(z.union([z.string(), z.number(), z.bigint()]), z.transform(String));
  return z.optional(z.pipe(isIdName(name) ? asText : z.string(), checked));
}

/** A reference, never the secret itself. The message does not repeat the value, which may be a secret. */
const Reference = checkedText(
  (text) =>
    !parseReference(text) &&
    'must be a reference to the secret: env:NAME, command:LINE, keychain:ENTRY or file: (never the secret itself)',
);

const IdOrReference = checkedText(
  (text) =>
    looksLikeReference(text) &&
    !parseReference(text) &&
    'looks like a reference but is not one; use env:NAME, command:LINE, keychain:ENTRY or file:',
);

const Secrets = z.looseObject({
  client_id: z.optional(IdOrReference),
  client_secret: z.optional(Reference),
  workspace_key: z.optional(Reference),
  workspace_secret: z.optional(Reference),
});

/** Returns the problem with an area's rate, as a sentence without its subject; undefined for a valid rate. */
function limitProblem(area: string, rate: string): string | undefined {
  if (!LIMITED_AREAS.includes(area)) return `is not an area; valid areas are ${LIMITED_AREAS.join(', ')}`;
  return parseRate(rate) === undefined
    ? 'must be a number of requests per second, or a rate such as 600/m or 9000/h'
    : undefined;
}

/** Relative paths are invalid, because they would depend on the working directory. */
const AbsoluteFolder = checkedText((path) => !isAbsolute(path) && 'must be an absolute path');

type Fields<Name extends string> = Record<Name, ReturnType<typeof setting>>;

function settingsOf<Name extends SettingName>(names: readonly Name[]): Fields<Name> {
  return Object.fromEntries(names.map((name) => [name, setting(name)])) as Fields<Name>;
}

const TrueOrFalse = z.boolean('must be true or false');

const PROFILE_FIELDS = {
  ...settingsOf(SETTING_NAMES),
  /** True if every write requires typing the profile's name. */
  protected: z.optional(TrueOrFalse),
  /** `read` blocks every write. */
  access: z.optional(z.enum(['read', 'write'])),
  /** True if definition files may reference commands that print secrets. */
  allow_commands: z.optional(TrueOrFalse),
  /** Folders whose files any definition file may reference. */
  allow_files: z.optional(z.array(AbsoluteFolder)),
  /** Area -> rate, such as `{"dsr": "1000/m"}`. */
  limits: z.optional(checkedRecord(z.string(), limitProblem)),
  /** Neutral name -> deployment-specific name. */
  names: z.optional(z.record(z.string(), z.string())),
};

/** Anyone who can change the repository sets these, so they must not control trust, wire names or commands. */
export const SHARED_FIELDS = {
  ...settingsOf<SharedName>(SHARED_NAMES),
  limits: PROFILE_FIELDS.limits,
  output: z.optional(z.enum(OUTPUT_FORMATS)),
  /** A project file can add guards, but not remove them. */
  protected: z.optional(z.literal(true)),
  access: z.optional(z.literal('read')),
};

export const OWN_FIELDS: readonly string[] = Object.keys(PROFILE_FIELDS).filter((name) => !(name in SHARED_FIELDS));

export const Profile = z.looseObject({ ...PROFILE_FIELDS, secrets: z.optional(Secrets) });
export type Profile = z.infer<typeof Profile>;

export const SettingsFile = z.looseObject({
  version: z.optional(z.literal(FILE_VERSION)),
  current: z.optional(z.string()),
  profiles: z.optional(checkedRecord(Profile, profileNameProblem)),
});
export type SettingsFile = z.infer<typeof SettingsFile>;

/** Returns unknown fields as dotted paths. They are kept, and the user is warned about them. */
export function unknownFields(profile: Profile): string[] {
  const unknownIn = (fields: object, known: object) => Object.keys(fields).filter((key) => !Object.hasOwn(known, key));
  const secrets = unknownIn(profile.secrets ?? {}, Secrets.shape).map((key) => `secrets.${key}`);
  return [...unknownIn(profile, Profile.shape), ...secrets];
}
