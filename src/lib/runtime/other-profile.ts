// A second profile within one command: its own platform, its own credentials, its own memory.
import type { Api } from '../api/index.ts';
import type { Settings } from '../config/resolve-settings.ts';
import type { Context } from './context.ts';
import { openRolesMemoryOf, type RolesMemoryOfContext } from './memory/roles.ts';

export interface OtherProfile {
  api: Api;
  memory: RolesMemoryOfContext;
  /** Organization and address, for people. */
  where: string;
}

/** Opens the profile that `flag` names. KnownError usage (2) when there is none, or when it lacks an address or an id. */
export async function openOtherProfile(ctx: Context, name: string, flag: string): Promise<OtherProfile> {
  const { connect } = await import('./connect.ts');
  const settings = await settingsAlone(ctx, name, flag);
  return {
    api: connect(ctx, settings),
    memory: await openRolesMemoryOf(ctx, settings),
    where: `organization ${settings.need('org_id')} at ${settings.need('base_url')}`,
  };
}

/** A profile's own settings and secrets alone; `flag` is what named it. */
export async function settingsAlone(ctx: Context, name: string, flag: string): Promise<Settings> {
  const { resolveAlone } = await import('./connect.ts');
  return await resolveAlone(ctx, name, flag);
}
