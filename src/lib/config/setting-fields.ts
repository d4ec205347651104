// The table of all settings and secrets: labels, variables, flags and valid values.
import { isDomainName, readBaseAddress } from '../kernel/address.ts';
import type { KnownError } from '../kernel/errors.ts';
import { fail } from '../errors/fail.ts';

export type Checked = { value: string } | { problem: string };

interface SettingField {
  label: string;
  /** Global flag that sets the field. */
  flag?: string;
  /** True if a project file may contain this setting. */
  shared?: true;
  /** True for a 64-bit id, which may be a number in a file. */
  isId?: true;
  check(text: string): Checked;
}

const SETTING_FIELDS = {
  base_url: { label: 'platform address', shared: true, check: checkAddress },
  auth_url: { label: 'token service address', shared: true, check: checkAddress },
  dsr_base_url: { label: 'data subject request address', shared: true, check: checkAddress },
  seeding_url: { label: 'seeding address', shared: true, check: checkAddress },
  identity_url: { label: 'identity intake address', shared: true, check: checkAddress },
  audience: { label: 'token audience', check: checkText },
  org_id: { label: 'organization id', flag: '--org', shared: true, isId: true, check: checkDigits },
  account_id: { label: 'account id', flag: '--account', shared: true, isId: true, check: checkDigits },
  workspace_id: { label: 'workspace id', flag: '--workspace', shared: true, isId: true, check: checkDigits },
  vendor_domain: { label: 'vendor domain', shared: true, check: checkDomain },
  environment: { label: 'environment', shared: true, check: checkEnvironment },
  ca_file: { label: 'file with additional certificate authorities', flag: '--ca-file', check: checkText },
} as const satisfies Record<string, SettingField>;

export type SettingName = keyof typeof SETTING_FIELDS;
export type IdName = 'org_id' | 'account_id' | 'workspace_id';
export type SharedName = {
  [K in SettingName]: (typeof SETTING_FIELDS)[K] extends { shared: true } ? K : never;
}[SettingName];

/** Values of `-o`, of `CDPADM_OUTPUT` and of a project file's `output`. */
export const OUTPUT_FORMATS = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'markdown', 'name', 'html'] as const;

export const SETTING_NAMES = Object.keys(SETTING_FIELDS) as SettingName[];
const FIELDS: Readonly<Record<SettingName, SettingField>> = SETTING_FIELDS;
export const SHARED_NAMES = SETTING_NAMES.filter((name): name is SharedName => FIELDS[name].shared === true);

const PLATFORM: readonly SettingName[] = ['auth_url', 'base_url'];
const WORKSPACE: readonly SettingName[] = ['dsr_base_url', 'seeding_url', 'identity_url'];

/** Each secret, with the addresses that receive the secret or a token issued for it. */
const SECRET_FIELDS = {
  client_id: { label: 'client id', sentTo: PLATFORM },
  client_secret: { label: 'client secret', sentTo: PLATFORM },
  workspace_key: { label: 'workspace key', sentTo: WORKSPACE },
  workspace_secret: { label: 'workspace secret', sentTo: WORKSPACE },
  /** Only the environment can provide an access token, which is used unchanged. */
  access_token: { label: 'access token', sentTo: ['base_url'] as readonly SettingName[] },
};

export type SecretName = keyof typeof SECRET_FIELDS;
/** Secrets of a profile; all are references, except that the client id may be the id itself. */
export type ProfileSecretName = Exclude<SecretName, 'access_token'>;

export const SECRET_NAMES = Object.keys(SECRET_FIELDS) as SecretName[];
export const PROFILE_SECRETS = SECRET_NAMES.filter((name): name is ProfileSecretName => name !== 'access_token');

export interface Origin {
  kind: 'flag' | 'environment' | 'project' | 'profile' | 'default';
  /** For example, `--org`, `CDPADM_ORG_ID`, a file's path or a profile's name. */
  detail: string;
  /** Reference to a profile's secret, as written in the profile: `env:CDP_SECRET`. */
  reference?: string;
}

export interface Setting {
  value: string;
  origin: Origin;
}

