// Checks one role of a roles file and its tasks.
import { explain } from '../../contract/explain.ts';
import { CORE_TASK, RESTRICTED_CHARACTERS, Role as RoleSchema, type TaskRef } from '../../contract/roles.ts';
import { isRecord } from '../../kernel/json.ts';
import { checkFields, type Known, type Path, remembered, type Report } from './known.ts';
import { extraFields, type Role } from './manifest.ts';
import { nearest } from '../../kernel/nearest.ts';

const ROLE_FIELDS = ['role_id', 'name', 'description', 'tasks'];
const DIRECTION_CONTROL = /\p{Bidi_Control}/u;

/** What every check needs besides the value: what is known, what the platform holds of this role, the report. */
interface Checking {
  known: Known;
  seen: readonly Role[];
  report: Report;
  checkTask: TaskCheck;
}

/** The role as it is sent, tasks as maps; undefined for what is no role at all. */
export function checkRole(
  item: unknown,
  path: Path,
  { known, report, checkTask }: Omit<Checking, 'seen'>,
): Role | undefined {
  if (!isRecord(item)) {
    report.issue(path, 'a role is a map with role_id, name, description and tasks');
    return undefined;
  }
  const seen = remembered(known).flatMap(({ roles }) => roles.filter((role) => role.role_id === item['role_id']));
  const checking = { known, seen, report, checkTask };
  checkFields(item, ROLE_FIELDS, seen.map(extraFields), path, checking);
  const role = { ...item, tasks: checkTasks(item['tasks'], [...path, 'tasks'], checking) } as Role;
  checkTexts(item, role, path, checking);
  return role;
}

function checkTexts(item: Record<string, unknown>, role: Role, path: Path, { known, seen, report }: Checking): void {
  // What the platform itself returned (a null description, say) may go back as it came.
  const isReturned = (field: string): boolean => seen.some((one) => (one[field] ?? null) === (item[field] ?? null));
  // Tasks are judged one by one elsewhere: thousands of them need not pass the schema as well.
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
    const restricted = RESTRICTED_CHARACTERS.exec(text)?.[0];
    const invisible = DIRECTION_CONTROL.test(text)
      ? 'an invisible character that turns the direction of text'
      : undefined;
    const what = restricted ?? invisible;
    if (what !== undefined) report.warn([...path, field], `holds ${what}, which the platform may refuse`);
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
  // There are thousands, and hardly one is reported: its place is made then.
  for (const [index, item] of (value as unknown[]).entries()) {
    const task = readTask(item, path, index, checking);
    const id = task?.task_id;
    ids.push(id);
    if (!task || id === undefined) continue;
    if (tasks.has(id)) report.warn([...path, index], `${id} is listed twice; once is enough`);
    else tasks.set(id, task);
    const fault = checking.checkTask(id);
    if (fault?.stops) report.issue([...path, index], fault.message);
    else if (fault) report.warn([...path, index], fault.message);
  }
  const isWide = ids.some((id) => id?.endsWith(':*'));
  for (const [index, id] of isWide ? ids.entries() : []) {
    if (id === undefined) continue;
    const all = `${id.split(':', 1)[0] ?? ''}:*`;
    const isRedundant = id !== all && id !== CORE_TASK && tasks.has(all);
    if (isRedundant) report.warn([...path, index], `${id} is redundant beside ${all}`);
  }
  return [...tasks.values()];
}

function readTask(item: unknown, list: Path, index: number, checking: Checking): TaskRef | undefined {
  if (typeof item === 'string') {
    if (item !== '') return { task_id: item };
  } else if (isRecord(item) && typeof item['task_id'] === 'string' && item['task_id'] !== '') {
    const id = item['task_id'];
    const held = checking.seen.flatMap((role) => role.tasks.filter((task) => task.task_id === id));
    checkFields(item, ['task_id'], held, [...list, index], checking);
    return item as TaskRef;
  }
  checking.report.issue([...list, index], 'a task is an id such as `audiences:view`, or `{task_id: …}`');
  return undefined;
}

/** What is wrong with a task id; `stops` is false where it is advice only. */
interface TaskFault {
  message: string;
  stops: boolean;
}

type TaskCheck = (id: string) => TaskFault | undefined;

/** Judges by the live tasks, or where they were not read by the specification's list. */
export function createTaskCheck(known: Known): TaskCheck {
  const { liveTasks, catalogTasks, tolerateUnknown } = known;
  const offered = liveTasks ?? catalogTasks;
  // The platform lets a role keep what it has, even where it no longer offers it. A memory of that is not enough.
  const holders = liveTasks ? [known.live] : remembered(known);
  const roles = holders.flatMap((manifest) => manifest?.roles ?? []);
  const held = new Set(roles.flatMap(({ tasks }) => tasks.map(({ task_id }) => task_id)));
  const judged = new Map<string, TaskFault | undefined>();

  function judge(id: string): TaskFault | undefined {
    if (tolerateUnknown || id === CORE_TASK || held.has(id) || offered.has(id)) return undefined;
    const proposal = nearest(id, offered);
    const hint = proposal === undefined ? '' : `; did you mean ${proposal}?`;
    return liveTasks
      ? { message: `task ${id} does not exist on the platform${hint}`, stops: true }
      : { message: `task ${id} is not in the specification's list${hint}`, stops: false };
  }

  return (id) => {
    if (!judged.has(id)) judged.set(id, judge(id));
    return judged.get(id);
  };
}
