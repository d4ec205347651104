// The JSON Schema of a roles file, for editors: wider than the wire, because a file may write a task as a bare id.
import { ROLE_LIMITS } from '../contract/limits.ts';
import { PERMISSIONS } from '../contract/role-catalog.ts';

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });

/** Proposes the tasks of the permission reference; the platform may know more. */
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

/** Fields that the platform returned besides the known ones may stay in the file, so none is forbidden here. */
export const rolesFileSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Custom roles of an organization',
  type: 'object',
  required: ['roles'],
  properties: {
    $schema: { type: 'string' },
    last_modified_on: {
      type: ['string', 'null'],
      description: 'Stamp of the manifest this file was made from; leave it',
    },
    last_modified_by: {
      type: ['string', 'null'],
      description: 'Stamp of the manifest this file was made from; leave it',
    },
    roles: {
      type: 'array',
      maxItems: ROLE_LIMITS.rolesPerOrganization,
      description: 'All roles of the organization: one that is missing here is deleted',
      items: {
        type: 'object',
        required: ['role_id', 'name', 'description', 'tasks'],
        properties: {
          role_id: { ...text(ROLE_LIMITS.roleId), description: 'The id; a role that changes it is another role' },
          name: text(ROLE_LIMITS.name),
          description: text(ROLE_LIMITS.description),
          tasks: {
            type: 'array',
            description: 'What the role may do; user:core is part of every role',
            items: { anyOf: [taskId, { type: 'object', required: ['task_id'], properties: { task_id: taskId } }] },
          },
        },
      },
    },
  },
} as const;
