// Opens a second profile in one command, with its own platform, credentials and memory.
import type { Api } from '../api/index.ts';
import type { Context } from './context.ts';
import { openRolesMemoryOf, type RolesMemoryOfContext } from './memory/roles.ts';

export interface OtherProfile {
  api: Api;
  memory: RolesMemoryOfContext;
  /** Organization and address, for people. */
  where: string;
}

/** Opens the profile that `flag` names. Throws KnownError usage (2) if it is unknown, or has no address or id. */
export async function openOtherProfile(ctx: Context, name: string, flag: string): Promise<OtherProfile> {
  const { connect, resolveAlone } = await import('./connect.ts');
  const settings = await resolveAlone(ctx, name, flag);
  return {
    api: connect(ctx, settings),
    memory: await openRolesMemoryOf(ctx, settings),
    where: `organization ${settings.need('org_id')} at ${settings.need('base_url')}`,
  };
}
