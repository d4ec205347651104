// Role manifests that the benchmarks read and compare.

export const SMALL_ORG = '101';
export const BIG_ORG = '102';

const ROLES = 100;
const TASKS = 40;

const stamp = { last_modified_on: '2026-05-04 03:02:01', last_modified_by: 'admin@example.com' };

/**
 * @param {string} roleId
 * @param {string[]} tasks
 */
function role(roleId, tasks) {
  return {
    role_id: roleId,
    name: `Name of ${roleId}`,
    description: `What ${roleId} is for`,
    tasks: tasks.map((task) => ({ task_id: task })),
  };
}

/** Features from the specification. Together with `MORE`, they are as many as on a live platform. */
const FEATURES = [
  'audiences',
  'calculated_attributes',
  'connections',
  'data_filter',
  'data_plans',
  'live_stream',
  'rules',
];
const MORE = Array.from({ length: 50 }, (_, index) => `feature_${index}`);
const ALL_TASKS = [...FEATURES, ...MORE].map((feature) => `${feature}:view`);

/** @param {number} index */
function bigTasks(index) {
  const first = (index * 7) % ALL_TASKS.length;
  const tasks = [...ALL_TASKS.slice(first), ...ALL_TASKS.slice(0, first)];
  return ['user:core', ...tasks.slice(0, TASKS - 1)];
}

/** Returns ten roles with ten tasks each, as GET returns them. */
export function smallManifest() {
  const roles = Array.from({ length: 10 }, (_, index) => role(`role-${index}`, bigTasks(index).slice(0, 10)));
  return { roles, ...stamp };
}

/** Returns a hundred roles with forty tasks each, as GET returns them. */
export function bigManifest() {
  return { roles: Array.from({ length: ROLES }, (_, index) => role(`role-${index}`, bigTasks(index))), ...stamp };
}

/**
 * Returns the hundred roles as an edited YAML file: every tenth role has one more task, one role was removed, and one
 * was added.
 */
export function editedYaml() {
  const lines = [
    `last_modified_on: ${stamp.last_modified_on}`,
    `last_modified_by: ${stamp.last_modified_by}`,
    'roles:',
  ];
  for (const [index, { role_id, name, description, tasks }] of bigManifest().roles.entries()) {
    const id = index === ROLES - 1 ? 'role-new' : role_id;
    lines.push(
      `  # ${name}`,
      `  - role_id: ${id}`,
      `    name: ${name}`,
      `    description: ${description}`,
      '    tasks:',
    );
    lines.push(...tasks.map(({ task_id }) => `      - ${task_id}`));
    if (index % 10 === 0) lines.push('      - workspaces:*');
  }
  return `${lines.join('\n')}\n`;
}

/** Returns the tasks of both organizations, as GET returns them. */
export function allTasks() {
  return ['user:core', 'workspaces:*', ...ALL_TASKS].map((task) => ({
    task_id: task,
    display_name: task,
    description: `For ${task}`,
  }));
}
