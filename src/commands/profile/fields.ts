// A profile's settings, each with its flag and its question.
import { type FlagSpec, flagName } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import * as z from 'zod/mini';

export type Profiles = Awaited<ReturnType<Context['profiles']>>;
export type Draft = Parameters<Profiles['create']>[1];
export type SettingName = Parameters<Profiles['checkValue']>[0];

/** Flags that only `profile create` has; every command has the flags for the other settings. */
export const settingFlags = {
  baseUrl: { value: 'value', help: 'platform address' },
  authUrl: { value: 'value', help: 'token service address' },
  audience: { value: 'value', help: 'token audience (default: the platform address)' },
  dsrBaseUrl: { value: 'value', help: 'data subject request address' },
  seedingUrl: { value: 'value', help: 'seeding address' },
  identityUrl: { value: 'value', help: 'identity intake address' },
  vendorDomain: { value: 'value', help: 'vendor domain of extension identities' },
  environment: { value: 'value', help: 'development or production' },
} as const satisfies Record<string, FlagSpec>;

type SettingFlag = keyof typeof settingFlags;

export const FIELDS: readonly { name: SettingName; key?: SettingFlag; flag: string; label: string }[] = [
  own('base_url', 'baseUrl'),
  own('auth_url', 'authUrl'),
  own('audience', 'audience'),
  { name: 'org_id', flag: '--org', label: 'organization id' },
  { name: 'account_id', flag: '--account', label: 'account id' },
  { name: 'workspace_id', flag: '--workspace', label: 'workspace id' },
  own('dsr_base_url', 'dsrBaseUrl'),
  own('seeding_url', 'seedingUrl'),
  own('identity_url', 'identityUrl'),
  own('vendor_domain', 'vendorDomain'),
  { ...own('environment', 'environment'), label: 'environment' },
  { name: 'ca_file', flag: '--ca-file', label: 'file with additional certificate authorities' },
];

function own(name: SettingName, key: SettingFlag) {
  return { name, key, flag: flagName(key), label: settingFlags[key].help };
}

/** Returns the schema of a profile as it is stored in a file. Fields from a newer version are kept. */
export function profileResult() {
  const text = z.optional(z.string());
  const texts = z.optional(z.record(z.string(), z.string()));
  return z.looseObject({
    ...Object.fromEntries(FIELDS.map(({ name }) => [name, text])),
    protected: z.optional(z.boolean()),
    access: z.optional(z.enum(['read', 'write'])),
    allow_commands: z.optional(z.boolean()),
    allow_files: z.optional(z.array(z.string())),
    limits: texts,
    names: texts,
    secrets: z.optional(
      z.looseObject({ client_id: text, client_secret: text, workspace_key: text, workspace_secret: text }),
    ),
  });
}
