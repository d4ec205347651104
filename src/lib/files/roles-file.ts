// The roles manifest as a file: written in a stable order, brought up to date without losing comments or order.
import type { Document, Node, YAMLMap, YAMLSeq } from 'yaml';
import type { ManifestReply, RoleReply, TaskRef } from '../contract/roles.ts';
import { CORE_TASK } from '../contract/roles.ts';
import { canonicalJson, parseJson, stringifyJson } from '../kernel/json.ts';
import type { DocumentFormat } from './load.ts';

/** Where editors find the JSON Schema, relative to the roles file. */
export const SCHEMA_HINT = '.cdpadm/roles.schema.json';

/** The text of a new file. `headline` is a comment for people (YAML only). */
export async function writeManifestText(
  manifest: ManifestReply,
  format: DocumentFormat,
  headline: string,
): Promise<string> {
  if (format === 'json') return `${stringifyJson({ $schema: SCHEMA_HINT, ...stampsFirst(manifest) }, 2)}\n`;
  const { Document: YamlDocument, Scalar } = await import('yaml');
  const document = new YamlDocument({ ...stampsFirst(manifest), roles: manifest.roles.map(shortTasks) });
  const stamp = document.get('last_modified_on', true);
  // YAML 1.1 readers take this text for a date.
  if (stamp instanceof Scalar) stamp.type = 'QUOTE_DOUBLE';
  return `# yaml-language-server: $schema=${SCHEMA_HINT}\n# ${headline}\n${document.toString(YAML_STYLE)}`;
}

/**
 * The same text brought up to date: changed fields are replaced, tasks added and removed, roles appended or taken
 * out; comments, order and everything else stay. Returns the text unchanged when it already says the same.
 */
export async function updateManifestText(
  text: string,
  format: DocumentFormat,
  manifest: ManifestReply,
): Promise<string> {
  if (format === 'json') return updateJson(text, manifest);
  const yaml = await import('yaml');
  const document = yaml.parseDocument(text, { intAsBigInt: true });
  const rolesChanged = updateYamlRoles(document, manifest, yaml);
  if (!rolesChanged) return replaceStamps(text, document, manifest);
  for (const key of ['last_modified_on', 'last_modified_by'] as const) setScalar(document, key, manifest[key]);
  return document.toString(YAML_STYLE);
}

const YAML_STYLE = { lineWidth: 0, flowCollectionPadding: false } as const;

function stampsFirst(manifest: ManifestReply): Record<string, unknown> {
  const { roles, last_modified_on, last_modified_by, ...extra } = manifest;
  return { last_modified_on, last_modified_by, ...extra, roles };
}

function shortTasks(role: RoleReply): Record<string, unknown> {
  return { ...role, tasks: role.tasks.map(shortTask) };
}

/** `{task_id: x}` as `x`; with further fields it stays a map. */
function shortTask(task: TaskRef): unknown {
  return Object.keys(task).length === 1 ? task.task_id : task;
}

/** Cuts new stamps into the text itself, so that not one other byte moves. */
function replaceStamps(text: string, document: Document.Parsed, manifest: ManifestReply): string {
  let result = text;
  const cuts = (['last_modified_on', 'last_modified_by'] as const).flatMap((key) => {
    const node = document.get(key, true) as Node | undefined;
    const value = manifest[key] ?? null;
    const range = node?.range;
    if (!range || document.get(key) === value) return [];
    return [{ from: range[0], to: range[1], value: JSON.stringify(value) }];
  });
  for (const cut of cuts.sort((a, b) => b.from - a.from)) {
    result = `${result.slice(0, cut.from)}${cut.value}${result.slice(cut.to)}`;
  }
  return result;
}

type Yaml = typeof import('yaml');

