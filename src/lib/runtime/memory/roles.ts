// Opens this machine's memory of the organization that the settings name.
import type { RolesStore } from '../../config/roles-store.ts';
import type { Settings } from '../../config/settings.ts';
import type { Context } from '../context.ts';
import { lastingAddress } from '../service-address.ts';

export interface RolesMemoryOfContext {
  /** What the memory and every plan are keyed by. */
  scope: { organization: string; address: string };
  store: RolesStore;
  profile: string | null;
}

export async function openRolesMemory(ctx: Context): Promise<RolesMemoryOfContext> {
  return openRolesMemoryOf(ctx, await ctx.settings());
}

/** The same for the organization of other settings. */
export async function openRolesMemoryOf(ctx: Context, settings: Settings): Promise<RolesMemoryOfContext> {
  const { openRolesStore } = await import('../../config/roles-store.ts');
  const scope = {
    organization: String(settings.needInteger('org_id')),
    address: lastingAddress(settings, 'base_url'),
  };
  return { scope, store: openRolesStore(ctx.paths.state, scope, ctx.clock), profile: settings.profile?.value ?? null };
}
