// B. Group identities: the definition and its six calls (specification, "B. Group identities").
import { AGGREGATIONS } from './choices.ts';
import {
  array,
  enum as oneOf,
  globalRegistry,
  type infer as Infer,
  looseObject,
  nullish,
  optional,
  strictObject,
  string,
} from 'zod/mini';
import { endpoints } from './endpoint.ts';
import { GROUP_LIMITS } from './limits.ts';
import { auditFields, ignoredAuditFields, messageRule, rule, textOf, word } from './shared.ts';

export const GroupAttribute = strictObject({
  /** The user attribute that the group shares. */
  id: textOf(1, GROUP_LIMITS.attributeId),
  type: oneOf(AGGREGATIONS),
});
export type GroupAttribute = Infer<typeof GroupAttribute>;

const GroupAttributes = array(GroupAttribute)
  .check(
    messageRule(({ length }) => {
      const most = GROUP_LIMITS.attributesPerGroup;
      return length > most ? `has ${length} attributes; at most ${most} are allowed per group` : undefined;
    }),
    rule((attributes) => {
      const ids = attributes.map(({ id }) => id);
      return ids.flatMap((id, index) =>
        ids.indexOf(id) === index ? [] : [{ path: [index, 'id'], message: `\`${id}\` is a duplicate` }],
      );
    }),
  )
  .register(globalRegistry, { maxItems: GROUP_LIMITS.attributesPerGroup });

const definition = {
  description: optional(textOf(0, GROUP_LIMITS.description)),
  /** Users with the same value of this attribute form a group. */
  source_user_attribute: textOf(1, GROUP_LIMITS.attributeId),
  attributes: GroupAttributes,
  ...ignoredAuditFields,
};

export const GroupId = textOf(GROUP_LIMITS.idMin, GROUP_LIMITS.idMax);

/** The body of POST. A missing description counts as an empty one (decision: D61). */
export const GroupRequest = strictObject({ id: GroupId, ...definition });
export type GroupRequest = Infer<typeof GroupRequest>;

/** The body of PUT. The id is in the path; the body may repeat it. */
export const GroupUpdate = strictObject({ id: optional(GroupId), ...definition });

/** The body of PATCH: the whole new list of attributes. */
export const GroupPatch = strictObject({ attributes: GroupAttributes });
export type GroupPatch = Infer<typeof GroupPatch>;

export const GroupReply = looseObject({
  id: string(),
  description: nullish(string()),
  source_user_attribute: nullish(string()),
  attributes: nullish(array(looseObject({ id: string(), type: word(AGGREGATIONS) }))),
  ...auditFields,
});
export type GroupReply = Infer<typeof GroupReply>;

const LIST_PATH = '/platform/workspaces/{workspace_id}/groups/';
const GROUP_PATH = '/platform/workspaces/{workspace_id}/groups/{group_id}';

export const groupsEndpoints = endpoints('groups', 'base', 'bearer', {
  get: { method: 'GET', path: GROUP_PATH, reply: GroupReply, about: { group_id: 'id' } },
  list: { method: 'GET', path: LIST_PATH, reply: array(GroupReply) },
  create: { method: 'POST', path: LIST_PATH, body: GroupRequest, reply: GroupReply },
  update: { method: 'PUT', path: GROUP_PATH, body: GroupUpdate, reply: GroupReply, about: { group_id: 'id' } },
  patch: { method: 'PATCH', path: GROUP_PATH, body: GroupPatch, reply: GroupReply, about: { group_id: 'id' } },
  delete: { method: 'DELETE', path: GROUP_PATH, status: 204 },
});