function updateYamlRoles(document: Document.Parsed, manifest: ManifestReply, yaml: Yaml): boolean {
  const list = document.get('roles', true);
  if (!yaml.isSeq(list)) return false;
  const items = (list as YAMLSeq<YAMLMap>).items;
  const wanted = new Map(manifest.roles.map((role) => [role.role_id, role]));
  let changed = false;
  const kept = items.filter((item) => yaml.isMap(item) && wanted.has(String(item.get('role_id'))));
  if (kept.length !== items.length) {
    (list as YAMLSeq<YAMLMap>).items = kept;
    changed = true;
  }
  for (const item of kept) {
    const id = String(item.get('role_id'));
    const role = wanted.get(id);
    wanted.delete(id);
    if (role && updateYamlRole(document, item, role, yaml)) changed = true;
  }
  for (const role of wanted.values()) {
    list.add(document.createNode(shortTasks(role)));
    changed = true;
  }
  return changed;
}

function updateYamlRole(document: Document.Parsed, item: YAMLMap, role: RoleReply, yaml: Yaml): boolean {
  let changed = false;
  for (const [key, value] of Object.entries(role)) {
    if (key === 'tasks') continue;
    const node = item.get(key, true) as Node | undefined;
    if (canonicalJson(node?.toJS(document) ?? null) === canonicalJson(value ?? null)) continue;
    item.set(key, value);
    changed = true;
  }
  for (const pair of [...item.items]) {
    const key = String(pair.key);
    if (key in role) continue;
    item.delete(pair.key);
    changed = true;
  }
  const tasks = item.get('tasks', true);
  if (!yaml.isSeq(tasks)) return changed;
  return updateYamlTasks(document, tasks as YAMLSeq, role.tasks, yaml) || changed;
}

function updateYamlTasks(document: Document.Parsed, list: YAMLSeq, tasks: readonly TaskRef[], yaml: Yaml): boolean {
  const missing = new Map(tasks.map((task) => [task.task_id, task]));
  const before = list.items.length;
  list.items = list.items.filter((node) => {
    const id = yaml.isScalar(node) ? node.value : yaml.isMap(node) ? node.get('task_id') : undefined;
    return missing.delete(String(id));
  });
  missing.delete(CORE_TASK); // The platform adds it to every role; a file need not say so.
  const asMaps = list.items.some((node) => yaml.isMap(node));
  for (const task of missing.values()) list.add(document.createNode(asMaps ? task : shortTask(task)));
  return list.items.length !== before || missing.size > 0;
}

function setScalar(document: Document.Parsed, key: string, value: string | null | undefined): void {
  if (document.has(key) && document.get(key) !== (value ?? null)) document.set(key, value ?? null);
}

function updateJson(text: string, manifest: ManifestReply): string {
  const value = parseJson(text) as Record<string, unknown> & { roles: Record<string, unknown>[] };
  const before = canonicalJson(value);
  const wanted = new Map(manifest.roles.map((role) => [role.role_id, role]));
  const roles = value.roles.flatMap((item) => {
    const role = wanted.get(String(item['role_id']));
    wanted.delete(String(item['role_id']));
    return role ? [inOrderOf(item, role)] : [];
  });
  for (const key of ['last_modified_on', 'last_modified_by'] as const)
    if (key in value) value[key] = manifest[key] ?? null;
  value.roles = [...roles, ...wanted.values()];
  if (canonicalJson(value) === before) return text;
  const indent = /^[{[]\r?\n( +|\t)/.exec(text)?.[1];
  return `${stringifyJson(value, indent === undefined ? 2 : indent.length)}\n`;
}

/** The role with its keys and tasks in the order, and its tasks in the form, that the file already has. */
function inOrderOf(item: Record<string, unknown>, role: RoleReply): Record<string, unknown> {
  const left = new Map(role.tasks.map((task) => [task.task_id, task]));
  const listed = Array.isArray(item['tasks']) ? (item['tasks'] as unknown[]) : [];
  const bare = listed.some((task) => typeof task === 'string');
  const kept = listed.flatMap((task) => {
    const id = typeof task === 'string' ? task : (task as TaskRef).task_id;
    return left.delete(id) ? [task] : [];
  });
  left.delete(CORE_TASK);
  const tasks = [...kept, ...[...left.values()].map((task) => (bare ? shortTask(task) : task))];
  const ordered = Object.keys(item).filter((key) => key in role);
  return { ...Object.fromEntries(ordered.map((key) => [key, role[key]])), ...role, tasks };
}
