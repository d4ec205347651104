// Opens this machine's roles store.
import type { RolesStore } from '../../config/roles-store.ts';
import type { Settings } from '../../config/resolve-settings.ts';
import type { Context } from '../context.ts';
import { lastingAddress } from '../target.ts';

export type RolesMemoryOfContext = Awaited<ReturnType<typeof openRolesMemory>>;

/** Opens the store for the organization in the command's settings, or in those of another profile. */
export async function openRolesMemory(ctx: Context, other?: Settings) {
  const settings = other ?? (await ctx.settings());
  const { openRolesStore } = await import('../../config/roles-store.ts');
  /** Key of this store, which is also part of every plan. */
  const scope = { organization: String(settings.needInteger('org_id')), address: lastingAddress(settings, 'base_url') };
  const store = openRolesStore(ctx.paths.state, scope, ctx.clock);
  // A pull or push does not fail if a base cannot be stored. The next push then treats the file as one without a base.
  const saveBase = async (...base: Parameters<RolesStore['saveBase']>) => {
    await ctx.cacheFiles.attempt(() => store.saveBase(...base));
  };
  return { scope, store: { ...store, saveBase }, profile: settings.profile?.value ?? null };
}

export async function savedRevisions({ paths }: Pick<Context, 'paths'>): Promise<Set<string>> {
  const { revisionNames } = await import('../../config/roles-store.ts');
  return new Set(revisionNames(paths.state));
}

/** Opens the profile that `flag` names. Throws usage (2) if the profile is unknown or lacks an address or id. */
export async function openOtherProfile(ctx: Context, name: string, flag: string) {
  const { connect, resolveFor } = await import('../connect.ts');
  const settings = await resolveFor(ctx, name, flag);
  return {
    api: connect(ctx, settings),
    memory: await openRolesMemory(ctx, settings),
    /** Organization and address, for humans. */
    where: `organization ${settings.need('org_id')} at ${settings.need('base_url')}`,
  };
}
