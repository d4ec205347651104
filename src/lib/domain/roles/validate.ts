// Checks a roles file against the specification, the live tasks and the fields the platform is known to return.
import { explain, type FieldIssue } from '../../contract/explain.ts';
import { ROLE_LIMITS } from '../../contract/limits.ts';
import { CORE_TASK, RESTRICTED_CHARACTERS, Role as RoleSchema, type TaskRef } from '../../contract/roles.ts';
import { nearest } from '../../kernel/nearest.ts';
import { extraFields, type Manifest, type Role, rolesById } from './manifest.ts';

export type { FieldIssue };

/** What is known of the platform when a file is checked. */
export interface Known {
  /** The manifests whose unknown fields may stand in the file. */
  live?: Manifest | undefined;
  base?: Manifest | undefined;
  /** The ids a role may hold. Undefined: unknown, then the catalogue of the specification only advises. */
  liveTasks?: ReadonlySet<string> | undefined;
  /** True while the platform was not read yet: a field it may know is then no issue. */
  tolerateUnknown?: boolean | undefined;
  /** Ids to propose and to advise by when there are no live ones. */
  catalogTasks: ReadonlySet<string>;
}

export interface CheckedManifest {
  /** The file's manifest; only to be used when there are no issues. */
  manifest: Manifest;
  issues: FieldIssue[];
  /** Advice: sent all the same. */
  warnings: FieldIssue[];
}

type Path = (string | number)[];

/** Fields of a manifest file; `$schema` is for editors and never sent. */
const TOP_FIELDS = ['roles', 'last_modified_on', 'last_modified_by', '$schema'];
const ROLE_FIELDS = ['role_id', 'name', 'description', 'tasks'];

/** Reads and checks the value of a roles file. Tasks may be bare ids. */
export function checkManifest(value: unknown, known: Known): CheckedManifest {
  const report = new Report();
  const manifest: Manifest = { roles: [], last_modified_on: null, last_modified_by: null, extra: {} };
  if (!isRecord(value)) {
    report.issue([], 'a roles file is a map with a list `roles`');
    return { manifest, ...report };
  }
  checkTop(value, manifest, known, report);
  if (!Array.isArray(value['roles'])) {
    const place = 'roles' in value ? ['roles'] : [];
    report.issue(place, '`roles` must be a list of roles (an empty list is written `roles: []`)');
    return { manifest, ...report };
  }
  const items = value['roles'] as unknown[];
  if (items.length > ROLE_LIMITS.rolesPerOrganization) {
    const limit = ROLE_LIMITS.rolesPerOrganization;
    report.issue(['roles', limit], `${items.length} roles; an organization holds at most ${limit}`);
  }
  for (const [index, item] of items.entries()) {
    const role = checkRole(item, ['roles', index], known, report);
    if (role) manifest.roles.push(role);
  }
  checkUnique(items, known, report);
  return { manifest, ...report };
}

class Report {
  readonly issues: FieldIssue[] = [];
  readonly warnings: FieldIssue[] = [];
  issue(path: Path, message: string): void {
    this.issues.push({ path, message });
  }
  warn(path: Path, message: string): void {
    this.warnings.push({ path, message });
  }
}

function checkTop(value: Record<string, unknown>, manifest: Manifest, known: Known, report: Report): void {
  for (const key of Object.keys(value)) {
    if (TOP_FIELDS.includes(key)) continue;
    if (remembered(known).some((seen) => key in seen.extra)) manifest.extra[key] = value[key];
    else unknownField(key, [key], TOP_FIELDS, known, report);
  }
  for (const key of ['last_modified_on', 'last_modified_by'] as const) {
    const stamp = value[key];
    if (typeof stamp === 'string') manifest[key] = stamp;
    else if (stamp !== undefined && stamp !== null) report.issue([key], `\`${key}\` must be text; put it in quotes`);
  }
}

function checkRole(item: unknown, path: Path, known: Known, report: Report): Role | undefined {
  if (!isRecord(item)) {
    report.issue(path, 'a role is a map with role_id, name, description and tasks');
    return undefined;
  }
  const id = item['role_id'];
  const seen = remembered(known).flatMap((manifest) => manifest.roles.filter((role) => role.role_id === id));
  for (const key of Object.keys(item)) {
    if (ROLE_FIELDS.includes(key) || seen.some((role) => key in extraFields(role))) continue;
    unknownField(key, [...path, key], ROLE_FIELDS, known, report);
  }
  const tasks = checkTasks(item['tasks'], [...path, 'tasks'], seen, known, report);
  const role = { ...item, tasks } as Role;
  for (const issue of explain(RoleSchema, role)) {
    const field = issue.path[0];
    if (field === 'tasks') continue;
    // What the platform itself returned (a null description, say) may go back as it came.
    if (
      typeof field === 'string' &&
      seen.some((live) => (live[field] ?? null) === (role[field] ?? null)) &&
      field !== 'role_id'
    )
      continue;
    const where = issue.path.length > 0 && field !== undefined && field in item ? [...path, ...issue.path] : path;
    report.issue(
      where,
      issue.message.startsWith(String(field)) ? issue.message : `${String(field ?? 'role')} ${issue.message}`,
    );
  }
  for (const field of ['role_id', 'name'] as const) {
    const text = item[field];
    const match = typeof text === 'string' ? RESTRICTED_CHARACTERS.exec(text) : null;
    if (match) report.warn([...path, field], `${field} holds ${match[0]}, which the platform may refuse`);
  }
  return role;
}

