// Plans the call that creates a group definition, or the smallest call that updates one.
import * as z from 'zod/mini';
import { AGGREGATIONS } from '../../contract/choices.ts';
import { GroupAttribute, type GroupReply, type GroupRequest } from '../../contract/groups.ts';
import { GROUP_LIMITS } from '../../contract/limits.ts';

export function groupPlanResult() {
  const change = z.object({ from: z.nullable(z.string()), to: z.string() });
  // The platform may omit an attribute's type, or return one that is not in the specification.
  const liveType = z.nullish(z.string());
  const type = z.object({ from: liveType, to: z.enum(AGGREGATIONS) });
  return z.object({
    id: z.string(),
    /** Null if there is nothing to do. */
    method: z.nullable(z.enum(['POST', 'PUT', 'PATCH'])),
    changes: z.object({
      description: z.optional(change),
      source_user_attribute: z.optional(change),
      attributes: z.optional(
        z.object({
          added: z.array(GroupAttribute),
          removed: z.array(z.object({ id: z.string(), type: liveType })),
          changed: z.array(z.object({ id: z.string(), type })),
        }),
      ),
    }),
  });
}

export type GroupPlan = z.infer<ReturnType<typeof groupPlanResult>>;
type GroupChanges = GroupPlan['changes'];

/** Compares the fields, and the attributes regardless of order. Plans a PATCH if only the attributes differ. */
export function planGroup(live: GroupReply | undefined, wanted: GroupRequest): GroupPlan {
  const changes: GroupChanges = {};
  for (const field of ['description', 'source_user_attribute'] as const) {
    const [from, to] = [live?.[field] ?? '', wanted[field] ?? ''];
    if (from !== to) changes[field] = { from: live ? from : null, to };
  }
  const isPut = Object.keys(changes).length > 0;
  const attributes = compareAttributes(
    (live?.attributes ?? []).map(({ id, type }) => ({ id, type: type as GroupAttribute['type'] })),
    wanted.attributes,
  );
  if (attributes.added.length + attributes.removed.length + attributes.changed.length > 0) {
    changes.attributes = attributes;
  }
  const least = isPut ? 'PUT' : changes.attributes ? 'PATCH' : null;
  return { id: wanted.id, method: live ? least : 'POST', changes };
}

/** Returns the arguments of the commands that undo the plan, and a note about what no command restores. */
export function undoGroup({ changes, id, method }: GroupPlan) {
  if (method === 'POST') return { undo: [['groups', 'delete', id]] };
  const { added = [], changed = [], removed = [] } = changes.attributes ?? {};
  const before = [...changed.map((it) => ({ id: it.id, type: it.type.from })), ...removed];
  const again = before.map((it) => `${it.id}=${String(it.type)}`);
  const undo = [
    // Remove attributes first, because a full list has no room for others.
    ...(added.length > 0 ? [['groups', 'attributes', 'remove', id, ...added.map((it) => it.id)]] : []),
    ...(again.length > 0 ? [['groups', 'attributes', 'add', id, ...again]] : []),
  ];
  const rest = Object.keys(changes).filter((field) => field !== 'attributes' || undo.length === 0);
  return { undo, undoNote: rest.length > 0 ? `No command restores ${rest.join(' and ')}.` : undefined };
}

/** Converts the group to a request. Fields that the platform omits become empty; attributes keep unknown fields. */
export function toGroupRequest(live: GroupReply): GroupRequest {
  return {
    id: live.id,
    description: live.description ?? '',
    source_user_attribute: live.source_user_attribute ?? '',
    attributes: (live.attributes ?? []) as GroupAttribute[],
  };
}

/** Returns the comparable fields of a definition, or of a part of one. */
export function comparableGroup(group: Partial<GroupReply> | Partial<GroupRequest>): Record<string, unknown> {
  const attributes = [...(group.attributes ?? [])].map(({ id, type }) => ({ id, type }));
  return {
    description: group.description ?? '',
    source_user_attribute: group.source_user_attribute ?? '',
    attributes: attributes.sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

export function limitWarning(plan: GroupPlan, groups: readonly GroupReply[]): string | undefined {
  if (plan.method !== 'POST' || groups.length < GROUP_LIMITS.definitionsPerWorkspace) return undefined;
  const ids = groups.map(({ id }) => id).join(', ');
  return `This workspace already has its ${GROUP_LIMITS.definitionsPerWorkspace} group definition (${ids}), so the platform will reject a second one. Change that one, or delete it first.`;
}

function compareAttributes(from: readonly GroupAttribute[], to: readonly GroupAttribute[]) {
  const [before, after] = [from, to].map((list) => new Map(list.map((attribute) => [attribute.id, attribute])));
  return {
    added: to.filter(({ id }) => !before?.has(id)),
    removed: from.filter(({ id }) => !after?.has(id)),
    changed: to.flatMap(({ id, type }) => {
      const old = before?.get(id);
      return old && old.type !== type ? [{ id, type: { from: old.type, to: type } }] : [];
    }),
  };
}
