// Sends a profile's secrets only to that profile's own addresses.
import type { KnownError } from '../kernel/errors.ts';
import {
  addressesOf,
  labelOf,
  type Origin,
  type SecretName,
  secretsWith,
  type Setting,
  type SettingName,
  variableOf,
} from './setting-fields.ts';
import { fail } from '../errors/fail.ts';

/**
 * Throws KnownError auth (4) if the secret would be sent to another address:
 * - a profile's secret may go only to the addresses in that profile, which other sources may repeat;
 * - a secret of the environment may go anywhere except to an address that only a project file names: a cloned repository
 *   must not decide where credentials go.
 */
export function refuseForeignAddress(
  secret: SecretName,
  origin: Origin,
  address: (name: SettingName) => Setting | undefined,
  own: Readonly<Partial<Record<SettingName, string>>>,
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

/** Environment credentials do not help with an address of a project file, so the hint does not suggest them. */
function omitAddress(secret: SecretName, name: SettingName, { kind, detail }: Origin): string {
  if (kind === 'project') return `Remove \`${name}\` from ${detail}, or use a profile that has that address.`;
  const omit = kind === 'flag' ? `Omit ${detail}` : `Unset ${detail}`;
  const credentials = secretsWith(secret).map(variableOf).join(' and ');
  return `${omit}, use a profile that has that address, or also pass ${credentials}.`;
}
