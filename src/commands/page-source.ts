// The source of the data on an HTML page.
import type { PageSource } from '../lib/render/html-page.ts';
import type { Context } from '../lib/runtime/context.ts';
import { isEmbedded } from '../lib/runtime/target.ts';

/** Returns the platform that the command called, and the time. Omits the embedded platform's port, which changes. */
export async function pageSource(ctx: Context, address: 'base_url' | 'dsr_base_url' = 'base_url'): Promise<PageSource> {
  const settings = await ctx.settings();
  return {
    platform: isEmbedded(settings, address) ? 'embedded platform' : settings.get(address)?.value,
    ...(address === 'base_url' && { organization: settings.get('org_id')?.value }),
    workspace: settings.get('workspace_id')?.value,
    made_on: ctx.clock.now(),
  };
}
