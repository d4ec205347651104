// The specification's permission reference and its seven standard role templates, as data.
import { splitWords } from '../kernel/words.ts';

/** The specification's "Permission reference". The meaning is empty if the specification does not describe it. */
const ROWS: readonly (readonly [feature: string, permission: string, taskId: string, meaning: string])[] = [
  ['Default', 'Log in and view dashboard', 'user:core', 'required in all roles'],
  [
    'User Activity View',
    'View only',
    'user_activity:view',
    'search any user and view details, workspace usage, device info, attributes, audience membership',
  ],
  ['Group Identities', 'View only', 'user_groups:view', 'view the group identities page'],
  ['Group Identities', 'Full access', 'user_groups:*', 'edit and delete group identities'],
  ['Data Master Catalog', 'Full access', 'catalog:*', 'view catalog and annotate data points'],
  ['Data Plans', 'View only', 'data_plans:view', 'view plans'],
  ['Data Plans', 'Full access', 'data_plans:*', 'view, create, edit, activate, delete plans'],
  ['Live Stream', 'View only', 'live_stream:view', 'view live stream and examine events'],
  ['Calculated Attributes', 'View only', 'calculated_attributes:view', 'view'],
  ['Calculated Attributes', 'Draft only', 'calculated_attributes:draft', 'view, create, delete in draft mode'],
  ['Calculated Attributes', 'Full access', 'calculated_attributes:*', 'view, create, delete'],
  ['Rules', 'View only', 'rules:view', 'view all rules'],
  ['Rules', 'Full access', 'rules:*', 'view, create, edit, delete'],
  ['Audiences', 'View only', 'audiences:view', 'view audiences, estimator, journeys'],
  ['Audiences', 'Edit', 'audiences:edit', 'view, create, modify, activate, delete audiences and journeys'],
  ['Audiences', 'Full access', 'audiences:*', 'edit plus download audiences'],
  ['Connections', 'View only', 'connections:view', 'view connections'],
  [
    'Connections',
    'Connect integration',
    'connections:connect_integration',
    'create a connection between input and output, setup details and credentials visible',
  ],
  [
    'Connections',
    'Connect audience',
    'connections:connect_audiences',
    'create a connection between an audience and an output, setup details and credentials hidden',
  ],
  ['Connections', 'Configure input', 'connections:configure_inputs', 'configure an input'],
  ['Connections', 'Configure output', 'connections:configure_outputs', 'configure an output'],
  ['Connections', 'Full access', 'connections:*', 'create, delete, activate/deactivate connections'],
  ['Filters', 'View only', 'data_filter:view', 'view filters'],
  ['Filters', 'Full access', 'data_filter:*', 'view and create filters'],
  ['Privacy', 'View only', 'privacy:settings', 'view enabled privacy settings'],
  ['Privacy', 'Full access', 'privacy:*', 'view and modify privacy settings'],
  ['Workspaces', 'Full access', 'workspaces:*', 'view, create, delete workspaces'],
  ['User management', 'View only', 'user_management:view', 'view users'],
  ['User management', 'Full access', 'user_management:*', 'view, create, delete users and assign roles'],
  ['Identity settings', 'Full access', 'identity_settings:*', 'view and modify identity settings'],
  ['API credentials', 'Full access', 'api_credentials:*', 'view, create, delete, assign credentials'],
  // The specification shows this task only in a template, but it is assignable and listed (decision: D13).
  ['Tiered events', 'Full access', 'tieredevents:*', ''],
];

/** The assignable permissions. */
export const PERMISSIONS = Object.freeze(
  ROWS.map(([feature, permission, task_id, meaning]) => ({ feature, permission, task_id, meaning })),
);

const USER_TASKS = splitWords(`
  audiences:* calculated_attributes:* connections:configure_inputs connections:configure_outputs
  connections:connect_integration data_filter:* data_plans:* live_stream:view rules:* workspaces:*`);

/** Tasks that the support role has and the user role lacks. */
const SUPPORT_TASKS = ['api_credentials:*', 'catalog:*', 'identity_settings:*', 'user_activity:view'];

const ADMIN_TASKS = [...USER_TASKS, ...SUPPORT_TASKS, 'user_management:*'].sort();

/** The standard roles. Their ids, names and tasks come from the specification; the descriptions are our own. */
export const ROLE_TEMPLATES = Object.freeze([
  {
    role_id: 'user-role',
    name: 'User',
    description: 'Works with audiences, attributes, connections, plans and rules.',
    tasks: USER_TASKS,
  },
  {
    role_id: 'admin-role',
    name: 'Admin',
    description: 'Administers users, credentials and every workspace.',
    tasks: ADMIN_TASKS,
  },
  {
    role_id: 'compliance-role',
    name: 'Compliance',
    description: 'Manages privacy and identity settings.',
    tasks: splitWords(`
      audiences:view connections:connect_integration data_filter:view data_plans:view identity_settings:*
      live_stream:view privacy:* rules:view user_management:view workspaces:*`),
  },
  {
    role_id: 'admin-compliance-role',
    name: 'Admin & Compliance',
    description: 'Everything that an admin can do, plus the privacy settings.',
    tasks: [...ADMIN_TASKS, 'privacy:*', 'tieredevents:*'],
  },
  {
    role_id: 'audiences-only-role',
    name: 'Audiences Only',
    description: 'Works with audiences and nothing else.',
    tasks: ['audiences:*'],
  },
  {
    role_id: 'read-only-role',
    name: 'Read Only',
    description: 'Can view the workspace setup, but not change it.',
    tasks: splitWords(`
      audiences:view calculated_attributes:view data_filter:view data_plans:view identity_settings:* live_stream:view
      rules:view workspaces:*`),
  },
  {
    role_id: 'support-role',
    name: 'Support',
    description: 'Supports other users: can view their activity and privacy settings, but cannot manage users.',
    tasks: [...USER_TASKS, ...SUPPORT_TASKS, 'privacy:settings'].sort(),
  },
]);
