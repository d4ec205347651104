// Custom roles: the manifest and its three calls (specification, "A. Custom roles").
import * as z from 'zod/mini';
import { characterCount } from '../kernel/words.ts';
import { endpoints } from './endpoint.ts';
import { ROLE_LIMITS } from './limits.ts';
import { hasControlCharacter, messageRule, noDuplicates, textWhere } from './shared.ts';

/** Task that every custom role has. The platform adds it automatically, so it never counts as a difference. */
export const CORE_TASK = 'user:core';

/** Characters that the platform may reject in ids and names (decision: D12). */
export const RESTRICTED_CHARACTERS = /[<>"'\\`]/;

/** Matches a name that is not blank and has no restricted or control characters. */
const PLAIN_NAME = `^(?=.*\\S)[^${RESTRICTED_CHARACTERS.source.slice(1, -1)}\\u0000-\\u001f\\u007f-\\u009f]*$`;

function roleText(what: string, max: number) {
  return textWhere(
    (text) => {
      const length = characterCount(text);
      if (text.trim() === '') return 'is empty';
      if (length > max) return `has ${length} characters; at most ${max} are allowed`;
      return what !== 'description' && hasControlCharacter(text) ? 'contains a control character' : undefined;
    },
    { maxLength: max, pattern: what === 'description' ? '\\S' : PLAIN_NAME },
  );
}

export const TaskRef = z.looseObject({ task_id: z.string() });
export type TaskRef = z.infer<typeof TaskRef>;

const Tasks = z.array(TaskRef);

/** A role in a request. The schema is loose, because unknown fields that the platform returned are sent back. */
export const Role = z.looseObject({
  role_id: roleText('role_id', ROLE_LIMITS.roleId),
  name: roleText('name', ROLE_LIMITS.name),
  description: roleText('description', ROLE_LIMITS.description),
  tasks: Tasks,
});
export type Role = z.infer<typeof Role>;

export const ManifestRequest = z.looseObject({
  roles: z.array(Role).register(z.globalRegistry, { maxItems: ROLE_LIMITS.rolesPerOrganization }),
});
export type ManifestRequest = z.infer<typeof ManifestRequest>;

/** A role in a response, in which text fields may be null. */
export const RoleReply = z.looseObject({
  role_id: z.string(),
  name: z.nullish(z.string()),
  description: z.nullish(z.string()),
  tasks: Tasks,
});
export type RoleReply = z.infer<typeof RoleReply>;

const isEmpty = (value: unknown): boolean => !value || (typeof value === 'object' && Object.keys(value).length === 0);

/** A response that also reports errors may omit roles, and a PUT based on the response would delete them. */
export const ManifestReply = z
  .looseObject({
    /** Duplicate ids are not allowed, because one of the two roles would be missing from the next PUT. */
    roles: z.array(RoleReply).check(noDuplicates('role_id')),
    /** `YYYY-MM-DD HH:MM:SS` in UTC. */
    last_modified_on: z.nullish(z.string()),
    last_modified_by: z.nullish(z.string()),
  })
  .check(
    messageRule(({ error, errors }: Record<string, unknown>) =>
      [error, errors].every(isEmpty) ? undefined : 'reports errors, so its roles may be incomplete',
    ),
  );
export type ManifestReply = z.infer<typeof ManifestReply>;

export const Task = z.looseObject({
  task_id: z.string(),
  display_name: z.nullish(z.string()),
  description: z.nullish(z.string()),
});
export type Task = z.infer<typeof Task>;

const ROLES_PATH = '/platform/v2/organizations/{orgId}/accounts/{accountId}/roles';

export const rolesEndpoints = endpoints('roles', 'base', 'bearer', {
  listTasks: {
    method: 'GET',
    path: '/platform/v2/organizations/{orgId}/accounts/{accountId}/tasks',
    reply: z.array(Task),
    budget: 'roles',
  },
  get: { method: 'GET', path: ROLES_PATH, reply: ManifestReply, budget: 'roles' },
  replace: {
    method: 'PUT',
    path: ROLES_PATH,
    fails: [409],
    body: ManifestRequest,
    reply: ManifestReply,
    budget: 'roles',
  },
});
