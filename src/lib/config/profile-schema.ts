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

/** The version that this program writes. */
export const FILE_VERSION = 1;

/** A checked and normalized setting. */
function setting(name: SettingName) {
  return z.pipe(
    z.string().check(
      z.check((context) => {
        const checked = checkSetting(name, context.value);
        if ('problem' in checked) refuse(context, checked.problem);
      }),
    ),
    z.transform((text: string) => {
      const checked = checkSetting(name, text);
      return 'value' in checked ? checked.value : text;
    }),
  );
}

/** An id may be a number in the file. The id becomes text, which keeps every digit. */
function idSetting(name: SettingName) {
  return z.pipe(z.pipe(z.union([z.string(), z.number(), z.bigint()]), z.transform(String)), setting(name));
}

/** A reference, never the secret itself. The message does not repeat the text. */
const Reference = z.string().check(
  z.check((context) => {
    if (parseReference(context.value)) return;
    refuse(
      context,
      'must be a reference to the secret: env:NAME, command:LINE, keychain:ENTRY or file: (never the secret itself)',
    );
  }),
);

/** The id itself, or a reference. */
const IdOrReference = z.string().check(
  z.check((context) => {
    if (!looksLikeReference(context.value) || parseReference(context.value)) return;
    refuse(context, 'looks like a reference but is not one; use env:NAME, command:LINE, keychain:ENTRY or file:');
  }),
);

const Secrets = z.looseObject({
  client_id: z.optional(IdOrReference),
  client_secret: z.optional(Reference),
  workspace_key: z.optional(Reference),
  workspace_secret: z.optional(Reference),
});

/** The problem with an area's rate, as a sentence without its subject; undefined for a valid rate. */
function limitProblem(area: string, rate: string): string | undefined {
  if (!LIMITED_AREAS.includes(area)) return `is not an area; valid areas are ${LIMITED_AREAS.join(', ')}`;
  return parseRate(rate) === undefined
    ? 'must be a number of requests per second, or a rate such as 600/m or 9000/h'
    : undefined;
}

const LimitsByArea = z.record(z.string(), z.string()).check(
  z.check((context) => {
    for (const [area, rate] of Object.entries(context.value)) {
      const message = limitProblem(area, rate);
      if (message !== undefined) {
        context.issues.push({ code: 'custom', message, input: context.value, path: [area] });
      }
    }
  }),
);

/** A relative path would depend on the working folder. */
const AbsoluteFolder = z.string().check(
  z.check((context) => {
    if (!isAbsolute(context.value)) refuse(context, 'must be an absolute path');
  }),
);

function optionalSetting(name: SettingName) {
  return z.optional(isIdName(name) ? idSetting(name) : setting(name));
}

type Fields<Name extends string> = Record<Name, ReturnType<typeof optionalSetting>>;

function settingsOf<Name extends SettingName>(names: readonly Name[]): Fields<Name> {
  return Object.fromEntries(names.map((name) => [name, optionalSetting(name)])) as Fields<Name>;
}

const PROFILE_FIELDS = {
  ...settingsOf(SETTING_NAMES),
  /** Every write asks for the profile's name. */
  protected: z.optional(z.boolean()),
  /** `read` blocks every write. */
  access: z.optional(z.enum(['read', 'write'])),
  /** True if definition files may name commands that print their secrets. */
  allow_commands: z.optional(z.boolean()),
  /** Folders whose files a definition file in any folder may name. */
  allow_files: z.optional(z.array(AbsoluteFolder)),
  /** Area -> rate, such as `{"dsr": "1000/m"}`. */
  limits: z.optional(LimitsByArea),
  /** Neutral word -> the deployment's word. */
  names: z.optional(z.record(z.string(), z.string())),
};

/**
 * The fields of a project file, in addition to `profile`. Everyone who can change a repository sets them for all its
 * users, so they cannot decide about trust, wire words, or the commands that run here.
 */
export const SHARED_FIELDS = {
  ...settingsOf<SharedName>(SHARED_NAMES),
  limits: PROFILE_FIELDS.limits,
  output: z.optional(z.enum(OUTPUT_FORMATS)),
  /** A project file can add guards, but not remove them. */
  protected: z.optional(z.literal(true)),
  access: z.optional(z.literal('read')),
};

/** The fields that only a profile may have. */
export const OWN_FIELDS: readonly string[] = Object.keys(PROFILE_FIELDS).filter((name) => !(name in SHARED_FIELDS));

export const Profile = z.looseObject({ ...PROFILE_FIELDS, secrets: z.optional(Secrets) });
export type Profile = z.infer<typeof Profile>;

const ProfilesByName = z.record(z.string(), Profile).check(
  z.check((context) => {
    for (const name of Object.keys(context.value)) {
      const problem = profileNameProblem(name);
      if (problem !== undefined) {
        context.issues.push({ code: 'custom', message: problem, input: context.value, path: [name] });
      }
    }
  }),
);

export const SettingsFile = z.looseObject({
  version: z.optional(z.literal(FILE_VERSION)),
  current: z.optional(z.string()),
  profiles: z.optional(ProfilesByName),
});
export type SettingsFile = z.infer<typeof SettingsFile>;

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
