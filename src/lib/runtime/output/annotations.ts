// Issues in files as workflow commands, which continuous integration shows beside the code.
import type { Issue } from '../../kernel/errors.ts';
import { breakCommands } from '../../render/clean.ts';
import type { GlobalFlags, Io } from '../context.ts';

/** GitHub shows no more annotations of a level for one step. */
export const MOST_ANNOTATIONS = 10;

/** By `--annotations`; by itself where GitHub Actions runs us. */
export function wantsAnnotations({ annotations }: GlobalFlags, env: Io['env']): boolean {
  return annotations === 'github' || (annotations === 'auto' && env.GITHUB_ACTIONS === 'true');
}

/** Text for a log: where GitHub Actions runs us, nothing in it is a command (decision: D248). */
export function forLog(text: string, env: Io['env']): string {
  return env.GITHUB_ACTIONS === 'true' ? breakCommands(text) : text;
}

/** `::error file=roles.yaml,line=3,col=5::roles[0].name: is missing`, and a line feed. Nothing in it can end it early. */
export function annotation(level: 'error' | 'warning', { file, line, column, path, message }: Issue): string {
  const places = Object.entries({ file, line, col: column }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escapeData(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`],
  );
  return `::${level} ${places.join(',')}::${escapeData(path === '' ? message : `${path}: ${message}`)}\n`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
