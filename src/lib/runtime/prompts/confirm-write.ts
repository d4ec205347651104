// What precedes a write: `access: read` blocks it, its target is shown, and the question is asked.
import { cleanLine } from '../../render/clean.ts';
import type { Context } from '../context.ts';
import { readOnly, type Target, targetLine, targetOf, type WriteScope } from '../target.ts';

/** Blocks the write under `access: read` (12; a dry run and `--curl` send nothing), else shows where it goes. */
export async function startWrite(ctx: Context, scope: WriteScope): Promise<Target> {
  const settings = await ctx.settings();
  const { curl, dryRun } = ctx.flags;
  if (settings.access === 'read' && !curl && !dryRun) throw readOnly(settings);
  const target = targetOf(settings, scope);
  if (!curl) ctx.out.target(target, cleanLine(targetLine(target, settings)));
  return target;
}

/**
 * Asks. `typed` must be typed in place of yes, or come by `--confirm`; so must the name of a protected profile. Throws
 * KnownError: usage (2) or guard (12), as `Prompts` says.
 */
export async function confirmWrite(ctx: Context, question: string, typed: string | undefined): Promise<void> {
  const settings = await ctx.settings();
  const { profile } = settings;
  if (typed !== undefined) await ctx.prompt.typed(question, typed);
  if (!settings.protected || profile === undefined) {
    if (typed === undefined) await ctx.prompt.confirm(question);
    return;
  }
  const name = profile.value;
  const asked = typed === undefined ? `${question} ` : '';
  await ctx.prompt.typed(`${asked}This profile is protected; type its name (${name}):`, name, { exit: 'guard' });
}
