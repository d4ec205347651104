// The target of a write, which is shown before the plan and in the JSON result, and the addresses of services.
import type { Settings } from '../config/resolve-settings.ts';
import type { SettingName } from '../config/setting-fields.ts';
import type { KnownError } from '../kernel/errors.ts';
import { fail } from '../errors/fail.ts';
import type { Service } from '../contract/endpoint.ts';
import { targetFlags } from './command-line/complete-hint.ts';

/** A service that accepts writes. `organization` and `workspace` share the platform's address. */
export type WriteScope = 'organization' | 'workspace' | 'dsr' | 'seeding' | 'identity';

export interface Target {
  profile: string | null;
  environment: string | null;
  org_id?: string | null;
  account_id?: string | null;
  workspace_id?: string | null;
  /** `embedded platform` for the loopback address of profile `local`. */
  address: string;
}

/** The ids of a write, which may differ from those in the settings. */
export type TargetIds = Partial<Pick<Target, 'org_id' | 'account_id' | 'workspace_id'>>;

/** Throws KnownError usage (2) if the address is not configured. `ids` override those in the settings. */
export function targetOf(settings: Settings, scope: WriteScope, ids?: TargetIds): Target {
  const address = ADDRESS_OF[scope === 'organization' || scope === 'workspace' ? 'base' : scope];
  const valueOf = (name: SettingName): string | null => settings.get(name)?.value ?? null;
  const url = settings.need(address);
  return {
    profile: settings.profile?.value ?? null,
    environment: valueOf('environment'),
    ...(scope === 'organization'
      ? { org_id: valueOf('org_id'), account_id: valueOf('account_id') }
      : { workspace_id: valueOf('workspace_id') }),
    ...ids,
    address: isEmbedded(settings, address) ? 'embedded platform' : url,
  };
}

/** Flags for a later command with the same target; incomplete if an address does not come from the profile. */
export function flagsOf(target: Target, { get, profile }: Settings): { flags: string[]; isComplete: boolean } {
  const isOwn = (name: SettingName): boolean => ['profile', 'default', undefined].includes(get(name)?.origin.kind);
  const isComplete = profile !== undefined && [...Object.values(ADDRESS_OF), 'audience' as const].every(isOwn);
  const flags = targetFlags({
    profile: isComplete ? profile.value : undefined,
    org: target.org_id ?? undefined,
    account: target.account_id ?? undefined,
    workspace: target.workspace_id ?? undefined,
    caFile: isComplete && isOwn('ca_file') ? undefined : get('ca_file')?.value,
  });
  return { flags: flags.flat(), isComplete };
}

/** Returns a line such as `Target: profile prod (protected), production, workspace 3001, https://api.example`. */
export function targetLine(target: Target, settings: Pick<Settings, 'profile' | 'protected'>): string {
  const { profile } = settings;
  const name = profile === undefined ? 'no profile' : `profile ${profile.value}`;
  return `Target: ${[`${name}${settings.protected ? ' (protected)' : ''}`, ...placeOf(target)].join(', ')}`;
}

/** Returns the target without its profile: `production`, `workspace 3001`, the address. */
export function placeOf(target: Readonly<Record<string, string | null | undefined>> | Target): string[] {
  const { account_id, address, environment, org_id, workspace_id } = target as Partial<Target>;
  const ids = Object.entries({ organization: org_id, account: account_id, workspace: workspace_id });
  return [environment, ...ids.map(([label, id]) => id && `${label} ${id}`), address]
    .filter((part) => !!part)
    .map(String);
}

/** Returns text for a question, such as `workspace 3001 (production)`. `environments` lists those in the data. */
export function workspaceOf({ workspace_id, environment }: Target, environments: readonly string[] = []): string {
  const named = environments.length > 0 ? environments.join(' and ') : environment;
  const workspace = workspace_id === undefined || workspace_id === null ? 'the workspace' : `workspace ${workspace_id}`;
  return named === null ? workspace : `${workspace} (${named})`;
}

/** Returns the error for every write under `access: read`. The HTTP core also throws this error. */
export function readOnly({ origins, profile }: Settings): KnownError {
  const origin = origins['access'];
  const holder = origin?.kind === 'project' ? origin.detail : `Profile \`${profile?.value ?? ''}\``;
  return fail('profile.read_only', {
    message: `${holder} allows only reads (\`access: read\`). Nothing was sent.`,
    hint: 'To see what the command would do, add --dry-run. To write, use a profile that allows it.',
  });
}

export const ADDRESS_OF: Record<Service, SettingName> = {
  base: 'base_url',
  auth: 'auth_url',
  dsr: 'dsr_base_url',
  seeding: 'seeding_url',
  identity: 'identity_url',
};

/** True if profile `local` provides the address, rather than another source. */
export function isEmbedded(settings: Settings, name: SettingName): boolean {
  return settings.profile?.value === 'local' && settings.get(name)?.origin.kind === 'profile';
}

/** Returns the key of a service's stored data. It does not change with the embedded platform's port. */
export function lastingAddress(settings: Settings, name: SettingName): string {
  return isEmbedded(settings, name) ? 'local' : settings.need(name).toLowerCase();
}

/** Like `lastingAddress`, but for the tokens' audience: the base address, unless the profile sets another. */
export function lastingAudience(settings: Settings): string {
  const audience = settings.need('audience');
  return audience === settings.get('base_url')?.value ? lastingAddress(settings, 'base_url') : audience;
}
