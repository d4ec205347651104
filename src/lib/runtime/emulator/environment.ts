// Settings of a running embedded platform, and the environment variables that point commands to it.
import { existsSync } from 'node:fs';
import {
  SECRET_NAMES,
  type SecretName,
  SETTING_NAMES,
  type SettingName,
  variableOf,
} from '../../config/setting-fields.ts';
import type { EmulatorReady } from '../../emulator/index.ts';

const NAMES: readonly (SettingName | SecretName)[] = [...SETTING_NAMES, ...SECRET_NAMES];

/** Variables that `emulator env` prints. */
export const VARIABLES = NAMES.map(variableOf);

const OTHERS: readonly string[] = ['audience', 'environment', 'access_token', 'org_id', 'account_id', 'workspace_id'];

/** String fields of the ready line. */
export const READY_TEXTS = [
  ...NAMES.filter((name) => !OTHERS.includes(name)),
  'control_url',
  'console_url',
  'listen_url',
];

/** Returns the platform's settings. Omits a missing authority file: the user may delete the cache at any time. */
export function settingsOf(ready: EmulatorReady): Partial<Record<SettingName | SecretName, string>> {
  const values: Partial<Record<string, string | number>> = { ...ready };
  if (!existsSync(ready.ca_file)) delete values['ca_file'];
  return Object.fromEntries(NAMES.flatMap((name) => (name in values ? [[name, String(values[name])]] : [])));
}

export function environmentOf(ready: EmulatorReady): Record<string, string> {
  const settings = Object.entries({ ...settingsOf(ready), audience: ready.base_url });
  return Object.fromEntries(settings.map(([name, value]) => [variableOf(name as SettingName), value]));
}

/** Also overrides the shell's profile, whose names and audience may not match this platform. Empty means unset. */
export function shellEnvironment(ready: EmulatorReady, profile: string | undefined): Record<string, string> {
  const unset = Object.fromEntries(VARIABLES.map((name) => [name, '']));
  return { ...(profile !== undefined && { CDPADM_PROFILE: profile }), ...unset, ...environmentOf(ready) };
}
