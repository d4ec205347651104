// A. Custom roles: the manifest and its three calls (specification, "A. Custom roles").
import { array, globalRegistry, type infer as Infer, looseObject, nullish, string } from 'zod/mini';
import { characterCount } from '../kernel/words.ts';
import { endpoints } from './endpoint.ts';
import { ROLE_LIMITS } from './limits.ts';
import { hasControlCharacter, textWhere } from './shared.ts';

/** The task that every custom role has. The platform adds this task automatically, so it is never a difference. */
export const CORE_TASK = 'user:core';

/** Characters that the platform may reject in ids and names (decision: D12). */
export const RESTRICTED_CHARACTERS = /[<>"'\\`]/;

/** Not blank, and without restricted or control characters. */
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

export const TaskRef = looseObject({ task_id: string() });
export type TaskRef = Infer<typeof TaskRef>;

/** The tasks of a role. */
const Tasks = array(TaskRef);

/** A role in a request. The schema is loose, because fields that the platform returned are sent back. */
export const Role = looseObject({
  role_id: roleText('role_id', ROLE_LIMITS.roleId),
  name: roleText('name', ROLE_LIMITS.name),
  description: roleText('description', ROLE_LIMITS.description),
  tasks: Tasks,
});
export type Role = Infer<typeof Role>;

/** The body of PUT. */
export const ManifestRequest = looseObject({
  roles: array(Role).register(globalRegistry, { maxItems: ROLE_LIMITS.rolesPerOrganization }),
});
export type ManifestRequest = Infer<typeof ManifestRequest>;

/** A role in a response, where text fields may be null. */
export const RoleReply = looseObject({
  role_id: string(),
  name: nullish(string()),
  description: nullish(string()),
  tasks: Tasks,
});
export type RoleReply = Infer<typeof RoleReply>;

/** The response of GET and PUT. */
export const ManifestReply = looseObject({
  roles: array(RoleReply),
  /** `YYYY-MM-DD HH:MM:SS` in UTC. */
  last_modified_on: nullish(string()),
  last_modified_by: nullish(string()),
});
export type ManifestReply = Infer<typeof ManifestReply>;

export const Task = looseObject({ task_id: string(), display_name: nullish(string()), description: nullish(string()) });
export type Task = Infer<typeof Task>;

const ROLES_PATH = '/platform/v2/organizations/{orgId}/accounts/{accountId}/roles';

export const rolesEndpoints = endpoints('roles', 'base', 'bearer', {
  listTasks: {
    method: 'GET',
    path: '/platform/v2/organizations/{orgId}/accounts/{accountId}/tasks',
    reply: array(Task),
    budget: 'roles',
  },
  get: { method: 'GET', path: ROLES_PATH, reply: ManifestReply, budget: 'roles' },
  replace: { method: 'PUT', path: ROLES_PATH, body: ManifestRequest, reply: ManifestReply, budget: 'roles' },
});
