// Checks a roles file against the specification, the live tasks and the fields that the platform returns.
import { type FieldIssue, explain } from '../../contract/explain.ts';
import { ROLE_LIMITS } from '../../contract/limits.ts';
import { canonicalJson, isRecord } from '../../kernel/json.ts';
import { type Manifest, extraFields, type Role } from './manifest.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { largest } from '../../kernel/words.ts';
import { CORE_TASK, RESTRICTED_CHARACTERS, Role as RoleSchema, type TaskRef } from '../../contract/roles.ts';
import { CATALOG_TASKS } from './permissions.ts';

export interface Known {
  /** Manifests whose unknown fields the file may contain. */
  live?: Manifest | undefined;
  base?: Manifest | undefined;
  /** Live roles that a file of only some roles omits. Their ids and names are taken. */
  others?: readonly Role[] | undefined;
  /** Task ids that a role may have. If undefined, tasks outside the specification's catalog cause only warnings. */
  liveTasks?: ReadonlySet<string> | undefined;
  /** True until the platform has been read: unknown fields, empty strings and many roles may come from the platform. */
  tolerateUnknown?: boolean | undefined;
  /** True if the roles come from the platform, so an unknown field cannot be a typo. */
  fieldsOfPlatform?: boolean | undefined;
}

type Path = (string | number)[];

/** Results of a check: issues stop the command, but warnings do not. */
class Report {
  readonly issues: FieldIssue[] = [];
  readonly warnings: FieldIssue[] = [];
  issue(path: Path, message: string, at?: 'key'): void {
    this.issues.push({ path, message, ...(at && { at }) });
  }
  warn(path: Path, message: string): void {
    this.warnings.push({ path, message });
  }
}

function remembered(known: Known): Manifest[] {
  return [known.live, known.base].filter((manifest) => manifest !== undefined);
}

/** Reports fields, also in nested maps, that are not in `allowed` and were not returned by the platform (`seen`). */
function checkFields(
  found: Record<string, unknown>,
  allowed: readonly string[],
  seen: readonly Record<string, unknown>[],
  path: Path,
  { known, report }: { known: Known; report: Report },
): void {
  if (known.tolerateUnknown || known.fieldsOfPlatform) return;
  for (const [key, value] of Object.entries(found)) {
    if (allowed.includes(key)) continue;
    const holders = seen.filter((one) => Object.hasOwn(one, key));
    if (holders.length === 0) {
      const hint = didYouMean(key, [...allowed, ...seen.flatMap(Object.keys)]);
      report.issue([...path, key], `unknown field \`${key}\`${hint}`, 'key');
    } else if (isRecord(value)) {
      const inside = holders.map((one) => one[key]).filter(isRecord);
      checkFields(value, [], inside, [...path, key], { known, report });
    }
  }
}

export interface CheckedManifest {
  /** The file's manifest; valid only if there are no issues. */
  manifest: Manifest;
  issues: FieldIssue[];
  /** Warnings do not prevent the manifest from being sent. */
  warnings: FieldIssue[];
}

/** Fields of a manifest file. `$schema` is for editors and is never sent. */
const TOP_FIELDS = ['roles', 'last_modified_on', 'last_modified_by', '$schema'];

/** Reads and checks the value of a roles file. Tasks may be bare ids. */
export function checkManifest(value: unknown, known: Known): CheckedManifest {
  const report = new Report();
  const manifest: Manifest = { roles: [], last_modified_on: null, last_modified_by: null, extra: {} };
  const checked = { manifest, issues: report.issues, warnings: report.warnings };
  if (!isRecord(value)) {
    report.issue([], 'a roles file must be a map with a `roles` list');
    return checked;
  }
  checkTop(value, manifest, known, report);
  if (!Array.isArray(value['roles'])) {
    const place = 'roles' in value ? ['roles'] : [];
    report.issue(place, '`roles` must be a list of roles (an empty list is written `roles: []`)');
    return checked;
  }
  const items = value['roles'] as unknown[];
  const counts = remembered(known).map(({ roles }) => roles.length);
  const limit = largest(counts, ROLE_LIMITS.rolesPerOrganization);
  if (items.length > limit && !known.tolerateUnknown) {
    report.issue(['roles', limit], `${items.length} roles; an organization can have at most ${limit}`);
  }
  const checking = { known, report, checkTask: createTaskCheck(known) };
  for (const [index, item] of items.entries()) {
    const role = checkRole(item, ['roles', index], checking);
    if (role) manifest.roles.push(role);
  }
  checkUnique('role_id', items, () => false, checking);
  // Two roles may share a name if the platform itself returned them that way.
  const isHeldTwice = (name: string): boolean =>
    remembered(known).some(({ roles }) => roles.filter((role) => role.name === name).length > 1);
  checkUnique('name', items, isHeldTwice, checking);
  return checked;
}

