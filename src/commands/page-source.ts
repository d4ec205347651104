// What an HTML page says of where its data comes from.
import type { PageSource } from '../lib/render/html-page.ts';
import type { Context } from '../lib/runtime/context.ts';
import { isEmbedded } from '../lib/runtime/service-address.ts';

/** Of the platform that the command asked, now. The embedded one has another port each time, which says nothing. */
export async function pageSource(ctx: Context): Promise<PageSource> {
  const settings = await ctx.settings();
  return {
    platform: isEmbedded(settings, 'base_url') ? 'embedded platform' : settings.get('base_url')?.value,
    organization: settings.get('org_id')?.value,
    workspace: settings.get('workspace_id')?.value,
    made_on: ctx.clock.now(),
  };
}
