// Group identities: the definition and its six calls (specification, "B. Group identities").
import { AGGREGATIONS } from './choices.ts';
import * as z from 'zod/mini';
import { endpoints } from './endpoint.ts';
import { GROUP_LIMITS } from './limits.ts';
import { auditFields, ignoredAuditFields, messageRule, noDuplicates, textOf, word } from './shared.ts';

export const GroupAttribute = z.strictObject({
  id: textOf(1, GROUP_LIMITS.attributeId),
  type: z.enum(AGGREGATIONS),
});
export type GroupAttribute = z.infer<typeof GroupAttribute>;

const GroupAttributes = z
  .array(GroupAttribute)
  .check(
    messageRule(({ length }) => {
      const most = GROUP_LIMITS.attributesPerGroup;
      return length > most ? `has ${length} attributes; at most ${most} are allowed per group` : undefined;
    }),
    noDuplicates('id'),
  )
  .register(z.globalRegistry, { maxItems: GROUP_LIMITS.attributesPerGroup });

const definition = {
  description: z.optional(textOf(0, GROUP_LIMITS.description)),
  /** Users with the same value for this attribute form a group. */
  source_user_attribute: textOf(1, GROUP_LIMITS.attributeId),
  attributes: GroupAttributes,
  ...ignoredAuditFields,
};

export const GroupId = textOf(GROUP_LIMITS.idMin, GROUP_LIMITS.idMax);

/** The body of POST. A missing description counts as empty (decision: D61). */
export const GroupRequest = z.strictObject({ id: GroupId, ...definition });
export type GroupRequest = z.infer<typeof GroupRequest>;

/** The body of PUT. The id is in the path; the body may repeat it. */
export const GroupUpdate = z.strictObject({ id: z.optional(GroupId), ...definition });

/** The body of PATCH: the whole new list of attributes. */
export const GroupPatch = z.strictObject({ attributes: GroupAttributes });
export type GroupPatch = z.infer<typeof GroupPatch>;

export const GroupReply = z.looseObject({
  id: z.string(),
  description: z.nullish(z.string()),
  source_user_attribute: z.nullish(z.string()),
  attributes: z.nullish(z.array(z.looseObject({ id: z.string(), type: word(AGGREGATIONS) }))),
  ...auditFields,
});
export type GroupReply = z.infer<typeof GroupReply>;

const LIST_PATH = '/platform/workspaces/{workspace_id}/groups/';
const GROUP_PATH = '/platform/workspaces/{workspace_id}/groups/{group_id}';

export const groupsEndpoints = endpoints('groups', 'base', 'bearer', {
  get: { method: 'GET', path: GROUP_PATH, reply: GroupReply, about: { group_id: 'id' } },
  list: { method: 'GET', path: LIST_PATH, reply: z.array(GroupReply).check(noDuplicates('id')) },
  create: { method: 'POST', path: LIST_PATH, body: GroupRequest, reply: GroupReply },
  update: { method: 'PUT', path: GROUP_PATH, body: GroupUpdate, reply: GroupReply, about: { group_id: 'id' } },
  patch: { method: 'PATCH', path: GROUP_PATH, body: GroupPatch, reply: GroupReply, about: { group_id: 'id' } },
  delete: { method: 'DELETE', path: GROUP_PATH, status: 204 },
});
