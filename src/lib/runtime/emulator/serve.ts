// Serves the embedded platform in the foreground, registered for other commands, as the platform of a profile if asked.
import { looksLikeReference } from '../../config/secret-file.ts';
import type { EmulatorIdentity } from '../../emulator/base/embedding.ts';
import type { EmulatorOptions, EmulatorReady } from '../../emulator/index.ts';
import { usageError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { fields, type ListView } from '../../render/view.ts';
import { stopped } from '../interrupt.ts';
import { createResultLines } from '../output/result-lines.ts';
import { authorityFolder, localFolder, registerEmulator, type RunningEmulator } from './running.ts';

/** `data` is null for in-memory state, and undefined for the state of profile `local`. */
export interface ServeOptions extends Omit<EmulatorOptions, 'data' | 'memory'> {
  data: string | null | undefined;
  /** True to reset existing state to the fixtures. */
  fresh?: boolean;
  /** True to print the console's address. */
  ui?: boolean | undefined;
  profile?: RunningEmulator['profile'];
}

/** Prints the ready line, and returns when a signal arrives. Throws the same errors as `startEmulator`. */
export async function serveEmulator(ctx: Context, options: ServeOptions): Promise<void> {
  const { startEmulator } = await import('../../emulator/index.ts');
  const data = options.data === undefined ? localFolder(ctx.paths) : options.data;
  const { data: _chosen, fresh, ui, profile, ...rest } = options;
  const emulator = await startEmulator({
    ...rest,
    ...(data !== null && { data }),
    authority: authorityFolder(ctx.paths),
    systemClock: ctx.clock,
  });
  ctx.onClose(() => emulator.close());
  if (fresh) await emulator.reset();
  const { port, ready } = emulator;
  const forget = registerEmulator(ctx.paths, { port, data, started: ctx.clock.now(), ready, profile });
  ctx.onClose(async () => forget());
  ctx.out.note(data === null ? 'State: in memory only; it is lost when the platform stops.' : `State: ${data}`);
  if (ui) ctx.out.note(`Console: ${ready.console_url}`);
  ctx.out.note('In another shell, run: eval "$(cdpadm emulator env)". Press Ctrl-C to stop.');
  const { base_url: url, listen_url: own } = ready;
  const text = `The embedded platform is ready at ${url}${url === own ? '' : ` and listens on ${own}`}`;
  const columns = fields(...(Object.keys(ready) as (keyof EmulatorReady)[]));
  const view: ListView<EmulatorReady> = { kind: 'list', columns, empty: '', name: () => url };
  const { tell } = createResultLines(ctx, view, () => text);
  await tell(ready);
  await stopped(ctx.signal);
}

/**
 * Returns the deployment to imitate, based on a profile and flags, without secrets. Flags override the profile's settings.
 * Throws not found (5) for an unknown profile, and usage (2) for a bad id.
 */
export async function readIdentity(
  ctx: Context,
  { as, vendorDomain, audience }: Partial<Record<'as' | 'vendorDomain' | 'audience', string | undefined>>,
) {
  const profile = as === undefined ? undefined : await (await ctx.profiles()).find(as);
  const { account, org, workspace } = ctx.flags;
  const clientId = profile?.secrets?.client_id;
  const values = {
    vendorDomain: vendorDomain?.toLowerCase() ?? profile?.vendor_domain,
    audience: audience ?? profile?.audience ?? profile?.base_url,
    org: idOf('--org', org ?? profile?.org_id),
    account: idOf('--account', account ?? profile?.account_id),
    workspace: idOf('--workspace', workspace ?? profile?.workspace_id),
    clientId: clientId === undefined || looksLikeReference(clientId) ? undefined : clientId,
    anySecret: profile && true,
  };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return { identity: Object.fromEntries(given) as EmulatorIdentity, names: profile?.names };
}

function idOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const id = /^\d+$/.test(text) ? Number(text) : 0;
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw usageError(`The embedded platform cannot use the id ${text}.`, `Pass another id with ${flag}.`);
}
