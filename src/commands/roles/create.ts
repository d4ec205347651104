// `roles create`: one new role, from nothing, from a standard template, or from another role.
import { ROLE_TEMPLATES } from '../../lib/contract/role-catalog.ts';
import { extraFields, type Role } from '../../lib/domain/roles/manifest.ts';
import { type KnownError, usageError } from '../../lib/kernel/errors.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { changeRoles, outcomeRecord } from './apply.ts';
import { guardFlags, type RawGuardFlags } from './guards.ts';
import { fail } from '../../lib/errors/fail.ts';

interface CreateFlags extends RawGuardFlags {
  from?: string;
  name?: string;
  description?: string;
  task?: string[];
}

export const createRole = defineCommand({
  ...outcomeRecord,
  path: 'roles create',
  summary: 'create a role',
  args: { roleId: { name: 'role_id', help: 'the id of the new role' } },
  flags: {
    from: { value: 'role', help: 'start from a standard template or a live role (default: from nothing)' },
    name: { value: 'text', help: 'the display name (default: the id)' },
    description: { value: 'text', help: 'what the role is for (default: as the role of --from)' },
    task: { value: 'task_id', many: true, help: 'a task of the role (repeatable)' },
    ...guardFlags,
  },
  examples: [
    'cdpadm roles create auditor --from read-only-role --name Auditor --yes',
    'cdpadm roles create viewer --name Viewer --description "Sees audiences" --task audiences:view --dry-run',
  ],
  exits: {
    notFound: 'there is no such template or role',
    conflict: 'the role exists already, or another plan than the expected one',
    invalidInput: 'the role is not valid, or a task does not exist',
    guard: 'a guard refused, or you answered no',
  },
  run: (ctx, { args, flags }) => addRole(ctx, args.roleId, flags),
});

async function addRole(ctx: Context, roleId: string, flags: CreateFlags): Promise<void> {
  if (flags.from === undefined && flags.description === undefined) {
    throw usageError('A role needs a description.', 'Give --description TEXT, or --from a role that has one.');
  }
  await changeRoles(
    ctx,
    'create',
    (roles) => {
      if (roles.some((role) => role.role_id === roleId)) throw alreadyThere(roleId);
      const source = flags.from === undefined ? undefined : findSource(flags.from, roles);
      const held = source?.tasks ?? [];
      const more = [...new Set(flags.task)].filter((id) => !held.some((task) => task.task_id === id));
      const role: Role = {
        ...(source && extraFields(source)),
        role_id: roleId,
        name: flags.name ?? roleId,
        description: flags.description ?? source?.description ?? '',
        tasks: [...held, ...more.map((task_id) => ({ task_id }))],
      };
      return [...roles, role];
    },
    flags,
  );
}

/** A template by its id, else a live role: a live one wins, for it may have been adapted. */
function findSource(name: string, roles: readonly Role[]): Role {
  const live = roles.find((role) => role.role_id === name);
  if (live) return live;
  const template = ROLE_TEMPLATES.find((item) => item.role_id === name);
  if (template) return { ...template, tasks: template.tasks.map((task_id) => ({ task_id })) };
  const known = [...ROLE_TEMPLATES, ...roles].map((item) => item.role_id);
  throw fail('roles.not_found', {
    message: `There is neither a template nor a role ${name}.`,
    hint: nearestHint(name, known, { text: 'To list the templates:', command: 'cdpadm roles templates' }),
  });
}

function alreadyThere(roleId: string): KnownError {
  return fail('roles.exists', {
    message: `There is a role ${roleId} already.`,
    hint: { text: 'Choose another id. To change the existing role:', command: `cdpadm roles update ${roleId}` },
  });
}
