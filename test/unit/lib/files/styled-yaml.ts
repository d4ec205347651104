// Writes a manifest in various YAML styles: comments, indentation, quotes, brackets and line breaks.
import fc from 'fast-check';
import type { ManifestReply, RoleReply, TaskRef } from '../../../../src/lib/contract/roles.ts';
import { UNPRINTABLE } from '../../../../src/lib/kernel/reading.ts';
import { stringifyJson } from '../../../../src/lib/kernel/json.ts';
import { anyReply } from '../../../helpers/any-roles.ts';

export interface YamlStyle {
  /** Number of spaces before a role's dash. A task has `taskIndent` more. */
  roleIndent: number;
  taskIndent: number;
  tasks: 'dashes' | 'brackets' | 'padded brackets' | 'lines in brackets' | 'maps' | 'flow maps';
  dashAlone: boolean;
  blankLines: boolean;
  comments: boolean;
  lineEnd: '\n' | '\r\n';
  endsOpen: boolean;
}

export const anyStyle: fc.Arbitrary<YamlStyle> = fc.record({
  roleIndent: fc.constantFrom(0, 2, 4),
  taskIndent: fc.constantFrom(0, 2, 4),
  tasks: fc.constantFrom('dashes', 'brackets', 'padded brackets', 'lines in brackets', 'maps', 'flow maps'),
  dashAlone: fc.boolean(),
  blankLines: fc.boolean(),
  comments: fc.boolean(),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  endsOpen: fc.boolean(),
});

/** Writes every scalar as JSON, which is also valid YAML, and numbers the comments. */
export function writeStyled(manifest: ManifestReply, style: YamlStyle): string {
  const { roles, ...fields } = manifest;
  const lines: string[] = [];
  let number = 0;
  const comment = (indent: string): void => {
    if (style.comments) lines.push(`${indent}# comment ${number++}`);
  };
  const trail = (): string => (style.comments ? `  # comment ${number++}` : '');
  comment('');
  for (const [key, value] of Object.entries(fields)) lines.push(`${key}:   ${stringifyJson(value)}${trail()}`);
  const dash = ' '.repeat(style.roleIndent);
  lines.push(roles.length === 0 ? `roles: []${trail()}` : `roles:${trail()}`);
  for (const role of roles) {
    if (style.blankLines) lines.push('');
    comment(dash);
    writeRole(role);
  }
  comment('');
  return lines.join(style.lineEnd) + (style.endsOpen ? '' : style.lineEnd);

  function writeRole({ tasks, ...texts }: RoleReply): void {
    const inner = `${dash}  `;
    const [first, ...rest] = Object.entries(texts).map(([key, value]) => `${key}: ${stringifyJson(value)}`);
    if (style.dashAlone) lines.push(`${dash}-${trail()}`, `${inner}${first}`);
    else lines.push(`${dash}- ${first}${trail()}`);
    for (const line of rest) {
      lines.push(`${inner}${line}${trail()}`);
      comment(inner);
    }
    lines.push(...writeTasks(tasks, inner));
    comment(inner);
  }

  function writeTasks(tasks: readonly TaskRef[], indent: string): string[] {
    const flow = tasks.map((task) => (Object.keys(task).length > 1 ? stringifyJson(task) : task.task_id));
    if (tasks.length === 0) return [`${indent}tasks: []${trail()}`];
    if (style.tasks === 'brackets') return [`${indent}tasks: [${flow.join(', ')}]${trail()}`];
    if (style.tasks === 'padded brackets') return [`${indent}tasks: [ ${flow.join(', ')} ]${trail()}`];
    if (style.tasks === 'lines in brackets') {
      return [`${indent}tasks: [`, ...flow.map((item) => `${indent}    ${item},${trail()}`), `${indent}  ]`];
    }
    const pad = indent + ' '.repeat(style.taskIndent);
    return [
      `${indent}tasks:${trail()}`,
      ...tasks.flatMap((task, index) => [`${pad}- ${writeTask(task, flow[index] ?? '', pad)}${trail()}`]),
    ];
  }

  function writeTask(task: TaskRef, flow: string, pad: string): string {
    if (style.tasks === 'flow maps') return stringifyJson(task);
    if (style.tasks === 'dashes') return flow;
    return Object.entries(task)
      .map(([key, value]) => `${key}: ${stringifyJson(value)}`)
      .join(`${style.lineEnd}${pad}  `);
  }
}

/** Arbitrary manifests with a style and the resulting text, without characters that YAML must escape. */
export const anyStyledManifest = fc
  .record({ manifest: anyReply, style: anyStyle })
  .map(({ manifest, style }) => ({ manifest, style, text: writeStyled(manifest, style) }))
  .filter(({ text }) => !UNPRINTABLE.test(text));
