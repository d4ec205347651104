// `roles list`: every role of the organization.
import { array } from 'zod/mini';
import { RoleReply } from '../../lib/contract/roles.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { liveRoles } from './session.ts';

export const listRoles = defineCommand({
  path: 'roles list',
  summary: 'list the custom roles of the organization',
  effect: 'read',
  calls: 'platform',
  output: () => array(RoleReply),
  examples: ['cdpadm roles list', 'cdpadm roles list -o json --query "[].role_id"'],
  run: liveRoles,
  view: {
    kind: 'list',
    columns: [
      { key: 'role_id', id: true, value: (role) => role.role_id },
      { key: 'name', value: (role) => role.name },
      { key: 'tasks', rank: 1, align: 'right', value: (role) => role.tasks.length },
      { key: 'description', rank: 2, value: (role) => role.description },
    ],
    empty: 'This organization has no custom roles.',
  },
});