function checkTop(value: Record<string, unknown>, manifest: Manifest, known: Known, report: Report): void {
  const seen = remembered(known).map(({ extra }) => extra);
  checkFields(value, TOP_FIELDS, seen, [], { known, report });
  for (const key of Object.keys(value)) {
    if (TOP_FIELDS.includes(key)) continue;
    manifest.extra[key] = value[key];
    const isEdited = seen.every((extra) => canonicalJson(extra[key]) !== canonicalJson(value[key]));
    if (known.live && isEdited) report.warn([key], `\`${key}\` belongs to the platform: this value is not sent`);
  }
  for (const key of ['last_modified_on', 'last_modified_by'] as const) {
    const stamp = value[key];
    if (typeof stamp === 'string') manifest[key] = stamp;
    else if (stamp !== undefined && stamp !== null) report.issue([key], `\`${key}\` must be text; put it in quotes`);
  }
}

function checkUnique(
  field: 'role_id' | 'name',
  items: readonly unknown[],
  isTolerated: (text: string) => boolean,
  { known, report }: { known: Known; report: Report },
): void {
  const owners = new Map(known.others?.map((role) => [role[field], role.role_id]));
  for (const [index, item] of items.entries()) {
    const text = isRecord(item) ? item[field] : undefined;
    if (typeof text !== 'string') continue;
    const owner = owners.get(text);
    const message = `\`${text}\` is already taken by ${owner ?? ''}`;
    if (owner === undefined) owners.set(text, `roles[${index}]`);
    else if (isTolerated(text)) report.warn(['roles', index, field], message);
    else report.issue(['roles', index, field], message);
  }
}

const ROLE_FIELDS = ['role_id', 'name', 'description', 'tasks'];
const DIRECTION_CONTROL = /\p{Bidi_Control}/u;

/** Context of a check. `seen` contains the roles with the same id in the live manifest and the base. */
interface Checking {
  known: Known;
  seen: readonly Role[];
  report: Report;
  /** Returns the problem with a task id, if any. `stops` is false for a warning. */
  checkTask: ReturnType<typeof createTaskCheck>;
}

/** Returns the role as it will be sent, with tasks as maps; undefined if the value is not a map. */
function checkRole(item: unknown, path: Path, shared: Omit<Checking, 'seen'>): Role | undefined {
  const { known, report } = shared;
  if (!isRecord(item)) {
    report.issue(path, 'a role must be a map with role_id, name, description and tasks');
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
  // A value that the platform itself returned, such as a null description, may be sent back unchanged.
  const isReturned = (field: string): boolean => seen.some((one) => (one[field] ?? null) === (item[field] ?? null));
  // Tasks are omitted, because `checkTasks` has already checked them.
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
    const [character] = RESTRICTED_CHARACTERS.exec(text) ?? [];
    const invisible = DIRECTION_CONTROL.test(text) && 'an invisible character that changes the text direction';
    const what = character === undefined ? invisible : `the character ${character === '"' ? `'"'` : `"${character}"`}`;
    if (what !== false) report.warn([...path, field], `contains ${what}, which the platform may reject`);
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
    if (tasks.has(id)) report.warn(place, `${id} is listed twice`);
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
  checking.report.issue(path, 'a task must be an id such as `audiences:view`, or `{task_id: …}`');
  return undefined;
}

/** Checks ids against the live tasks or, if the live tasks are unknown, against the specification's list. */
function createTaskCheck(known: Known) {
  const { liveTasks, tolerateUnknown } = known;
  const offered = liveTasks ?? CATALOG_TASKS;
  // A task that the platform no longer offers is allowed if a live role has it.
  const holders = liveTasks ? [known.live] : remembered(known);
  const roles = holders.flatMap((manifest) => manifest?.roles ?? []);
  const held = new Set(roles.flatMap(({ tasks }) => tasks.map(({ task_id }) => task_id)));
  return (id: string) => {
    if (tolerateUnknown || id === CORE_TASK || held.has(id) || offered.has(id)) return undefined;
    const hint = didYouMean(id, offered, '');
    const task = id === id.trim() ? id : `"${id}"`;
    return liveTasks
      ? { message: `task ${task} does not exist on the platform${hint}`, stops: true }
      : { message: `task ${task} is not in the specification's list${hint}`, stops: false };
  };
}
