// The cheapest harmless call of each area, with the credentials at hand: for `auth test` and `doctor`.
import { counted } from '../../kernel/words.ts';
import { exitOf } from '../../errors/exit.ts';
import type { Api } from '../../api/index.ts';
import type { SecretName, SettingName, Settings } from '../../config/settings.ts';
import { KnownError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';

export interface AreaCheck {
  credential: 'platform' | 'dsr' | 'seeding';
  area: string;
  status: 'ok' | 'failed' | 'not_configured' | 'not_checked';
  detail: string;
  /** Why it failed. */
  error?: KnownError;
}

interface Area {
  credential: AreaCheck['credential'];
  name: string;
  needs: readonly SettingName[];
  /** Its only call without an effect is a POST, which `access: read` blocks. */
  posts?: true;
  /** What the answer says; absent where every call has an effect. */
  read?(api: Api, signal: AbortSignal): Promise<string>;
}

const AREAS: readonly Area[] = [
  {
    credential: 'platform',
    name: 'roles',
    needs: ['base_url', 'org_id', 'account_id'],
    read: async (api, signal) => counted((await api.roles.listTasks(signal)).length, 'task'),
  },
  {
    credential: 'platform',
    name: 'groups',
    needs: ['base_url', 'workspace_id'],
    read: async (api, signal) => counted((await api.groups.list(signal)).length, 'group'),
  },
  {
    credential: 'platform',
    name: 'warehouse',
    needs: ['base_url', 'workspace_id'],
    read: async (api, signal) => counted((await api.connections.list(undefined, signal)).length, 'connection'),
  },
  {
    credential: 'dsr',
    name: 'data subject requests',
    needs: ['dsr_base_url'],
    read: async (api, signal) => `version ${(await api.dsr.discovery(signal)).api_version}`,
  },
  {
    credential: 'seeding',
    name: 'seeding',
    needs: ['seeding_url'],
    posts: true,
    read: async (api, signal) => {
      await api.seeding.tryCredentials(signal);
      return 'key and secret are taken; a list without users was sent';
    },
  },
  { credential: 'seeding', name: 'identity intake', needs: ['identity_url'] },
];

const SECRETS_OF: Record<AreaCheck['credential'], readonly SecretName[]> = {
  platform: ['client_id', 'client_secret'],
  dsr: ['workspace_key', 'workspace_secret'],
  seeding: ['workspace_key', 'workspace_secret'],
};

/**
 * Tries every area with these settings, by default those in use, one after another. The token is asked for anew: a cached one
 * was had for whatever the secret was then. What failed for one kind of credentials as such is not tried again.
 */
export async function checkAreas(ctx: Context, settings?: Settings): Promise<AreaCheck[]> {
  const tried = settings ?? (await ctx.settings());
  const { connect } = await import('../connect.ts');
  let opened: Api | undefined;
  const api = (): Api => (opened ??= connect(ctx, tried, { freshToken: true }));
  const checks: AreaCheck[] = [];
  for (const area of AREAS) {
    const same = checks.find(({ credential, error }) => credential === area.credential && error && isGeneral(error));
    checks.push(await checkArea(tried, api, area, same, ctx.signal));
  }
  return checks;
}

async function checkArea(
  settings: Settings,
  api: () => Api,
  { credential, name: area, needs, posts, read }: Area,
  same: AreaCheck | undefined,
  signal: AbortSignal,
): Promise<AreaCheck> {
  const told = (status: AreaCheck['status'], detail: string): AreaCheck => ({ credential, area, status, detail });
  const missing = [...absentSecrets(settings, credential), ...absentSettings(settings, credential, needs)];
  if (missing.length > 0) return told('not_configured', `missing: ${missing.join(', ')}`);
  if (!read) return told('not_checked', 'no call of it is without effect');
  if (posts && settings.access === 'read') return told('not_checked', 'access: read blocks its only call, a POST');
  if (same) return told('not_checked', `as ${same.area}: the same credentials and address`);
  try {
    return told('ok', await read(api(), signal));
  } catch (error) {
    if (!(error instanceof KnownError) || signal.aborted) throw error;
    return { ...told('failed', error.message), error };
  }
}

function absentSecrets(settings: Settings, credential: AreaCheck['credential']): SecretName[] {
  if (credential === 'platform' && settings.secretOrigin('access_token')) return [];
  return SECRETS_OF[credential].filter((name) => !settings.secretOrigin(name));
}

/** The token service is of no use to who has a token already. */
function absentSettings(
  settings: Settings,
  credential: AreaCheck['credential'],
  needs: readonly SettingName[],
): SettingName[] {
  const asksForToken = credential === 'platform' && !settings.secretOrigin('access_token');
  return [...needs, ...(asksForToken ? (['auth_url'] as const) : [])].filter((setting) => !settings.get(setting));
}

/** A refusal of one area (403, 404) says nothing about the others; a token that cannot be had does, and so does silence. */
function isGeneral(error: KnownError): boolean {
  const exit = exitOf(error);
  return exit === 'network' || exit === 'unavailable' || (exit === 'auth' && error.status !== 403);
}
