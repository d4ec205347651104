// A change of a group's attributes: the list is read, changed, checked and written as a whole.
import { AGGREGATIONS, type GroupAttribute, GroupRequest } from '../../lib/contract/groups.ts';
import { explain, showPath } from '../../lib/contract/explain.ts';
import { planGroup, toGroupRequest } from '../../lib/domain/groups/plan.ts';
import { invalidInput, usageError } from '../../lib/kernel/errors.ts';
import { choiceHint } from '../../lib/kernel/nearest.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { applyGroup, findGroup } from './apply.ts';

/** `ATTRIBUTE=TYPE`, where the type may be left out. Throws usage (2) for a type that there is not. */
export function readAttribute(text: string): { id: string; type: GroupAttribute['type'] | undefined } {
  const split = text.lastIndexOf('=');
  if (split < 0) return { id: text, type: undefined };
  const type = AGGREGATIONS.find((known) => known === text.slice(split + 1));
  if (type) return { id: text.slice(0, split), type };
  throw usageError(
    `\`${text}\` names no way to aggregate: \`${text.slice(split + 1)}\`.`,
    choiceHint(text.slice(split + 1), AGGREGATIONS),
  );
}

export async function changeAttributes(
  ctx: Context,
  groupId: string,
  change: (attributes: readonly GroupAttribute[]) => GroupAttribute[],
): Promise<void> {
  const live = await findGroup(ctx, groupId);
  const before = toGroupRequest(live);
  const wanted = { ...before, attributes: change(before.attributes) };
  const issues = explain(GroupRequest, wanted).filter(({ path }) => path[0] === 'attributes');
  if (issues.length > 0) {
    throw invalidInput(
      'The group cannot have these attributes. Nothing was sent.',
      issues.map(({ path, message }) => ({ path: showPath([groupId, ...path]), message })),
    );
  }
  await applyGroup(ctx, { plan: planGroup(live, wanted), live, wanted });
}
