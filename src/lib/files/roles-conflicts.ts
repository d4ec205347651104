// Conflict lines in a roles file: comments that show the platform's value above a field that both sides changed.
import { invalidInput } from '../kernel/errors.ts';
import { canonicalJson, isRecord } from '../kernel/json.ts';
import { counted } from '../kernel/words.ts';
import { type LoadedDocument, parseDocumentText } from './load.ts';
import type { ValuePath } from './reading.ts';

/** What the platform holds in a field of a role, in a task (`tasks.<task_id>.<field>`), or as the whole `role`. */
interface PlatformValue {
  role_id: string;
  field: string;
  theirs: unknown;
}

const MARK = '# CONFLICT platform: ';
const MARKED_LINE = /^([ \t]*)# CONFLICT platform:/;

/** The text of a YAML roles file with a line above each conflicting field. Undefined if a comment is not possible there. */
export async function markConflicts(text: string, conflicts: readonly PlatformValue[]): Promise<string | undefined> {
  const [yaml, { inlineText }, document] = await Promise.all([
    import('yaml'),
    import('./yaml-text.ts'),
    parseDocumentText('', text, 'yaml'),
  ]);
  const lines = text.split('\n');
  const lineEnd = lines[0]?.endsWith('\r') ? '\r' : '';
  const marks = conflicts.map((conflict) => {
    const { line } = document.locate(placeOf(document.value, conflict), 'key');
    const indent = /^[ \t]*/.exec(lines[line - 1] ?? '')?.[0] ?? '';
    const shown = conflict.theirs === null ? '(none)' : inlineText(yaml, conflict.theirs);
    return { line, text: `${indent}${MARK}${shown}${lineEnd}` };
  });
  for (const mark of marks.sort((a, b) => b.line - a.line)) lines.splice(mark.line - 1, 0, mark.text);
  const marked = lines.join('\n');
  // Inside a text of several lines, a comment would be part of the text.
  const { value } = await parseDocumentText('', marked, 'yaml');
  return canonicalJson(value) === canonicalJson(document.value) ? marked : undefined;
}

/** A role that the file does not have is marked above the list. */
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

/** Throws invalid input (9) with the place of every conflict line that is left in the file. */
export function requireNoConflicts({ name, format, text }: LoadedDocument): void {
  if (format === 'json') return;
  const issues = text.split('\n').flatMap((line, index) => {
    const indent = MARKED_LINE.exec(line)?.[1];
    if (indent === undefined) return [];
    const message = 'conflict line: choose a value for the field below, then delete this line';
    return [{ file: name, line: index + 1, column: indent.length + 1, path: '', message }];
  });
  if (issues.length === 0) return;
  throw invalidInput(`${name} has ${counted(issues.length, 'unresolved conflict')}. Nothing was sent.`, issues);
}
