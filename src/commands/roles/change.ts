// `roles create`, `update`, `rename` and `delete`: change single roles.
import { pickRole } from '../pick.ts';
import { ROLE_TEMPLATES } from '../../lib/contract/role-catalog.ts';
import { extraFields, type Role } from '../../lib/domain/roles/manifest.ts';
import { MOST_UNGUARDED } from '../../lib/domain/roles/plan.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import { shellWord } from '../../lib/kernel/words.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { changeRoles, guardFlags, outcomeRecord } from './apply.ts';
import { fail } from '../../lib/errors/fail.ts';
import { CORE_TASK } from '../../lib/contract/roles.ts';
import { findRole } from './session.ts';

export const createRole = defineCommand({
  ...outcomeRecord,
  path: 'roles create',
  tool: ['from', 'name', 'description', 'task'],
  summary: 'create a role',
  args: { roleId: { name: 'role_id', help: 'id of the new role' } },
  flags: {
    from: { value: 'role', help: 'a standard template or a live role to copy' },
    name: { value: 'text', help: 'display name (default: the id)' },
    description: { value: 'text', help: 'purpose of the role (default: the description of the --from role)' },
    task: { value: 'task_id', many: true, help: 'a task to add (repeatable)' },
    ...guardFlags,
  },
  examples: [
    'cdpadm roles create auditor --from read-only-role --name Auditor --yes',
    'cdpadm roles create viewer --name Viewer --description "Sees audiences" --task audiences:view --dry-run',
  ],
  exits: {
    notFound: 'template or role not found',
    conflict: 'the id or the name is already in use, or the plan is not the expected one',
    invalidInput: 'the role is not valid, or a task does not exist',
    guard: 'a guard stopped the write, or you answered no',
  },
  run: async (ctx, { args: { roleId }, flags }) => {
    const { from, name = roleId, description, task = [] } = flags;
    if (from === undefined && description === undefined) {
      throw usageError('The role has no description.', 'Pass --description TEXT, or --from a role that has one.');
    }
    await changeRoles(ctx, 'create', flags, (roles) => {
      refuseTaken(roles, 'role_id', roleId);
      refuseTaken(roles, 'name', name);
      const source = from === undefined ? undefined : findSource(from, roles);
      return [
        ...roles,
        {
          ...(source && extraFields(source)),
          role_id: roleId,
          name,
          description: description ?? source?.description ?? '',
          tasks: changeTasks({ role_id: roleId, tasks: source?.tasks ?? [] }, task, []),
        },
      ];
    });
  },
});

/** Throws conflict (6) if a role has this id or name. */
function refuseTaken(roles: readonly Role[], field: 'role_id' | 'name', text: string): void {
  const id = roles.find((role) => role[field] === text)?.role_id;
  if (id === undefined) return;
  throw fail('roles.exists', {
    message: field === 'name' ? `Role ${id} already has the name \`${text}\`.` : `Role ${id} already exists.`,
    hint: { text: 'Choose another id or name. To see that role:', command: `cdpadm roles get ${shellWord(id)}` },
  });
}

/** A live role takes precedence over the template with the same id, because it may have been adapted. */
function findSource(name: string, roles: readonly Role[]): Role {
  const live = roles.find((role) => role.role_id === name);
  if (live) return live;
  const template = ROLE_TEMPLATES.find((item) => item.role_id === name);
  if (template) return { ...template, tasks: template.tasks.map((task_id) => ({ task_id })) };
  const known = [...ROLE_TEMPLATES, ...roles].map((item) => item.role_id);
  throw fail('roles.not_found', {
    message: `Unknown template or role ${name}.`,
    hint: nearestHint(name, known, { text: 'To list the templates:', command: 'cdpadm roles templates' }),
  });
}