export function labelOf(name: SettingName | SecretName): string {
  return { ...SETTING_FIELDS, ...SECRET_FIELDS }[name].label;
}

/** Returns `CDPADM_BASE_URL` for `base_url`. */
export function variableOf(name: SettingName | SecretName): string {
  return `CDPADM_${name.toUpperCase()}`;
}

/** Returns `--org` for `org_id`; undefined for a setting without a flag. */
export function flagOf(name: SettingName): string | undefined {
  return FIELDS[name].flag;
}

export function isIdName(name: SettingName): boolean {
  return FIELDS[name].isId === true;
}

export function addressesOf(secret: SecretName): readonly SettingName[] {
  return SECRET_FIELDS[secret].sentTo;
}

/** Returns `secret` and the secrets that must come from the same source. */
export function secretsWith(secret: SecretName): SecretName[] {
  return SECRET_NAMES.filter((name) => SECRET_FIELDS[name].sentTo === SECRET_FIELDS[secret].sentTo);
}

export function checkSetting(name: SettingName, text: string): Checked {
  return FIELDS[name].check(text.trim());
}

function checkAddress(text: string): Checked {
  const read = readBaseAddress(text);
  return 'problem' in read ? read : { value: read.origin + read.prefix };
}

/** Keeps the id as a string, because a number cannot hold 64 bits exactly. */
function checkDigits(text: string): Checked {
  return /^\d{1,19}$/.test(text) ? { value: text } : { problem: 'must be a number of 1 to 19 digits' };
}

function checkDomain(text: string): Checked {
  const value = text.toLowerCase();
  return isDomainName(value) ? { value } : { problem: 'must be a domain name such as example.com' };
}

function checkEnvironment(text: string): Checked {
  return text === 'development' || text === 'production'
    ? { value: text }
    : { problem: 'must be `development` or `production`' };
}

function checkText(text: string): Checked {
  return text === '' ? { problem: 'must not be empty' } : { value: text };
}

/**
 * Throws KnownError auth (4) if the secret must not be sent to an address:
 * - a profile's secret may go only to the addresses in that profile (other sources may set the same addresses);
 * - a secret from the environment may go anywhere except to an address that only a project file names, because a cloned
 *   repository must not decide where credentials go.
 */
export function refuseForeignAddress(
  secret: SecretName,
  origin: Origin,
  address: (name: SettingName) => Setting | undefined,
  own: Readonly<Partial<Record<SettingName, string | undefined>>>,
): void {
  for (const name of addressesOf(secret)) {
    const setting = address(name);
    if (!setting || setting.value === own[name]) continue;
    const kind = setting.origin.kind;
    const foreign = origin.kind === 'profile' ? kind !== 'profile' && kind !== 'default' : kind === 'project';
    if (foreign) throw foreignAddress(secret, origin, name, setting);
  }
}

function foreignAddress(secret: SecretName, origin: Origin, name: SettingName, setting: Setting): KnownError {
  const fromProfile = origin.kind === 'profile';
  return fail('auth.foreign_address', {
    message:
      `The ${labelOf(secret)} comes from ${fromProfile ? 'profile' : 'the environment,'} ${origin.detail}, ` +
      `but the ${labelOf(name)} ${setting.value} comes from ${setting.origin.detail}, so it was not sent there.`,
    hint: fromProfile
      ? omitAddress(secret, name, setting.origin)
      : `Set ${variableOf(name)} to that address if you trust it, or use a profile that has that address.`,
    details: { secret, address: name },
  });
}

/** Does not suggest environment credentials for a project file's address, because they cannot be sent there. */
function omitAddress(secret: SecretName, name: SettingName, { kind, detail }: Origin): string {
  if (kind === 'project') return `Remove \`${name}\` from ${detail}, or use a profile that has that address.`;
  const omit = kind === 'flag' ? `Omit ${detail}` : `Unset ${detail}`;
  const credentials = secretsWith(secret).map(variableOf).join(' and ');
  return `${omit}, use a profile that has that address, or also set ${credentials}.`;
}
