// Checks credentials with each area's cheapest harmless call, for `auth test` and `doctor`.
import * as z from 'zod/mini';
import { counted } from '../../kernel/words.ts';
import { exitOf } from '../../errors/fail.ts';
import type { Api } from '../../api/index.ts';
import type { Settings } from '../../config/resolve-settings.ts';
import { type SecretName, secretsWith, type SettingName } from '../../config/setting-fields.ts';
import { KnownError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';

export function areaCheck() {
  return z.object({
    credential: z.enum(['platform', 'dsr', 'seeding']),
    area: z.string(),
    status: z.enum(['ok', 'failed', 'not_configured', 'not_checked']),
    detail: z.string(),
  });
}

export type AreaCheck = z.infer<ReturnType<typeof areaCheck>> & { error?: KnownError };

type Read = (api: Api, signal: AbortSignal) => Promise<string>;

/** Credentials, name, needed settings, and the cheapest call, which returns the detail to show. */
const AREAS: readonly [
  credential: AreaCheck['credential'],
  name: string,
  needs: readonly SettingName[],
  read?: Read,
][] = [
  ['platform', 'roles', ['base_url', 'org_id', 'account_id'], listing('task', (api) => api.roles.listTasks)],
  ['platform', 'groups', ['base_url', 'workspace_id'], listing('group', (api) => api.groups.list)],
  ['platform', 'warehouse', ['base_url', 'workspace_id'], listing('connection', (api) => api.connections.list)],
  ['dsr', 'data subject requests', ['dsr_base_url'], readDiscovery],
  ['seeding', 'seeding', ['seeding_url'], trySeeding],
  // Every call in this area is a write.
  ['seeding', 'identity intake', ['identity_url']],
];

function listing(noun: string, listOf: (api: Api) => (signal: AbortSignal) => Promise<readonly unknown[]>): Read {
  return async (api, signal) => counted((await listOf(api)(signal)).length, noun);
}

async function readDiscovery(api: Api, signal: AbortSignal): Promise<string> {
  return `version ${(await api.dsr.discovery(signal)).api_version}`;
}

/** Sends a POST, which `access: read` blocks. */
async function trySeeding(api: Api, signal: AbortSignal): Promise<string> {
  await api.seeding.tryCredentials(signal);
  return 'the key and secret are valid; an empty list of users was sent';
}

/** Requests a new token: a cached one would hide a wrong secret. Skips areas that would fail for the same reason. */
export async function checkAreas(ctx: Context): Promise<AreaCheck[]> {
  const settings = await ctx.settings();
  const { connect } = await import('../connect.ts');
  let opened: Api | undefined;
  const api = (): Api => (opened ??= connect(ctx, settings, { freshToken: true }));
  const checks: AreaCheck[] = [];
  for (const area of AREAS) checks.push(await check(area));
  return checks;

  async function check([credential, area, needs, read]: (typeof AREAS)[number]): Promise<AreaCheck> {
    const same = checks.find((one) => one.credential === credential && one.error && isGeneral(one.error));
    const result = (status: AreaCheck['status'], detail: string): AreaCheck => ({ credential, area, status, detail });
    // With an access token, no token service is needed.
    const needsToken = credential === 'platform' && !settings.secretOrigin('access_token');
    const settingNames = needsToken ? [...needs, 'auth_url' as const] : needs;
    const missing = [...absentSecrets(settings, credential), ...settingNames.filter((name) => !settings.get(name))];
    if (missing.length > 0) return result('not_configured', `missing: ${missing.join(', ')}`);
    if (!read) return result('not_checked', 'every call would change data');
    if (read === trySeeding && settings.access === 'read')
      return result('not_checked', 'access: read blocks the POST that this check needs');
    if (same) return result('not_checked', `skipped because ${same.area} failed (same credentials and address)`);
    try {
      return result('ok', await read(api(), ctx.signal));
    } catch (error) {
      if (!(error instanceof KnownError) || ctx.signal.aborted) throw error;
      return { ...result('failed', error.message), error };
    }
  }
}

function absentSecrets(settings: Settings, credential: AreaCheck['credential']): SecretName[] {
  if (credential === 'platform' && settings.secretOrigin('access_token')) return [];
  const secret = credential === 'platform' ? 'client_secret' : 'workspace_secret';
  return secretsWith(secret).filter((name) => !settings.secretOrigin(name));
}

/** True if the failure concerns the credentials or the network in general. A 403 or 404 concerns a single area. */
function isGeneral(error: KnownError): boolean {
  const exit = exitOf(error);
  return exit === 'network' || exit === 'unavailable' || (exit === 'auth' && error.status !== 403);
}
