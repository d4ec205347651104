// Checks one role of a roles file and its tasks.
import { explain } from '../../contract/explain.ts';
import { CORE_TASK, RESTRICTED_CHARACTERS, Role as RoleSchema, type TaskRef } from '../../contract/roles.ts';
import { isRecord } from '../../kernel/json.ts';
import { checkFields, type Known, type Path, remembered, type Report } from './known.ts';
import { extraFields, type Role } from './manifest.ts';
import { nearest } from '../../kernel/nearest.ts';
import { CATALOG_TASKS } from './permissions.ts';

const ROLE_FIELDS = ['role_id', 'name', 'description', 'tasks'];
const DIRECTION_CONTROL = /\p{Bidi_Control}/u;

/** Everything a check needs next to the value. `seen` are the manifests' roles of the same id. */
interface Checking {
  known: Known;
  seen: readonly Role[];
  report: Report;
  checkTask: TaskCheck;
}

/** The role as it is sent, tasks as maps; undefined for a value that is not a map. */
export function checkRole(item: unknown, path: Path, shared: Omit<Checking, 'seen'>): Role | undefined {
  const { known, report } = shared;
  if (!isRecord(item)) {
    report.issue(path, 'a role is a map with role_id, name, description and tasks');
    return undefined;
  }
  const seen = remembered(known).flatMap(({ roles }) => roles.filter((role) => role.role_id === item['role_id']));
  const checking = { ...shared, seen };
  checkFields(item, ROLE_FIELDS, seen.map(extraFields), path, checking);
  const role = { ...item, tasks: checkTasks(item['tasks'], [...path, 'tasks'], checking) } as Role;
  checkTexts(item, role, path, checking);
  return role;
}

function checkTexts(item: Record<string, unknown>, role: Role, path: Path, { known, seen, report }: Checking): void {
  // A value that the platform itself returned (a null description, for example) may go back unchanged.
  const isReturned = (field: string): boolean => seen.some((one) => (one[field] ?? null) === (item[field] ?? null));
  // `checkTasks` has checked the tasks.
  for (const { path: inner, message } of explain(RoleSchema, { ...role, tasks: [] })) {
    const field = String(inner[0]);
    if (isReturned(field)) continue;
    if (known.tolerateUnknown && (item[field] === null || item[field] === '') && field !== 'role_id') continue;
    if (Object.hasOwn(item, field)) report.issue([...path, ...inner], message);
    else report.issue(path, `${field} ${message}`);
  }
  for (const field of ['role_id', 'name'] as const) {
    const text = item[field];
    if (typeof text !== 'string' || isReturned(field)) continue;
    const invisible = DIRECTION_CONTROL.test(text)
      ? 'an invisible character that changes the text direction'
      : undefined;
    const what = RESTRICTED_CHARACTERS.exec(text)?.[0] ?? invisible;
    if (what !== undefined) report.warn([...path, field], `contains ${what}, which the platform may reject`);
  }
}

function checkTasks(value: unknown, path: Path, checking: Checking): TaskRef[] {
  const { report } = checking;
  if (!Array.isArray(value)) {
    const place = value === undefined ? path.slice(0, -1) : path;
    report.issue(place, '`tasks` must be a list of task ids (an empty one is `tasks: []`)');
    return [];
  }
  const tasks = new Map<string, TaskRef>();
  const ids: (string | undefined)[] = [];
  for (const [index, item] of (value as unknown[]).entries()) {
    const place = [...path, index];
    const task = readTask(item, place, checking);
    const id = task?.task_id;
    ids.push(id);
    if (!task || id === undefined) continue;
    if (tasks.has(id)) report.warn(place, `${id} is listed twice; once is enough`);
    else tasks.set(id, task);
    const fault = checking.checkTask(id);
    if (fault?.stops) report.issue(place, fault.message);
    else if (fault) report.warn(place, fault.message);
  }
  for (const [index, id] of ids.entries()) {
    if (id === undefined) continue;
    const all = `${id.split(':', 1)[0] ?? ''}:*`;
    const isRedundant = id !== all && id !== CORE_TASK && tasks.has(all);
    if (isRedundant) report.warn([...path, index], `${id} is redundant: ${all} includes it`);
  }
  return [...tasks.values()];
}

function readTask(item: unknown, path: Path, checking: Checking): TaskRef | undefined {
  if (typeof item === 'string') {
    if (item !== '') return { task_id: item };
  } else if (isRecord(item) && typeof item['task_id'] === 'string' && item['task_id'] !== '') {
    const id = item['task_id'];
    const held = checking.seen.flatMap((role) => role.tasks.filter((task) => task.task_id === id));
    checkFields(item, ['task_id'], held, path, checking);
    return item as TaskRef;
  }
  checking.report.issue(path, 'a task is an id such as `audiences:view`, or `{task_id: …}`');
  return undefined;
}

/** The problem of a task id, if it has one; `stops` is false for advice. */
type TaskCheck = (id: string) => { message: string; stops: boolean } | undefined;

/** Checks ids against the live tasks or, if they were not read, against the specification's list. */
export function createTaskCheck(known: Known): TaskCheck {
  const { liveTasks, tolerateUnknown } = known;
  const offered = liveTasks ?? CATALOG_TASKS;
  // A role may keep a task that the platform no longer offers, but only if the live role holds it.
  const holders = liveTasks ? [known.live] : remembered(known);
  const roles = holders.flatMap((manifest) => manifest?.roles ?? []);
  const held = new Set(roles.flatMap(({ tasks }) => tasks.map(({ task_id }) => task_id)));
  return (id) => {
    if (tolerateUnknown || id === CORE_TASK || held.has(id) || offered.has(id)) return undefined;
    const proposal = nearest(id, offered);
    const hint = proposal === undefined ? '' : `; did you mean ${proposal}?`;
    return liveTasks
      ? { message: `task ${id} does not exist on the platform${hint}`, stops: true }
      : { message: `task ${id} is not in the specification's list${hint}`, stops: false };
  };
}
