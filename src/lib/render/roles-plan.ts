// Draws a roles plan: created, modified and deleted roles, with words and signs next to every color.
import { CORE_TASK } from '../contract/roles.ts';
import { isEscalation } from '../domain/roles/permissions.ts';
import { escalationsOf, isEmptyDiff, type ModifiedRole, type RolesDiff } from '../domain/roles/plan.ts';
import type { Role } from '../domain/roles/manifest.ts';
import { counted } from '../kernel/words.ts';
import type { FieldChanges } from '../domain/field-changes.ts';
import { fieldLines } from './field-changes.ts';
import { cleanLine as clean } from './clean.ts';
import { toDiffBlock, toMarkdownLine } from './markdown.ts';
import type { Style } from './style.ts';
import { type Column, fields } from './view.ts';
import { wrapMessage } from './width.ts';

/** A diff with its plan hash. The hash is null if two files are compared. */
export type DrawnPlan = RolesDiff & { plan?: string | null; warnings?: string[]; kept?: string[] };

/** Returns text without a final newline. Wraps only our own sentences: other text keeps its spaces. */
export function renderRolesPlan(plan: DrawnPlan, style: Style, width = Infinity): string {
  const lines: string[] = [];
  const sentence = (text: string): unknown => lines.push(wrapMessage(text, width));
  for (const role of plan.created) lines.push(...createdLines(role, style), '');
  for (const role of plan.modified) lines.push(...modifiedLines(role, style), '');
  for (const role of plan.deleted) lines.push(...deletedLines(role, plan.plan !== null, style, width), '');
  if (isEmptyDiff(plan)) sentence(emptyLine(plan));
  sentence(summaryLine(plan, style));
  if (plan.plan === null) sentence('no plan, because the command compared two files');
  else if (plan.plan !== undefined) lines.push(`plan ${plan.plan}`);
  return lines.join('\n');
}

export function rolesPlanMarkdown(plan: DrawnPlan, plain: Style): string {
  const escalations = escalationsOf(plan).map((item) => `\`${code(item.role_id)}\` gains \`${code(item.task_id)}\``);
  const kept = (plan.kept ?? []).map((id) => `\`${code(id)}\``);
  const lead = [
    ...(plan.warnings ?? []).map((text) => `**Warning:** ${toMarkdownLine(text)}`),
    ...(kept.length > 0 ? [`As on the platform (changed or deleted after the pull): ${kept.join(', ')}`] : []),
    ...(escalations.length > 0 ? [`**Escalations:** ${escalations.join(', ')}`] : []),
  ];
  const quoted = lead.map((line) => `\n> ${line}\n`).join('');
  return toDiffBlock(`Roles: ${plainSummary(plan)}`, renderRolesPlan(plan, plain), quoted);
}

export const ROLES_PLAN_COLUMNS: Column<ReturnType<typeof rolesPlanRows>[number]>[] = [
  ...fields('change'),
  { key: 'role_id', id: true, value: (row) => row.role_id },
  { key: 'added', value: (row) => row.added.join(' ') },
  { key: 'removed', value: (row) => row.removed.join(' ') },
  { key: 'escalations', value: (row) => row.escalations.join(' ') },
];

/** Returns every role that the plan changes, for CSV and `-o name`. */
export function rolesPlanRows(plan: DrawnPlan) {
  const ids = (role: Role): string[] => role.tasks.map((task) => task.task_id);
  const escalations = escalationsOf(plan);
  const row = (change: 'create' | 'modify' | 'delete', role_id: string, added: string[], removed: string[]) => {
    const own = escalations.filter((one) => one.role_id === role_id).map((one) => one.task_id);
    return { change, role_id, added, removed, escalations: own };
  };
  return [
    ...plan.created.map((role) => row('create', role.role_id, ids(role), [])),
    ...plan.modified.map(({ role_id, changes: { tasks } }) =>
      row('modify', role_id, tasks?.added ?? [], tasks?.removed ?? []),
    ),
    ...plan.deleted.map((role) => row('delete', role.role_id, [], ids(role))),
  ];
}

function createdLines(role: Role, style: Style): string[] {
  const { name = null, description = null } = role;
  return [
    style.green(`+ create ${clean(role.role_id)}`),
    ...fieldLines({ name: { from: null, to: name }, description: { from: null, to: description } }, style),
    ...visibleTasks(role).map((task) => gainedTask(task, style)),
  ];
}

function deletedLines(role: Role, live: boolean, style: Style, width: number): string[] {
  const loud = live ? `  ${style.bold('DELETED for the whole organization')}` : '';
  const { name = null, description = null } = role;
  return [
    wrapMessage(`${style.red(`- delete ${clean(role.role_id)}`)}${loud}`, width),
    ...fieldLines({ name: { from: name, to: null }, description: { from: description, to: null } }, style),
    ...visibleTasks(role).map((task) => lostTask(task, style)),
  ];
}

function modifiedLines({ role_id, changes: { tasks, ...fields } }: ModifiedRole, style: Style): string[] {
  return [
    style.yellow(`~ modify ${clean(role_id)}`),
    ...fieldLines(fields as FieldChanges, style),
    ...(tasks?.added ?? []).map((task) => gainedTask(task, style)),
    ...(tasks?.removed ?? []).map((task) => lostTask(task, style)),
  ];
}

function gainedTask(task: string, style: Style): string {
  const mark = isEscalation(task) ? `  ${style.bold(style.yellow('! escalation'))}` : '';
  return `    ${style.green(`+ ${clean(task)}`)}${mark}`;
}

function lostTask(task: string, style: Style): string {
  return `    ${style.red(`- ${clean(task)}`)}`;
}

function visibleTasks(role: Role): string[] {
  return role.tasks.map((task) => task.task_id).filter((id) => id !== CORE_TASK);
}

function emptyLine({ kept = [] }: DrawnPlan): string {
  if (kept.length === 0) return 'No differences.';
  const roles = kept.length === 1 ? '1 role differs' : `${kept.length} roles differ`;
  return `A push would change nothing, but ${roles} from the file because the platform changed after the pull.`;
}

function summaryLine(plan: RolesDiff, style: Style): string {
  const escalations = escalationsOf(plan).length;
  const text = plainSummary(plan);
  return escalations === 0 ? text : `${text}, ${style.yellow(counted(escalations, 'escalation'))}`;
}

function plainSummary({ summary }: RolesDiff): string {
  return `${summary.create} to create, ${summary.modify} to modify, ${summary.delete} to delete, ${summary.unchanged} unchanged`;
}

function code(text: string): string {
  return clean(text).replaceAll('`', "'");
}
