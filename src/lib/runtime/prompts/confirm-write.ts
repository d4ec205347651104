// The steps before a write: reject it under `access: read`, show its target, ask for confirmation.
import { cleanLine } from '../../render/clean.ts';
import type { Context } from '../context.ts';
import { readOnly, type Target, type TargetIds, targetLine, targetOf, type WriteScope } from '../target.ts';

/** Shows the target. Throws guard (12) under `access: read`, except with --dry-run or --curl, which send nothing. */
export async function startWrite(ctx: Context, scope: WriteScope, ids?: TargetIds): Promise<Target> {
  const settings = await ctx.settings();
  const { curl, dryRun } = ctx.flags;
  if (settings.access === 'read' && !curl && !dryRun) throw readOnly(settings);
  const target = targetOf(settings, scope, ids);
  if (!curl) ctx.out.target(target, cleanLine(targetLine(target, settings)));
  return target;
}

/** Asks for `typed` and a protected profile's name; if neither applies, for a yes. Throws the errors of `Prompts`. */
export async function confirmWrite(
  ctx: Context,
  question: string,
  { canGoBack, typed }: NonNullable<Parameters<Context['confirmWrite']>[1]>,
): Promise<boolean> {
  const settings = await ctx.settings();
  const { profile } = settings;
  if (typed !== undefined) await ctx.prompt.typed(question, typed);
  if (!settings.protected || profile === undefined)
    return typed !== undefined || (await ctx.prompt.confirm(question, canGoBack));
  const name = profile.value;
  const asked = typed === undefined ? `${question} ` : '';
  await ctx.prompt.typed(`${asked}This profile is protected; type its name (${name}):`, name, { exit: 'guard' });
  return true;
}
