// The schema of the settings file: profiles by name, and the current one.
import { isAbsolute } from 'node:path';
import {
  array,
  bigint,
  boolean,
  check,
  enum as oneOf,
  type infer as Infer,
  literal,
  looseObject,
  number,
  optional,
  pipe,
  record,
  string,
  transform,
  union,
} from 'zod/mini';
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

/** The version that this program writes. */
export const FILE_VERSION = 1;

/** A checked and normalized setting. */
function setting(name: SettingName) {
  return pipe(
    string().check(
      check((context) => {
        const checked = checkSetting(name, context.value);
        if ('problem' in checked) refuse(context, checked.problem);
      }),
    ),
    transform((text: string) => {
      const checked = checkSetting(name, text);
      return 'value' in checked ? checked.value : text;
    }),
  );
}

/** An id may be a number in the file. The id becomes text, which keeps every digit. */
function idSetting(name: SettingName) {
  return pipe(pipe(union([string(), number(), bigint()]), transform(String)), setting(name));
}

/** A reference, never the secret itself. The message does not repeat the text. */
const Reference = string().check(
  check((context) => {
    if (parseReference(context.value)) return;
    refuse(
      context,
      'must be a reference to the secret: env:NAME, command:LINE, keychain:ENTRY or file: (never the secret itself)',
    );
  }),
);

/** The id itself, or a reference. */
const IdOrReference = string().check(
  check((context) => {
    if (!looksLikeReference(context.value) || parseReference(context.value)) return;
    refuse(context, 'looks like a reference but is not one; use env:NAME, command:LINE, keychain:ENTRY or file:');
  }),
);

const Secrets = looseObject({
  client_id: optional(IdOrReference),
  client_secret: optional(Reference),
  workspace_key: optional(Reference),
  workspace_secret: optional(Reference),
});

/** The problem with an area's rate, as a sentence without its subject; undefined for a valid rate. */
function limitProblem(area: string, rate: string): string | undefined {
  if (!LIMITED_AREAS.includes(area)) return `is not an area; valid areas are ${LIMITED_AREAS.join(', ')}`;
  return parseRate(rate) === undefined
    ? 'must be a number of requests per second, or a rate such as 600/m or 9000/h'
    : undefined;
}

const LimitsByArea = record(string(), string()).check(
  check((context) => {
    for (const [area, rate] of Object.entries(context.value)) {
      const message = limitProblem(area, rate);
      if (message !== undefined) {
        context.issues.push({ code: 'custom', message, input: context.value, path: [area] });
      }
    }
  }),
);

/** A relative path would depend on the working folder. */
const AbsoluteFolder = string().check(
  check((context) => {
    if (!isAbsolute(context.value)) refuse(context, 'must be an absolute path');
  }),
);

function optionalSetting(name: SettingName) {
  return optional(isIdName(name) ? idSetting(name) : setting(name));
}

type Fields<Name extends string> = Record<Name, ReturnType<typeof optionalSetting>>;

function settingsOf<Name extends SettingName>(names: readonly Name[]): Fields<Name> {
  return Object.fromEntries(names.map((name) => [name, optionalSetting(name)])) as Fields<Name>;
}

const PROFILE_FIELDS = {
  ...settingsOf(SETTING_NAMES),
  /** Every write asks for the profile's name. */
  protected: optional(boolean()),
  /** `read` blocks every write. */
  access: optional(oneOf(['read', 'write'])),
  /** True if definition files may name commands that print their secrets. */
  allow_commands: optional(boolean()),
  /** Folders whose files a definition file in any folder may name. */
  allow_files: optional(array(AbsoluteFolder)),
  /** Area -> rate, such as `{"dsr": "1000/m"}`. */
  limits: optional(LimitsByArea),
  /** Neutral word -> the deployment's word. */
  names: optional(record(string(), string())),
};

/**
 * The fields of a project file, in addition to `profile`. Everyone who can change a repository sets them for all its
 * users, so they cannot decide about trust, wire words, or the commands that run here.
 */
export const SHARED_FIELDS = {
  ...settingsOf<SharedName>(SHARED_NAMES),
  limits: PROFILE_FIELDS.limits,
  output: optional(oneOf(OUTPUT_FORMATS)),
  /** A project file can add guards, but not remove them. */
  protected: optional(literal(true)),
  access: optional(literal('read')),
};

/** The fields that only a profile may have. */
export const OWN_FIELDS: readonly string[] = Object.keys(PROFILE_FIELDS).filter((name) => !(name in SHARED_FIELDS));

export const Profile = looseObject({ ...PROFILE_FIELDS, secrets: optional(Secrets) });
export type Profile = Infer<typeof Profile>;

const ProfilesByName = record(string(), Profile).check(
  check((context) => {
    for (const name of Object.keys(context.value)) {
      const problem = profileNameProblem(name);
      if (problem !== undefined) {
        context.issues.push({ code: 'custom', message: problem, input: context.value, path: [name] });
      }
    }
  }),
);

export const SettingsFile = looseObject({
  version: optional(literal(FILE_VERSION)),
  current: optional(string()),
  profiles: optional(ProfilesByName),
});
export type SettingsFile = Infer<typeof SettingsFile>;

/** The unknown fields as dotted paths. Unknown fields are kept, and the user is warned about them. */
export function unknownFields(profile: Profile): string[] {
  const known = new Set([...Object.keys(PROFILE_FIELDS), 'secrets']);
  const knownSecrets = new Set(Object.keys(Secrets.shape));
  return [
    ...Object.keys(profile).filter((key) => !known.has(key)),
    ...Object.keys(profile.secrets ?? {})
      .filter((key) => !knownSecrets.has(key))
      .map((key) => `secrets.${key}`),
  ];
}

function refuse(context: { value: unknown; issues: unknown[] }, message: string): void {
  context.issues.push({ code: 'custom', message, input: context.value });
}
