// A profile's secrets go to that profile's own addresses only; an address from elsewhere brings its own credentials.
import type { KnownError } from '../kernel/errors.ts';
import { labelOf, variableOf } from './setting-fields.ts';
import type { Origin, SecretName, Setting, SettingName } from './settings.ts';
import { fail } from '../errors/fail.ts';

/** Which addresses each secret, or what is bought with it, is sent to. */
const SENT_TO: Record<SecretName, readonly SettingName[]> = {
  client_id: ['auth_url', 'base_url'],
  client_secret: ['auth_url', 'base_url'],
  access_token: ['base_url'],
  workspace_key: ['dsr_base_url', 'seeding_url', 'identity_url'],
  workspace_secret: ['dsr_base_url', 'seeding_url', 'identity_url'],
};

/** What has to come from the same place. */
const BELONG_TOGETHER: Record<SecretName, readonly SecretName[]> = {
  client_id: ['client_id', 'client_secret'],
  client_secret: ['client_id', 'client_secret'],
  access_token: ['access_token'],
  workspace_key: ['workspace_key', 'workspace_secret'],
  workspace_secret: ['workspace_key', 'workspace_secret'],
};

/**
 * Throws KnownError auth (4) when the secret would go to an address that is not its own:
 * - a profile's secret goes to the addresses in that profile, wherever they were repeated;
 * - a secret of the environment goes anywhere but to an address that only a project file names: a repository that
 *   somebody clones must not be able to say where their credentials go.
 */
export function refuseForeignAddress(
  secret: SecretName,
  origin: Origin,
  address: (name: SettingName) => Setting | undefined,
  own: Readonly<Partial<Record<SettingName, string>>>,
): void {
  for (const name of SENT_TO[secret]) {
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
      `but the ${labelOf(name)} ${setting.value} comes from ${setting.origin.detail}; it is not sent there.`,
    hint: fromProfile
      ? withoutIt(secret, name, setting.origin)
      : `Set ${variableOf(name)} to that address if you trust it, or choose a profile that has it.`,
    details: { secret, address: name },
  });
}

/** How to be without an address that is not the profile's. Credentials of the environment would not go to a project file's. */
function withoutIt(secret: SecretName, name: SettingName, { kind, detail }: Origin): string {
  if (kind === 'project') return `Take \`${name}\` out of ${detail}, or choose the profile of that address.`;
  const without = kind === 'flag' ? `Leave out ${detail}` : `Unset ${detail}`;
  const credentials = BELONG_TOGETHER[secret].map(variableOf).join(' and ');
  return `${without}, choose the profile of that address, or give ${credentials} too.`;
}
