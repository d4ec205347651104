// `roles list`, `get`, `tasks` and `templates`: roles, tasks and the standard templates.
import { pickRole } from '../pick.ts';
import * as z from 'zod/mini';
import { RoleReply, Task } from '../../lib/contract/roles.ts';
import { fields, ranked, type Column, type RecordView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { liveRoles, findRole } from './session.ts';
import { ROLE_TEMPLATES } from '../../lib/contract/role-catalog.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import { fail } from '../../lib/errors/fail.ts';

const listColumns: Column<RoleReply>[] = [
  { key: 'role_id', id: true, value: (role) => role.role_id },
  { key: 'name', value: (role) => role.name },
  { key: 'tasks', rank: 1, align: 'right', value: (role) => role.tasks.length },
  { key: 'description', rank: 2, value: (role) => role.description },
];

const roleView: RecordView<RoleReply> = {
  kind: 'record',
  columns: [
    { key: 'role_id', id: true, value: (role) => role.role_id },
    ...fields('name', 'description'),
    { key: 'tasks', value: (role) => role.tasks.map((task) => task.task_id).join(', ') },
  ],
};

export const listRoles = defineCommand({
  path: 'roles list',
  summary: 'list the custom roles of the organization',
  effect: 'read',
  calls: 'platform',
  output: () => z.array(RoleReply),
  examples: ['cdpadm roles list', 'cdpadm roles list -o json --query "[].role_id"'],
  run: liveRoles,
  view: { kind: 'list', columns: listColumns, empty: 'This organization has no custom roles.' },
});

export const getRole = defineCommand({
  path: 'roles get',
  summary: 'show one role with its tasks',
  effect: 'read',
  calls: 'platform',
  args: { roleId: { name: 'role_id', help: 'id of the role', pick: pickRole } },
  output: () => RoleReply,
  examples: ['cdpadm roles get admin-role', 'cdpadm roles get admin-role -o yaml'],
  exits: { notFound: 'role not found' },
  run: async (ctx, { args }) => findRole(await liveRoles(ctx), args.roleId),
  view: roleView,
});

export const listTasks = defineCommand({
  path: 'roles tasks',
  summary: 'list the tasks that a role may have',
  effect: 'read',
  tool: ['search'],
  calls: 'platform',
  flags: { search: { value: 'text', help: 'only tasks with this text in their id, name or description' } },
  output: () => z.array(Task),
  examples: ['cdpadm roles tasks', 'cdpadm roles tasks --search audience'],
  run: async (ctx, { flags: { search = '' } }) => {
    const api = await ctx.api();
    const wanted = search.toLowerCase();
    return (await api.roles.listTasks(ctx.signal)).filter(({ task_id, display_name, description }) =>
      [task_id, display_name, description].some((field) => field?.toLowerCase().includes(wanted)),
    );
  },
  view: {
    kind: 'list',
    columns: [
      { key: 'task_id', id: true, value: (task) => task.task_id },
      ...ranked({ display_name: 1, description: 2 }),
    ],
    empty: 'No task matches.',
  },
});

function templateResult() {
  return z.object({
    role_id: z.string(),
    name: z.string(),
    description: z.string(),
    tasks: z.array(z.object({ task_id: z.string() })),
  });
}

export const listTemplates = defineCommand({
  path: 'roles templates',
  summary: 'list the standard role templates, or show one',
  effect: 'local',
  tool: [],
  calls: 'none',
  args: { id: { optional: true, help: 'only this template' } },
  output: () => z.union([z.array(templateResult()), templateResult()]),
  examples: ['cdpadm roles templates', 'cdpadm roles templates compliance-role -o yaml'],
  exits: { notFound: 'template not found' },
  run: async (ctx, { args: { id } }) => {
    const templates = ROLE_TEMPLATES.map((item) => ({ ...item, tasks: item.tasks.map((task_id) => ({ task_id })) }));
    if (id === undefined) {
      const view = { kind: 'list', columns: listColumns, empty: 'There are no templates.' } as const;
      return await ctx.out.emit(templates, view);
    }
    const template = templates.find((item) => item.role_id === id);
    if (!template) {
      const known = ROLE_TEMPLATES.map(({ role_id }) => role_id);
      const hint = nearestHint(id, known, `The templates are ${known.join(', ')}.`);
      throw fail('roles.template_not_found', { message: `Unknown template ${id}.`, hint });
    }
    await ctx.out.emit(template, roleView);
  },
});
