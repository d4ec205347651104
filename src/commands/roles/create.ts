// `roles create`: one new role, from nothing, from a standard template, or from another role.
import { ROLE_TEMPLATES } from '../../lib/contract/role-catalog.ts';
import { extraFields, type Role } from '../../lib/domain/roles/manifest.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { changeRoles, guardFlags, outcomeRecord } from './apply.ts';
import { fail } from '../../lib/errors/fail.ts';

export const createRole = defineCommand({
  ...outcomeRecord,
  path: 'roles create',
  summary: 'create a role',
  args: { roleId: { name: 'role_id', help: 'the id of the new role' } },
  flags: {
    from: { value: 'role', help: 'a standard template or a live role to copy' },
    name: { value: 'text', help: 'display name (default: the id)' },
    description: { value: 'text', help: 'purpose of the role (default: the description of --from)' },
    task: { value: 'task_id', many: true, help: 'a task to add (repeatable)' },
    ...guardFlags,
  },
  examples: [
    'cdpadm roles create auditor --from read-only-role --name Auditor --yes',
    'cdpadm roles create viewer --name Viewer --description "Sees audiences" --task audiences:view --dry-run',
  ],
  exits: {
    notFound: 'template or role not found',
    conflict: 'the role already exists, or the plan is not the expected one',
    invalidInput: 'the role is not valid, or a task does not exist',
    guard: 'a guard stopped it, or you answered no',
  },
  run: async (ctx, { args: { roleId }, flags }) => {
    const { from, name = roleId, description, task = [] } = flags;
    if (from === undefined && description === undefined) {
      throw usageError('A role needs a description.', 'Pass --description TEXT, or --from a role that has one.');
    }
    await changeRoles(ctx, 'create', flags, (roles) => {
      if (roles.some((role) => role.role_id === roleId)) {
        throw fail('roles.exists', {
          message: `Role ${roleId} already exists.`,
          hint: { text: 'Choose another id. To change the existing role:', command: `cdpadm roles update ${roleId}` },
        });
      }
      const source = from === undefined ? undefined : findSource(from, roles);
      const held = source?.tasks ?? [];
      const more = [...new Set(task)].filter((id) => !held.some(({ task_id }) => task_id === id));
      return [
        ...roles,
        {
          ...(source && extraFields(source)),
          role_id: roleId,
          name,
          description: description ?? source?.description ?? '',
          tasks: [...held, ...more.map((task_id) => ({ task_id }))],
        },
      ];
    });
  },
});

/** A live role or else a template: a live role of the same id may have been adapted. */
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
