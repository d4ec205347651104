// Every setting once: its variable, its flag, its name for people, and what a value must look like.
import { readBaseAddress } from '../kernel/address.ts';
import type { SecretName, SettingName } from './settings.ts';

/** A value in the spelling that is used and stored, or a sentence on what is wrong with it. */
export type Checked = { value: string } | { problem: string };

interface SettingField {
  label: string;
  /** The flag that every command has; the other settings have none. */
  flag?: string;
  check(text: string): Checked;
}

const SETTING_FIELDS: Record<SettingName, SettingField> = {
  base_url: { label: 'platform address', check: checkAddress },
  auth_url: { label: 'token service address', check: checkAddress },
  dsr_base_url: { label: 'data subject request address', check: checkAddress },
  seeding_url: { label: 'seeding address', check: checkAddress },
  identity_url: { label: 'identity intake address', check: checkAddress },
  audience: { label: 'token audience', check: checkText },
  org_id: { label: 'organization id', flag: '--org', check: checkDigits },
  account_id: { label: 'account id', flag: '--account', check: checkDigits },
  workspace_id: { label: 'workspace id', flag: '--workspace', check: checkDigits },
  vendor_domain: { label: 'vendor domain', check: checkDomain },
  environment: { label: 'environment', check: checkEnvironment },
  ca_file: { label: 'file of further authorities', flag: '--ca-file', check: checkText },
};

/** The values of `-o`, of `CDPADM_OUTPUT` and of a project file's `output`. */
export const OUTPUT_FORMATS = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'markdown', 'name', 'html'] as const;

export const SETTING_NAMES = Object.keys(SETTING_FIELDS) as SettingName[];

const SECRET_LABELS: Record<SecretName, string> = {
  client_id: 'client id',
  client_secret: 'client secret',
  workspace_key: 'workspace key',
  workspace_secret: 'workspace secret',
  access_token: 'access token',
};

export const SECRET_NAMES = Object.keys(SECRET_LABELS) as SecretName[];

/** What people call it. */
export function labelOf(name: SettingName | SecretName): string {
  return name in SECRET_LABELS ? SECRET_LABELS[name as SecretName] : SETTING_FIELDS[name as SettingName].label;
}

/** `CDPADM_BASE_URL` for `base_url`. */
export function variableOf(name: SettingName | SecretName): string {
  return `CDPADM_${name.toUpperCase()}`;
}

/** `--org` for `org_id`; undefined where there is no flag. */
export function flagOf(name: SettingName): string | undefined {
  return SETTING_FIELDS[name].flag;
}

/** Checks one value of one setting. */
export function checkSetting(name: SettingName, text: string): Checked {
  return SETTING_FIELDS[name].check(text.trim());
}

function checkAddress(text: string): Checked {
  const read = readBaseAddress(text);
  return 'problem' in read ? read : { value: read.origin + read.prefix };
}

/** Kept as text, so that a 64-bit id stays exact. */
function checkDigits(text: string): Checked {
  return /^\d{1,19}$/.test(text) ? { value: text } : { problem: 'must be a number written in digits' };
}

function checkDomain(text: string): Checked {
  const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
  return new RegExp(`^${label}(?:\\.${label})*$`, 'i').test(text)
    ? { value: text.toLowerCase() }
    : { problem: 'must be a domain name such as example.com' };
}

function checkEnvironment(text: string): Checked {
  return text === 'development' || text === 'production'
    ? { value: text }
    : { problem: 'must be `development` or `production`' };
}

function checkText(text: string): Checked {
  return text === '' ? { problem: 'must not be empty' } : { value: text };
}