export const updateRole = defineCommand({
  ...outcomeRecord,
  path: 'roles update',
  tool: ['name', 'description', 'addTask', 'removeTask'],
  summary: 'change the name, description or tasks of a role',
  args: { roleId: { name: 'role_id', help: 'id of the role', pick: pickRole } },
  flags: {
    name: { value: 'text', help: 'new display name' },
    description: { value: 'text', help: 'new description' },
    addTask: { value: 'task_id', many: true, help: 'a task to add (repeatable)' },
    removeTask: { value: 'task_id', many: true, help: 'a task to remove (repeatable)' },
    ...guardFlags,
  },
  examples: [
    'cdpadm roles update user-role --add-task user_activity:view --yes',
    'cdpadm roles update user-role --name "Power User" --remove-task "rules:*" --dry-run',
  ],
  exits: {
    notFound: 'role not found',
    conflict: 'the name is already in use, the plan is not the expected one, or the platform keeps changing',
    invalidInput: 'the role is not valid, or a task does not exist',
    guard: 'a guard stopped the write, or you answered no',
  },
  run: async (ctx, { args, flags }) => {
    const { name, description, addTask = [], removeTask = [] } = flags;
    if (name === undefined && description === undefined && addTask.length + removeTask.length === 0) {
      throw usageError('No changes were specified.', 'Pass --name, --description, --add-task or --remove-task.');
    }
    await changeRoles(ctx, 'update', flags, (roles) => {
      const role = findRole(roles, args.roleId);
      if (name !== undefined && name !== role.name) refuseTaken(roles, 'name', name);
      const updated: Role = {
        ...role,
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        tasks: changeTasks(role, addTask, removeTask),
      };
      return roles.map((item) => (item === role ? updated : item));
    });
  },
});

function changeTasks(role: Role, add: readonly string[], remove: readonly string[]): Role['tasks'] {
  const held = role.tasks.map((task) => task.task_id);
  for (const id of remove) {
    if (id === CORE_TASK) throw usageError(`${CORE_TASK} is part of every role and cannot be removed.`);
    if (held.includes(id)) continue;
    throw usageError(`${role.role_id} does not have task ${id}.`, nearestHint(id, held, `It has ${held.join(', ')}.`));
  }
  const kept = role.tasks.filter((task) => !remove.includes(task.task_id));
  const gained = [...new Set(add)].filter((id) => !kept.some((task) => task.task_id === id));
  return [...kept, ...gained.map((task_id) => ({ task_id }))];
}

export const renameRole = defineCommand({
  ...outcomeRecord,
  path: 'roles rename',
  // Every rename needs --allow-delete, a guard that an assistant cannot override.
  tool: false,
  summary: 'change the id of a role',
  args: {
    oldId: { name: 'old_id', help: 'id of the role', pick: pickRole },
    newId: { name: 'new_id', help: 'new id of the role' },
  },
  notes: [
    'The platform cannot change an id. A single write deletes the old role and creates the same role under the new id. Therefore, the command requires --allow-delete, and it fails while the role is assigned to a user. `roles update --name` changes the display name.',
  ],
  examples: [
    'cdpadm roles rename audiences-only-role audience-editor --allow-delete --dry-run',
    'cdpadm roles rename audiences-only-role audience-editor --allow-delete --yes',
  ],
  exits: {
    notFound: 'role not found',
    conflict: 'the new id is already in use, the role is assigned to a user, or the plan is not the expected one',
    invalidInput: 'the new id is not valid',
    guard: '--allow-delete is missing, or you answered no',
  },
  run: (ctx, { args: { oldId, newId }, flags }) =>
    changeRoles(ctx, 'rename', flags, (roles) => {
      const role = findRole(roles, oldId);
      if (newId !== oldId) refuseTaken(roles, 'role_id', newId);
      return roles.map((other) => (other === role ? { ...role, role_id: newId } : other));
    }),
});

export const deleteRoles = defineCommand({
  ...outcomeRecord,
  path: 'roles delete',
  summary: 'delete roles',
  args: { roleIds: { name: 'role_id', many: true, help: 'ids of the roles', pick: pickRole } },
  notes: [
    'Deleting up to three roles requires only confirmation; deleting more requires --allow-delete. The manifest is saved first, so `roles rollback` can restore deleted roles.',
  ],
  examples: [
    'cdpadm roles delete audiences-only-role --yes',
    'cdpadm roles delete audiences-only-role read-only-role --force --dry-run',
  ],
  exits: {
    notFound: 'role not found',
    conflict: 'a role is assigned to a user, or the plan is not the expected one',
    guard: 'a guard stopped the write, or you answered no',
  },
  run: (ctx, { args, flags: { allowDelete = new Set(args.roleIds).size <= MOST_UNGUARDED, ...flags } }) =>
    changeRoles(ctx, 'delete', { ...flags, allowDelete }, (roles) => {
      const doomed = new Set(args.roleIds.map((roleId) => findRole(roles, roleId)));
      return roles.filter((role) => !doomed.has(role));
    }),
});
