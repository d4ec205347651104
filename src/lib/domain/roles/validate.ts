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
type Fields = Record<string, unknown>;

/** Fields of a manifest file. `$schema` is for editors and is never sent. */
const TOP_FIELDS = ['roles', 'last_modified_on', 'last_modified_by', '$schema'];
const ROLE_FIELDS = ['role_id', 'name', 'description', 'tasks'];
const DIRECTION_CONTROL = /\p{Bidi_Control}/u;

export type CheckedManifest = ReturnType<typeof checkManifest>;

/**
 * Reads and checks the value of a roles file. Tasks may be bare ids. The manifest is valid only if there are no issues.
 * Warnings do not prevent it from being sent.
 */
export function checkManifest(value: unknown, known: Known) {
  const manifest: Manifest = { roles: [], last_modified_on: null, last_modified_by: null, extra: {} };
  const issues: FieldIssue[] = [];
  const warnings: FieldIssue[] = [];
  const issue = (path: Path, message: string, at?: 'key') => issues.push({ path, message, ...(at && { at }) });
  const warn = (path: Path, message: string) => warnings.push({ path, message });
  const remembered = [known.live, known.base].filter((one) => one !== undefined);
  const checkTask = createTaskCheck(known, remembered);

  if (isRecord(value)) {
    checkTop(value);
    if (Array.isArray(value['roles'])) checkRoles(value['roles']);
    else {
      const place = 'roles' in value ? ['roles'] : [];
      issue(place, '`roles` must be a list of roles (an empty list is written `roles: []`)');
    }
  } else issue([], 'a roles file must be a map with a `roles` list');
  return { manifest, issues, warnings };

  function checkTop(top: Fields): void {
    const seen = remembered.map(({ extra }) => extra);
    checkFields(top, TOP_FIELDS, seen, []);
    for (const key of Object.keys(top)) {
      if (TOP_FIELDS.includes(key)) continue;
      manifest.extra[key] = top[key];
      const isEdited = seen.every((extra) => canonicalJson(extra[key]) !== canonicalJson(top[key]));
      if (known.live && isEdited) warn([key], `\`${key}\` belongs to the platform: this value is not sent`);
    }
    for (const key of ['last_modified_on', 'last_modified_by'] as const) {
      const stamp = top[key];
      if (typeof stamp === 'string') manifest[key] = stamp;
      else if (stamp !== undefined && stamp !== null) issue([key], `\`${key}\` must be text; put it in quotes`);
    }
  }

  /** Reports fields, also in nested maps, that are not in `allowed` and were not returned by the platform (`seen`). */
  function checkFields(found: Fields, allowed: readonly string[], seen: readonly Fields[], path: Path): void {
    if (known.tolerateUnknown || known.fieldsOfPlatform) return;
    for (const [key, item] of Object.entries(found)) {
      if (allowed.includes(key)) continue;
      const holders = seen.filter((one) => Object.hasOwn(one, key));
      if (holders.length === 0) {
        const hint = didYouMean(key, [...allowed, ...seen.flatMap(Object.keys)]);
        issue([...path, key], `unknown field \`${key}\`${hint}`, 'key');
      } else if (isRecord(item)) {
        const inside = holders.map((one) => one[key]).filter(isRecord);
        checkFields(item, [], inside, [...path, key]);
      }
    }
  }

  function checkRoles(items: readonly unknown[]): void {
    const limit = largest(
      remembered.map(({ roles }) => roles.length),
      ROLE_LIMITS.rolesPerOrganization,
    );
    if (items.length > limit && !known.tolerateUnknown)
      issue(['roles', limit], `${items.length} roles; an organization can have at most ${limit}`);
    for (const [index, item] of items.entries()) {
      const role = checkRole(item, ['roles', index]);
      if (role) manifest.roles.push(role);
    }
    checkUnique('role_id', items, () => false);
    // Two roles may share a name if the platform itself returned them that way.
    const isHeldTwice = (name: string): boolean =>
      remembered.some(({ roles }) => roles.filter((role) => role.name === name).length > 1);
    checkUnique('name', items, isHeldTwice);
  }

  function checkUnique(
    field: 'role_id' | 'name',
    items: readonly unknown[],
    isTolerated: (text: string) => boolean,
  ): void {
    const owners = new Map(known.others?.map((role) => [role[field], role.role_id]));
    for (const [index, item] of items.entries()) {
      const text = isRecord(item) ? item[field] : undefined;
      if (typeof text !== 'string') continue;
      const owner = owners.get(text);
      if (owner === undefined) owners.set(text, `roles[${index}]`);
      else {
        const report = isTolerated(text) ? warn : issue;
        report(['roles', index, field], `\`${text}\` is already taken by ${owner}`);
      }
    }
  }

  /** Returns the role as it will be sent, with tasks as maps; undefined if the value is not a map. */
  function checkRole(item: unknown, path: Path): Role | undefined {
    if (!isRecord(item)) {
      issue(path, 'a role must be a map with role_id, name, description and tasks');
      return undefined;
    }
    const seen = remembered.flatMap(({ roles }) => roles.filter((role) => role.role_id === item['role_id']));
    checkFields(item, ROLE_FIELDS, seen.map(extraFields), path);
    const role = { ...item, tasks: checkTasks(item['tasks'], [...path, 'tasks'], seen) } as Role;
    checkTexts(item, role, path, seen);
    return role;
  }

  function checkTexts(item: Fields, role: Role, path: Path, seen: readonly Role[]): void {
    // A value that the platform itself returned, such as a null description, may be sent back unchanged.
    const isReturned = (field: string): boolean => seen.some((one) => (one[field] ?? null) === (item[field] ?? null));
    // Tasks are omitted, because `checkTasks` has already checked them.
    for (const { path: inner, message } of explain(RoleSchema, { ...role, tasks: [] })) {
      const field = String(inner[0]);
      if (isReturned(field)) continue;
      if (known.tolerateUnknown && (item[field] === null || item[field] === '') && field !== 'role_id') continue;
      if (Object.hasOwn(item, field)) issue([...path, ...inner], message);
      else issue(path, `${field} ${message}`);
    }
    for (const field of ['role_id', 'name'] as const) {
      const text = item[field];
      if (typeof text !== 'string' || isReturned(field)) continue;
      const [character] = RESTRICTED_CHARACTERS.exec(text) ?? [];
      const invisible = DIRECTION_CONTROL.test(text) && 'an invisible character that changes the text direction';
      const what =
        character === undefined ? invisible : `the character ${character === '"' ? `'"'` : `"${character}"`}`;
      if (what !== false) warn([...path, field], `contains ${what}, which the platform may reject`);
    }
  }

  function checkTasks(list: unknown, path: Path, seen: readonly Role[]): TaskRef[] {
    if (!Array.isArray(list)) {
      const place = list === undefined ? path.slice(0, -1) : path;
      issue(place, '`tasks` must be a list of task ids (an empty one is `tasks: []`)');
      return [];
    }
    const tasks = new Map<string, TaskRef>();
    const ids: (string | undefined)[] = [];
    for (const [index, item] of (list as unknown[]).entries()) {
      const place = [...path, index];
      const task = readTask(item, place, seen);
      const id = task?.task_id;
      ids.push(id);
      if (!task || id === undefined) continue;
      if (tasks.has(id)) warn(place, `${id} is listed twice`);
      else tasks.set(id, task);
      const fault = checkTask(id);
      if (fault) (fault.stops ? issue : warn)(place, fault.message);
    }
    for (const [index, id] of ids.entries()) {
      if (id === undefined) continue;
      const all = `${id.split(':', 1)[0] ?? ''}:*`;
      const isRedundant = id !== all && id !== CORE_TASK && tasks.has(all);
      if (isRedundant) warn([...path, index], `${id} is redundant: ${all} includes it`);
    }
    return [...tasks.values()];
  }

  function readTask(item: unknown, path: Path, seen: readonly Role[]): TaskRef | undefined {
    if (typeof item === 'string') {
      if (item !== '') return { task_id: item };
    } else if (isRecord(item) && typeof item['task_id'] === 'string' && item['task_id'] !== '') {
      const id = item['task_id'];
      const held = seen.flatMap((role) => role.tasks.filter((task) => task.task_id === id));
      checkFields(item, ['task_id'], held, path);
      return item as TaskRef;
    }
    issue(path, 'a task must be an id such as `audiences:view`, or `{task_id: …}`');
    return undefined;
  }
}

/**
 * Returns a function that checks an id against the live tasks or, if these are unknown, against the specification's
 * list. It returns the problem, if any; `stops` is false for a warning.
 */
function createTaskCheck({ live, liveTasks, tolerateUnknown }: Known, remembered: readonly Manifest[]) {
  const offered = liveTasks ?? CATALOG_TASKS;
  // A task that the platform no longer offers is allowed if a live role has it.
  const holders = liveTasks ? [live] : remembered;
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
