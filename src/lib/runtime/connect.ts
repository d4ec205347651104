// Creates the API clients from flags, environment and profile.
import { join, resolve } from 'node:path';
import { createApi, type Api } from '../api/index.ts';
import { loadSettings } from '../config/load-settings.ts';
import type { Settings } from '../config/resolve-settings.ts';
import { createClient } from '../http/client.ts';
import { readProxySettings } from '../http/engines/proxy.ts';
import { openUserLog } from '../kernel/line-file.ts';
import { host } from '../kernel/host.ts';
import { stringifyJson } from '../kernel/json.ts';
import type { Context } from './context.ts';
import { rememberingIds } from './memory/remember-ids.ts';
import { ADDRESS_OF, lastingAddress, lastingAudience, readOnly } from './target.ts';
import { furtherAuthorities } from './checks/trusted-roots.ts';

/**
 * Returns the settings for `profile` or, if it is undefined, for the profile that the flags select. `alone` is the flag
 * that names a second profile, to which only one of the global flags applies: `--ca-file`.
 */
export async function resolveFor(ctx: Context, profile = ctx.flags.profile, alone?: string): Promise<Settings> {
  const { org, account, workspace, caFile } = ctx.flags;
  const ids = alone === undefined && { org_id: org, account_id: account, workspace_id: workspace };
  return await loadSettings({
    env: ctx.io.env,
    cwd: ctx.io.cwd,
    home: host.home(ctx.io.env),
    paths: ctx.paths,
    clock: ctx.clock,
    redactor: ctx.redactor,
    signal: ctx.signal,
    onWarning: ctx.out.warn,
    onNote: ctx.out.note,
    local: async () => {
      const { openEmbedded, valuesOf } = await import('./emulator/embedded.ts');
      return valuesOf(await openEmbedded(ctx));
    },
    flags: { profile, settings: { ...ids, ca_file: caFile } },
    alone,
  });
}

/** Opens the HTTP core and the clients. `freshToken` ignores a cached token, which would hide a wrong secret. */
export function connect(ctx: Context, settings: Settings, { freshToken = false } = {}): Api {
  const { flags, io } = ctx;
  const authorities = settings.get('ca_file');
  let printed = Promise.resolve();
  const client = createClient({
    address: (service) => settings.need(ADDRESS_OF[service]),
    audience: () => settings.need('audience'),
    lastingAddress: (service) => lastingAddress(settings, ADDRESS_OF[service]),
    lastingAudience: () => lastingAudience(settings),
    credentials: {
      accessToken: async () =>
        settings.secretOrigin('access_token') === undefined ? undefined : await settings.secret('access_token'),
      bearer: async () => {
        // A cached token may be sent only to the addresses that are allowed for its secret.
        settings.allowSecret('client_secret');
        return { clientId: await settings.secret('client_id'), clientSecret: () => settings.secret('client_secret') };
      },
      basic: async () => ({
        key: await settings.secret('workspace_key'),
        secret: await settings.secret('workspace_secret'),
      }),
    },
    names: settings.names,
    limits: settings.limits,
    cacheFiles: ctx.cacheFiles,
    tokenFolder: join(ctx.paths.cache, 'tokens'),
    freshToken,
    budgetFolder: join(ctx.paths.state, 'budget'),
    requestTimeoutMs: flags.requestTimeoutMs,
    retries: flags.retries,
    proxy: readProxySettings(io.env),
    extraAuthorities: authorities && furtherAuthorities(authorities.value, io.env),
    engine: 'node',
    clock: ctx.clock,
    random: io.random,
    redactor: ctx.redactor,
    onWrite: (write) => ctx.noteWrite(write),
    onAccepted: () => ctx.noteAccepted(),
    allowWrite: () => {
      if (settings.access === 'read') throw readOnly(settings);
      io.beforeWrite?.();
    },
    onDecision: ctx.out.verbose,
    onWait: ctx.out.waits,
    onResponse: io.onResponse,
    onDebug: flags.debug ? ctx.out.verbose : undefined,
    onTrace: flags.traceFile === undefined ? undefined : openTrace(ctx, resolve(io.cwd, flags.traceFile)),
    ...(flags.curl && { onCurl: (command) => void (printed = ctx.out.emitText(`${command}\n`)) }),
    signal: ctx.signal,
  });
  ctx.onClose(async () => {
    await client.close();
    await printed;
  });
  const api = createApi(client, {
    roles: () => ({ orgId: settings.needInteger('org_id'), accountId: settings.needInteger('account_id') }),
    workspaceId: () => settings.needInteger('workspace_id'),
  });
  return flags.curl ? api : rememberingIds(api, settings, ctx);
}

/** Opens the `--trace-file` (private, one exchange per line), which is closed when the command ends. */
function openTrace(ctx: Context, path: string): (exchange: Record<string, unknown>) => void {
  const log = openUserLog(path);
  let isOpen = true;
  ctx.onClose(async () => {
    isOpen = false;
    log.close();
  });
  return (exchange) => {
    if (isOpen) log.append(`${stringifyJson(exchange)}\n`);
  };
}
