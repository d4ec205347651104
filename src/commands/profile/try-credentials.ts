// The end of `profile create` on a terminal: whether what was given works is known before it is needed.
import { type AreaCheck, checkAreas } from '../../lib/runtime/checks/areas.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { settingsAlone } from '../../lib/runtime/other-profile.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import type { Style } from '../../lib/render/style.ts';
import { wrapUnder } from '../../lib/render/width.ts';

/**
 * Offers to try a new profile's credentials, by its own settings alone (decision: D172). What does not work is told and
 * leaves the profile as it is. Resolves to whether they were tried.
 */
export async function offerTry(ctx: Context, name: string): Promise<boolean> {
  const wanted = await ctx.prompt.ask('Try the credentials now?', true);
  if (!wanted) return false;
  const checks = await checkAreas(ctx, await settingsAlone(ctx, name, 'profile create'));
  const told = checks.filter(({ status }) => status === 'ok' || status === 'failed');
  if (told.length === 0) {
    const details = checks.flatMap(({ status, detail }) => (status === 'not_configured' ? [detail] : []));
    const missing = new Set(details.flatMap((detail) => detail.replace(/^missing: /, '').split(', ')));
    ctx.out.warn(`No area can be tried yet; missing: ${[...missing].join(', ')}.`);
    return true;
  }
  ctx.out.show((style, width) => told.map((check) => lineOf(check, style, width)).join('\n'));
  if (told.some(({ status }) => status === 'failed')) {
    ctx.out.note({ text: 'The profile is kept. To change it:', command: `cdpadm profile edit ${name}` });
    ctx.out.note({ text: 'To store other secrets:', command: `cdpadm auth login --profile ${name}` });
    ctx.out.note({ text: 'To try them again:', command: `cdpadm auth test --profile ${name}` });
  }
  return true;
}

function lineOf({ area, detail, status }: AreaCheck, style: Style, width: number): string {
  const paint = status === 'ok' ? style.green : style.red;
  return wrapUnder(`${paint(status === 'ok' ? 'works ' : 'failed')}  `, cleanLine(`${area}: ${detail}`), width);
}
