// Which setting holds the address of each of the platform's services.
import type { SettingName } from '../config/settings.ts';
import type { Service } from '../contract/endpoint.ts';

export const ADDRESS_OF: Record<Service, SettingName> = {
  base: 'base_url',
  auth: 'auth_url',
  dsr: 'dsr_base_url',
  seeding: 'seeding_url',
  identity: 'identity_url',
};
