// Writes workflow commands of GitHub Actions (annotations, masks), and disarms workflow commands in external text.
import { randomUUID } from 'node:crypto';
import type { Issue } from '../../kernel/errors.ts';
import { MIN_SECRET_LENGTH } from '../../kernel/redact.ts';
import { breakCommands } from '../../render/clean.ts';
import type { GlobalFlags, Io, TextSink } from '../context.ts';

/** Maximum number of annotations of each level that GitHub shows per step. */
export const MOST_ANNOTATIONS = 10;

export function wantsAnnotations({ annotations }: GlobalFlags, env: Io['env']): boolean {
  return annotations === 'github' || (annotations === 'auto' && isGitHub(env));
}

export function isGitHub(env: Io['env']): boolean {
  return env.GITHUB_ACTIONS === 'true';
}

/** Returns text for standard error. On GitHub Actions, disables the workflow commands in it (decision: D248). */
export function forLog(text: string, env: Io['env']): string {
  return isGitHub(env) ? breakCommands(text) : text;
}

/** Returns the result. If it contains workflow commands, puts it in a fence that disables them (decision: D248). */
export function fenced(text: string, { env, stdout }: { env: Io['env']; stdout: TextSink }): string {
  if (stdout.isFile === true || forLog(text, env) === text) return text;
  const token = randomUUID();
  return `::stop-commands::${token}\n${text}${text.endsWith('\n') ? '' : '\n'}::${token}::\n`;
}

/** Returns an `::add-mask::` command for each line that is not short: masking short lines would hide too much. */
export function maskCommands(secret: string): string {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  return lines
    .flatMap((line) => (line.length < MIN_SECRET_LENGTH ? [] : [`::add-mask::${escapeData(line)}\n`]))
    .join('');
}

/** Returns an escaped line such as `::error file=roles.yaml,line=3,col=5::roles[0].name: is missing`. */
export function annotation(level: 'error' | 'warning', { file, line, column, path, message }: Issue): string {
  const places = Object.entries({ file, line, col: column }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escapeData(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`],
  );
  return `::${level} ${places.join(',')}::${escapeData(path === '' ? message : `${path}: ${message}`)}\n`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
