// `roles list`, `get`, `tasks` and `templates`, and `explain`, `who-can`, `compare` and `matrix`: roles and their permissions.
import { pickRole, pickTask } from '../pick.ts';
import * as z from 'zod/mini';
import { RoleReply, Task } from '../../lib/contract/roles.ts';
import { fields, ranked, type Column, type RecordView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { liveRoles, findRole } from './session.ts';
import { ROLE_TEMPLATES } from '../../lib/contract/role-catalog.ts';
import { nearestHint } from '../../lib/kernel/nearest.ts';
import { fail } from '../../lib/errors/fail.ts';
import {
  comparisonResult,
  matrixRow,
  permissionResult,
  permissionsOf,
  CATALOG_TASKS,
  grantingTask,
  compareRoleTasks,
  roleMatrix,
} from '../../lib/domain/roles/permissions.ts';
import type { Role } from '../../lib/domain/roles/manifest.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { cleanLine } from '../../lib/render/clean.ts';
import { matrixView } from '../../lib/render/roles-matrix.ts';
import { COMMON_FORMATS } from '../../lib/runtime/command-line/help.ts';
import { pageSource } from '../results.ts';

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

export const explainRole = defineCommand({
  path: 'roles explain',
  summary: "explain a role's permissions in the words of the permission reference",
  effect: 'read',
  calls: 'platform',
  args: { roleId: { name: 'role_id', help: 'id of the role', pick: pickRole } },
  output: () => z.array(permissionResult()),
  examples: ['cdpadm roles explain admin-role', 'cdpadm roles explain user-role -o markdown'],
  exits: { notFound: 'role not found' },
  run: async (ctx, { args }) => permissionsOf(findRole(await liveRoles(ctx), args.roleId)),
  view: {
    kind: 'list',
    columns: [
      // A narrow table drops these two columns first, because the task id already shows both.
      ...ranked({ feature: 2, permission: 3 }),
      { key: 'task_id', title: 'TASK', id: true, value: (item) => item.task_id },
      {
        key: 'escalation',
        title: 'REVIEW',
        rank: 1,
        value: (item) => (item.escalation ? 'escalation' : ''),
        paint: (text, _item, style) => style.yellow(text),
      },
      { key: 'meaning', uncut: true, value: (item) => item.meaning },
    ],
    empty: 'This role has no permissions.',
    name: (item) => item.task_id,
  },
});

const LIST_TASKS = { text: 'To list the tasks:', command: 'cdpadm roles tasks' };

export const listHolders = defineCommand({
  path: 'roles who-can',
  summary: 'list the roles that grant a task',
  effect: 'read',
  calls: 'platform',
  args: { task: { help: 'id of the task, such as privacy:settings', pick: pickTask } },
  output: () =>
    z.array(
      z.object({
        role_id: z.string(),
        name: z.nullable(z.string()),
        /** The role's task that grants `task_id`. */
        by: z.string(),
      }),
    ),
  notes: ['`privacy:*` grants every privacy task, so a role that has it is listed for each of them.'],
  examples: ['cdpadm roles who-can audiences:view', 'cdpadm roles who-can "privacy:*" -o json'],
  exits: { notFound: 'task not found' },
  run: async (ctx, { args: { task } }) => {
    if (task.trim() === '') throw usageError('The task id is empty.', LIST_TASKS);
    const api = await ctx.api();
    const { roles } = await api.roles.get({ signal: ctx.signal });
    await checkTask(task, roles, () => api.roles.listTasks(ctx.signal));
    return roles.flatMap((role) => {
      const by = grantingTask(role, task);
      return by === undefined ? [] : [{ role_id: role.role_id, name: role.name ?? null, by }];
    });
  },
  view: {
    kind: 'list',
    columns: [
      { key: 'role_id', id: true, value: (item) => item.role_id },
      { key: 'name', value: (item) => item.name },
      { key: 'by', id: true, value: (item) => item.by },
    ],
    empty: 'No role grants this task.',
  },
});

/** Throws not found (5) for a task that is not in the specification, the live roles or the live list. */
async function checkTask(task: string, roles: readonly Role[], listTasks: () => Promise<Task[]>): Promise<void> {
  const known = new Set([...CATALOG_TASKS, ...roles.flatMap(({ tasks }) => tasks.map(({ task_id }) => task_id))]);
  if (known.has(task)) return;
  for (const { task_id } of await listTasks()) known.add(task_id);
  if (known.has(task)) return;
  throw fail('roles.task_not_found', { message: `Unknown task ${task}.`, hint: nearestHint(task, known, LIST_TASKS) });
}

function section(title: string, tasks: readonly string[], sign: string, paint: (text: string) => string): string[] {
  const lines = tasks.length === 0 ? ['    (none)'] : tasks.map((task) => `  ${paint(`${sign} ${cleanLine(task)}`)}`);
  return [title, ...lines];
}

export const compareRoles = defineCommand({
  path: 'roles compare',
  summary: 'show the tasks that two roles share, and the tasks that only one has',
  effect: 'read',
  calls: 'platform',
  args: {
    a: { help: 'id of a role', pick: { ...pickRole, question: 'First role' } },
    b: { help: 'id of another role', pick: { ...pickRole, question: 'Second role' } },
  },
  output: () => comparisonResult(),
  columns: (_flags, ids) => ['task_id', ...ids].map((key) => ({ key })),
  notes: ['`-o csv` prints one row per task; `-o name` prints the tasks that only one of the two has.'],
  examples: ['cdpadm roles compare admin-role support-role', 'cdpadm roles compare user-role admin-role -o json'],
  exits: { notFound: 'role not found' },
  run: async (ctx, { args: { a, b } }) => {
    const roles = await liveRoles(ctx);
    return compareRoleTasks(findRole(roles, a), findRole(roles, b));
  },
  view: {
    kind: 'document',
    text: (data, style) =>
      [
        ...section(style.bold(`Only ${cleanLine(data.left)}`), data.only_left, '-', style.red),
        ...section(style.bold(`Only ${cleanLine(data.right)}`), data.only_right, '+', style.green),
        ...section(style.bold('Both'), data.both, ' ', (text) => text),
      ].join('\n'),
    // As in the matrix, show one row per task and one column per role.
    list: ({ left, right, only_left, only_right, both }) => ({
      columns: [
        { key: 'task_id', id: true, value: (task: string) => task },
        { key: left, idTitle: true, value: (task: string) => (only_right.includes(task) ? '' : 'yes') },
        { key: right, idTitle: true, value: (task: string) => (only_left.includes(task) ? '' : 'yes') },
      ],
      rows: [...only_left, ...only_right, ...both],
    }),
    names: ({ only_left, only_right }) => [...only_left, ...only_right],
  },
});

export const showMatrix = defineCommand({
  path: 'roles matrix',
  summary: 'show the tasks of every role as a matrix',
  effect: 'read',
  calls: 'platform',
  output: () => z.array(matrixRow()),
  columns: () => undefined,
  formats: [...COMMON_FORMATS, 'html'],
  notes: ['`-o html` is one page without scripts, to print or to share: cdpadm roles matrix -o html --out roles.html'],
  examples: ['cdpadm roles matrix', 'cdpadm roles matrix -o csv', 'cdpadm roles matrix -o html --out roles.html'],
  run: async (ctx) => {
    const api = await ctx.api();
    const { roles, last_modified_on, last_modified_by } = await api.roles.get({ signal: ctx.signal });
    // All workspaces of an organization share one manifest.
    const source = { ...(await pageSource(ctx)), workspace: undefined, last_modified_on, last_modified_by };
    await ctx.out.emit(roleMatrix(roles), matrixView(roles, source));
  },
});
