// What a profile is created from: each setting with its flag and its question.
import type { Context } from '../../lib/runtime/context.ts';

export type Profiles = Awaited<ReturnType<Context['profiles']>>;
export type Draft = Parameters<Profiles['create']>[1];
export type SettingName = Parameters<Profiles['checkValue']>[0];

export interface Field {
  name: SettingName;
  /** The command's own flag; ids and the file of authorities come by flags that every command has. */
  option?: string;
  flag: string;
  label: string;
  /** Asked for even when some flags were given: without it the platform API cannot be used. */
  essential?: boolean;
}

/** In the order of the questions. */
export const FIELDS: readonly Field[] = [
  own('base_url', 'platform address', true),
  own('auth_url', 'token service address', true),
  own('audience', 'audience of tokens (default: the platform address)'),
  { name: 'org_id', flag: '--org', label: 'organization id', essential: true },
  { name: 'account_id', flag: '--account', label: 'account id', essential: true },
  { name: 'workspace_id', flag: '--workspace', label: 'workspace id' },
  own('dsr_base_url', 'data subject request address'),
  own('seeding_url', 'seeding address'),
  own('identity_url', 'identity intake address'),
  own('vendor_domain', 'vendor domain of extension identities'),
  own('environment', 'environment: development or production'),
  { name: 'ca_file', flag: '--ca-file', label: 'file of further authorities' },
];

function own(name: SettingName, label: string, essential = false): Field {
  const option = `--${name.replaceAll('_', '-')}`;
  return { name, option, flag: option, label, essential };
}
