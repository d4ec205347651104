// The JSON Schema of a roles file, for editors. Unlike in a request, a task may be just an id.
import { ROLE_LIMITS } from '../contract/limits.ts';
import { PERMISSIONS } from '../contract/role-catalog.ts';

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });

/** Suggests the tasks in the permission reference; the platform may have more. */
const taskId = {
  anyOf: [
    ...PERMISSIONS.map(({ task_id, feature, permission, meaning }) => ({
      const: task_id,
      title: `${feature}: ${permission}`,
      description: meaning,
    })),
    { type: 'string', minLength: 1 },
  ],
};

const stamp = {
  type: ['string', 'null'],
  description: 'Stamp of the manifest that this file was created from; do not edit',
};

/** Unknown fields are allowed, because they may come from the platform. */
export const rolesFileSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Custom roles of an organization',
  type: 'object',
  required: ['roles'],
  properties: {
    $schema: { type: 'string' },
    last_modified_on: stamp,
    last_modified_by: stamp,
    roles: {
      type: 'array',
      maxItems: ROLE_LIMITS.rolesPerOrganization,
      description: 'All roles of the organization; a push deletes a role that is missing here',
      items: {
        type: 'object',
        required: ['role_id', 'name', 'description', 'tasks'],
        properties: {
          role_id: { ...text(ROLE_LIMITS.roleId), description: 'The id; changing it makes this a different role' },
          name: text(ROLE_LIMITS.name),
          description: text(ROLE_LIMITS.description),
          tasks: {
            type: 'array',
            description: 'The permissions of the role; user:core is part of every role',
            items: { anyOf: [taskId, { type: 'object', required: ['task_id'], properties: { task_id: taskId } }] },
          },
        },
      },
    },
  },
} as const;
