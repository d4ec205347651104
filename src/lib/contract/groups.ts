// B. Group identities: the definition and its six calls (specification, "B. Group identities").
import { AGGREGATIONS } from './choices.ts';
import {
  array,
  check,
  enum as oneOf,
  type infer as Infer,
  looseObject,
  nullish,
  optional,
  strictObject,
  string,
  unknown,
} from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { GROUP_LIMITS } from './limits.ts';
import { textOf } from './shared.ts';

export const GroupAttribute = strictObject({
  /** The user attribute to share. */
  id: textOf(1, GROUP_LIMITS.attributeId),
  type: oneOf(AGGREGATIONS),
});
export type GroupAttribute = Infer<typeof GroupAttribute>;

const GroupAttributes = array(GroupAttribute).check(
  check((context) => {
    const { value, issues } = context;
    const most = GROUP_LIMITS.attributesPerGroup;
    if (value.length > most) {
      const message = `holds ${value.length} attributes; at most ${most} are allowed per group`;
      issues.push({ code: 'custom', message, input: value });
    }
    value.forEach(({ id }, index) => {
      if (value.findIndex((other) => other.id === id) === index) return;
      issues.push({ code: 'custom', path: [index, 'id'], message: `\`${id}\` is given twice`, input: id });
    });
  }),
);

/** Fields that the platform sets: they may come back to it with the rest, and are ignored. */
const readOnly = {
  created_on: optional(unknown()),
  created_by: optional(unknown()),
  last_modified_on: optional(unknown()),
  last_modified_by: optional(unknown()),
};

const definition = {
  description: optional(textOf(0, GROUP_LIMITS.description)),
  /** Users that share a value of this attribute are a group. */
  source_user_attribute: textOf(1, GROUP_LIMITS.attributeId),
  attributes: GroupAttributes,
  ...readOnly,
};

export const GroupId = textOf(GROUP_LIMITS.idMin, GROUP_LIMITS.idMax);

/** The body of POST. A missing description is an empty one (decision: D61). */
export const GroupRequest = strictObject({ id: GroupId, ...definition });
export type GroupRequest = Infer<typeof GroupRequest>;

/** The body of PUT; the id stands in the path, and may stand here too. */
export const GroupUpdate = strictObject({ id: optional(GroupId), ...definition });
export type GroupUpdate = Infer<typeof GroupUpdate>;

/** The body of PATCH: the whole new list of attributes. */
export const GroupPatch = strictObject({ attributes: GroupAttributes });
export type GroupPatch = Infer<typeof GroupPatch>;

export const GroupReply = looseObject({
  id: string(),
  description: nullish(string()),
  source_user_attribute: nullish(string()),
  attributes: nullish(array(looseObject({ id: string(), type: nullish(string()) }))),
  /** ISO 8601 with milliseconds and `Z`. */
  created_on: nullish(string()),
  created_by: nullish(string()),
  last_modified_on: nullish(string()),
  last_modified_by: nullish(string()),
});
export type GroupReply = Infer<typeof GroupReply>;

const LIST_PATH = '/platform/workspaces/{workspace_id}/groups/';
const GROUP_PATH = '/platform/workspaces/{workspace_id}/groups/{group_id}';
const call = { service: 'base', auth: 'bearer' } as const;

export const groupsEndpoints = {
  get: endpoint({
    ...call,
    id: 'groups.get',
    method: 'GET',
    path: GROUP_PATH,
    status: 200,
    reply: GroupReply,
    about: { group_id: 'id' },
    safety: 'repeat',
  }),
  list: endpoint({
    ...call,
    id: 'groups.list',
    method: 'GET',
    path: LIST_PATH,
    status: 200,
    reply: array(GroupReply),
    safety: 'repeat',
  }),
  create: endpoint({
    ...call,
    id: 'groups.create',
    method: 'POST',
    path: LIST_PATH,
    status: 200,
    body: GroupRequest,
    reply: GroupReply,
    safety: 'confirm',
  }),
  update: endpoint({
    ...call,
    id: 'groups.update',
    method: 'PUT',
    path: GROUP_PATH,
    status: 200,
    body: GroupUpdate,
    reply: GroupReply,
    about: { group_id: 'id' },
    safety: 'confirm',
  }),
  patch: endpoint({
    ...call,
    id: 'groups.patch',
    method: 'PATCH',
    path: GROUP_PATH,
    status: 200,
    body: GroupPatch,
    reply: GroupReply,
    about: { group_id: 'id' },
    safety: 'confirm',
  }),
  delete: endpoint({
    ...call,
    id: 'groups.delete',
    method: 'DELETE',
    path: GROUP_PATH,
    status: 204,
    safety: 'confirm',
  }),
};
