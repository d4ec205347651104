// Opens this machine's memory of the organization that the settings name.
import type { RolesStore } from '../../config/roles-store.ts';
import type { Settings } from '../../config/resolve-settings.ts';
import type { ManifestReply } from '../../contract/roles.ts';
import type { Context } from '../context.ts';
import { lastingAddress } from '../service-address.ts';

export interface RolesMemoryOfContext {
  /** The key of the memory and of every plan. */
  scope: { organization: string; address: string };
  store: Omit<RolesStore, 'saveBase'> & { saveBase(manifest: ManifestReply): Promise<void> };
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
  const store = openRolesStore(ctx.paths.state, scope, ctx.clock);
  // A base that cannot be stored does not fail a pull or push. The next push then treats the file as one without a base.
  const saveBase = async (manifest: ManifestReply) => {
    await ctx.cacheFiles.attempt(() => store.saveBase(manifest));
  };
  return { scope, store: { ...store, saveBase }, profile: settings.profile?.value ?? null };
}
