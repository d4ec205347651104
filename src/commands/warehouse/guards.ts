// What stands before an apply: the plan that was looked at, and a flag for each dangerous kind of step.
import { guardWarehouse, type WarehouseRefusal } from '../../lib/domain/warehouse/guards.ts';
import type { KnownError } from '../../lib/kernel/errors.ts';
import type { FlagSpec, FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import type { PlannedDirectory } from './plan.ts';
import { fail } from '../../lib/errors/fail.ts';

/** The flags of `warehouse apply` that allow something. */
export const guardFlags = {
  allowDelete: { help: 'allow what no file defines to be deleted' },
  allowReset: { help: 'allow sync modes to change, which resets the sync position' },
  allowEmpty: { help: 'allow the workspace to be left with nothing (besides --allow-delete)' },
  force: { help: 'allow more than 30 % of 10 or more resources to be changed or deleted' },
} as const satisfies Record<string, FlagSpec>;

/** On a terminal the number of deletions may be typed; every other guard needs its flag. */
export async function passGuards(
  ctx: Context,
  { plan, live }: PlannedDirectory,
  flags: FlagValues<typeof guardFlags>,
): Promise<void> {
  const count = Object.values(live).reduce((sum, list) => sum + list.length, 0);
  const refusals = guardWarehouse(plan, count, {
    allowDelete: flags.allowDelete === true,
    allowReset: flags.allowReset === true,
    allowEmpty: flags.allowEmpty === true,
    force: flags.force === true,
  });
  const mayType = ctx.prompt.possible && !ctx.flags.dryRun;
  const final = refusals.filter(({ typed }) => typed === undefined || !mayType);
  if (final.length > 0) throw guardError(refusals);
  for (const { message, typed } of refusals) {
    if (typed !== undefined) {
      const question = `${message}. Type the number of deletions to allow them:`;
      await ctx.prompt.typed(question, typed, { flag: '--allow-delete' });
    }
  }
}

function guardError(refusals: readonly WarehouseRefusal[]): KnownError {
  return fail(`warehouse.guard.${refusals[0]?.guard ?? 'delete'}`, {
    message: `Nothing was sent: ${refusals.map(({ message }) => message).join('; ')}.`,
    hint: `If that is what you want, add ${refusals.map(({ flag }) => flag).join(' ')}.`,
  });
}

/** Conflict (6): the plan is not the one that was looked at. */
export function otherPlan(expected: string, found: string): KnownError {
  return fail('warehouse.other_plan', {
    message: `The plan is now ${found}, not the expected ${expected}. Nothing was sent.`,
    hint: { text: 'The workspace or the folder has changed since. Review it:', command: 'cdpadm warehouse diff' },
  });
}