function checkTasks(value: unknown, path: Path, seen: readonly Role[], known: Known, report: Report): TaskRef[] {
  if (!Array.isArray(value)) {
    report.issue(
      value === undefined ? path.slice(0, -1) : path,
      '`tasks` must be a list of task ids (an empty one is `tasks: []`)',
    );
    return [];
  }
  const tasks = new Map<string, TaskRef>();
  for (const [index, item] of (value as unknown[]).entries()) {
    const place = [...path, index];
    const task = readTask(item, place, seen, known, report);
    if (!task) continue;
    if (tasks.has(task.task_id)) report.warn(place, `${task.task_id} is listed twice; once is enough`);
    else tasks.set(task.task_id, task);
    checkTaskId(task.task_id, place, known, report);
  }
  for (const [index, item] of (value as unknown[]).entries()) {
    const id = typeof item === 'string' ? item : isRecord(item) ? item['task_id'] : undefined;
    const all = typeof id === 'string' && !id.endsWith(':*') ? `${id.split(':')[0] ?? ''}:*` : undefined;
    if (all !== undefined && tasks.has(all)) report.warn([...path, index], `${String(id)} is redundant beside ${all}`);
  }
  return [...tasks.values()];
}

function readTask(item: unknown, path: Path, seen: readonly Role[], known: Known, report: Report): TaskRef | undefined {
  if (typeof item === 'string') {
    if (item !== '') return { task_id: item };
  } else if (isRecord(item) && typeof item['task_id'] === 'string' && item['task_id'] !== '') {
    const id = item['task_id'];
    const same = seen.flatMap((role) => role.tasks.filter((task) => task.task_id === id));
    for (const key of Object.keys(item)) {
      if (key === 'task_id' || same.some((task) => key in task)) continue;
      unknownField(key, [...path, key], ['task_id'], known, report);
    }
    return item as TaskRef;
  }
  report.issue(path, 'a task is an id such as `audiences:view`, or `{task_id: …}`');
  return undefined;
}

function checkTaskId(id: string, path: Path, known: Known, report: Report): void {
  if (id === CORE_TASK) return;
  const { liveTasks, catalogTasks } = known;
  // The platform lets a role keep what it has, even where it no longer offers it. A memory of that is not enough.
  const holders = liveTasks ? [known.live] : remembered(known);
  const held = holders.some((manifest) =>
    manifest?.roles.some((role) => role.tasks.some((task) => task.task_id === id)),
  );
  if (held || (liveTasks ?? catalogTasks).has(id)) return;
  const proposal = nearest(id, liveTasks ?? catalogTasks);
  const hint = proposal === undefined ? '' : `; did you mean ${proposal}?`;
  if (liveTasks) report.issue(path, `task ${id} does not exist on the platform${hint}`);
  else report.warn(path, `task ${id} is not in the specification's list${hint}`);
}

function checkUnique(items: readonly unknown[], known: Known, report: Report): void {
  for (const field of ['role_id', 'name'] as const) {
    const first = new Map<string, number>();
    for (const [index, item] of items.entries()) {
      const text = isRecord(item) ? item[field] : undefined;
      if (typeof text !== 'string') continue;
      const earlier = first.get(text);
      if (earlier === undefined) first.set(text, index);
      else {
        const message = `${field} \`${text}\` is already taken by roles[${earlier}]`;
        const tolerated = remembered(known).some(
          (seen) => seen.roles.filter((role) => role[field] === text).length > 1,
        );
        if (tolerated) report.warn(['roles', index, field], message);
        else report.issue(['roles', index, field], message);
      }
    }
  }
}

function remembered(known: Known): Manifest[] {
  return [known.live, known.base].filter((manifest) => manifest !== undefined);
}

function unknownField(key: string, path: Path, allowed: readonly string[], known: Known, report: Report): void {
  if (known.tolerateUnknown) return;
  const proposal = nearest(key, allowed);
  report.issue(path, `unknown field \`${key}\`${proposal === undefined ? '' : `; did you mean \`${proposal}\`?`}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Gives roles that the platform already holds those unknown fields that a hand-written file does not mention. */
export function carryUnknownFields(roles: readonly Role[], live: Manifest): Role[] {
  const current = rolesById(live.roles);
  return roles.map((role) => {
    const now = current.get(role.role_id);
    if (!now) return role;
    const held = new Map(now.tasks.map((task) => [task.task_id, task]));
    return { ...extraFields(now), ...role, tasks: role.tasks.map((task) => ({ ...held.get(task.task_id), ...task })) };
  });
}
