// Writes the roles manifest to a file in a stable order, and updates the file without losing comments or order.
import type { ManifestReply } from '../contract/roles.ts';
import { stringifyJson, canonicalJson, isRecord } from '../kernel/json.ts';
import { type DocumentFormat, type LoadedDocument, parseDocumentText } from './load.ts';
import { shortRole, updateJson } from './roles-edits.ts';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { writeUserFile } from '../kernel/durable.ts';
import { invalidInput } from '../kernel/errors.ts';
import { counted } from '../kernel/words.ts';
import { type InputSource, resolvePath } from './read-input.ts';
import type { ValuePath } from '../kernel/reading.ts';

/** Path of the JSON Schema for editors, relative to the roles file. */
export const SCHEMA_HINT = '.cdpadm/roles.schema.json';

/** Returns the text of a new file. In YAML, `headline` is a comment below the schema hint for editors. */
export async function writeManifestText(manifest: ManifestReply, format: DocumentFormat, headline: string) {
  if (format === 'json') return `${stringifyJson({ $schema: SCHEMA_HINT, ...inOrder(manifest) }, 2)}\n`;
  return `# yaml-language-server: $schema=${SCHEMA_HINT}\n${await writeLooseManifestText(manifest, headline)}`;
}

export async function writeLooseManifestText(manifest: ManifestReply, headline: string): Promise<string> {
  return `# ${headline}\n${await yamlText(manifest)}`;
}

/** Returns the text, updated to match `manifest`; undefined for YAML that cannot be edited in place. */
export async function updateManifestText(text: string, format: DocumentFormat, manifest: ManifestReply) {
  if (format === 'json') return updateJson(text, manifest);
  const { updateYaml } = await import('./roles-yaml.ts');
  return updateYaml(text, manifest);
}

/** Returns the manifest as YAML, below the comment at the start of `text`. */
export async function rewriteManifestText(text: string, manifest: ManifestReply): Promise<string> {
  const head = /^(?:[ \t]*(?:#.*)?\r?\n)*/.exec(text)?.[0] ?? '';
  return `${head}${await yamlText(manifest)}`;
}

async function yamlText(manifest: ManifestReply): Promise<string> {
  const { toYaml } = await import('./yaml-text.ts');
  const { roles, ...fields } = inOrder(manifest);
  return toYaml({ ...fields, roles: roles.map(shortRole) });
}

function inOrder({ roles, last_modified_on, last_modified_by, ...extra }: ManifestReply): ManifestReply {
  return { last_modified_on, last_modified_by, ...extra, roles };
}

/** Returns a roles file's real path, which identifies its base; undefined for standard input, a pipe or a device. */
export function realFile(path: string, { io: { cwd } }: InputSource): string | undefined {
  if (path === '-') return undefined;
  const full = resolvePath(path, cwd);
  try {
    const status = statSync(full, { throwIfNoEntry: false });
    if (!status) return full;
    return status.isFile() ? realpathSync(full) : undefined;
  } catch {
    // An open file that was already removed, such as a here-document, has no path.
    return undefined;
  }
}

const BYTE_ORDER_MARK = '\ufeff';

/** Writes `updated` if the file still contains `read`, but never to a pipe or device. Keeps a byte order mark. */
export function writeBack(path: string, read: string, updated: string): 'written' | 'changed' | 'stream' {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status && !status.isFile()) return 'stream';
  const text = status && readFileSync(path, 'utf8');
  const mark = text?.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  if (text !== mark + read) return 'changed';
  writeUserFile(path, mark + updated);
  return 'written';
}

/** The platform's value for a role field, for a task (`tasks.<task_id>.<field>`), or for the whole `role`. */
interface PlatformValue {
  role_id: string;
  field: string;
  theirs: unknown;
}

const MARK = '# CONFLICT platform: ';

/** Returns a YAML roles file's text with a comment above each conflict; undefined if a comment is not possible. */
export async function markConflicts(text: string, conflicts: readonly PlatformValue[]): Promise<string | undefined> {
  const { inlineText } = await import('./yaml-text.ts');
  const document = await parseDocumentText('', text, 'yaml');
  const lines = text.split('\n');
  const lineEnd = lines[0]?.endsWith('\r') ? '\r' : '';
  const marks = conflicts.map((conflict) => {
    const { line } = document.locate(placeOf(document.value, conflict), 'key');
    const indent = /^[ \t]*/.exec(lines[line - 1] ?? '')?.[0] ?? '';
    const shown = conflict.theirs === null ? '(none)' : inlineText(conflict.theirs);
    return { line, text: `${indent}${MARK}${shown}${lineEnd}` };
  });
  for (const mark of marks.sort((a, b) => b.line - a.line)) lines.splice(mark.line - 1, 0, mark.text);
  const marked = lines.join('\n');
  // Inside a multi-line string, a comment would become part of the string.
  const { value } = await parseDocumentText('', marked, 'yaml');
  return canonicalJson(value) === canonicalJson(document.value) ? marked : undefined;
}

/** If the role is not in the file, the comment goes above `roles`. */
function placeOf(file: unknown, { role_id, field }: PlatformValue): ValuePath {
  const roles = (file as { roles: { role_id: string; tasks: unknown[] }[] }).roles;
  const index = roles.findIndex((role) => role.role_id === role_id);
  if (index < 0) return ['roles'];
  if (field === 'role') return ['roles', index];
  const task = roles[index]?.tasks.findIndex((item) => {
    return isRecord(item) && field.startsWith(`tasks.${String(item['task_id'])}.`);
  });
  return task === undefined || task < 0 ? ['roles', index, field] : ['roles', index, 'tasks', task];
}

/** Throws invalid input (9) with the position of each conflict comment that is still in the file. */
export function requireNoConflicts({ name, format, text }: LoadedDocument): void {
  if (format === 'json') return;
  const issues = text.split('\n').flatMap((line, index) => {
    const indent = /^([ \t]*)# CONFLICT platform:/.exec(line)?.[1];
    if (indent === undefined) return [];
    const message = 'choose between the value in the file and the one in this line, then delete this line';
    return [{ file: name, line: index + 1, column: indent.length + 1, path: '', message }];
  });
  if (issues.length === 0) return;
  throw invalidInput(`${name} has ${counted(issues.length, 'unresolved conflict')}. Nothing was sent.`, issues);
}
