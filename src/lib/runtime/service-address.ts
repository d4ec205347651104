// Maps each service of the platform to the setting of its address, and to the key under which the client remembers it.
import type { Settings } from '../config/resolve-settings.ts';
import type { SettingName } from '../config/setting-fields.ts';
import type { Service } from '../contract/endpoint.ts';

export const ADDRESS_OF: Record<Service, SettingName> = {
  base: 'base_url',
  auth: 'auth_url',
  dsr: 'dsr_base_url',
  seeding: 'seeding_url',
  identity: 'identity_url',
};

/** Whether the address is that of the embedded platform of profile `local`, and not one from elsewhere. */
export function isEmbedded(settings: Settings, name: SettingName): boolean {
  return settings.profile?.value === 'local' && settings.get(name)?.origin.kind === 'profile';
}

/** The key under which this machine remembers a service. The embedded platform changes its port and keeps its key. */
export function lastingAddress(settings: Settings, name: SettingName): string {
  return isEmbedded(settings, name)
    ? 'local'
    : settings
        .need(name)
        .replace(/(?<!\/)\/+$/, '')
        .toLowerCase();
}

/** The same for the audience of tokens, which is the base address unless the profile names another. */
export function lastingAudience(settings: Settings): string {
  const audience = settings.need('audience');
  return audience === settings.get('base_url')?.value ? lastingAddress(settings, 'base_url') : audience;
}
