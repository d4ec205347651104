// A resource's definition as a file, with a data model's SQL beside it when the file says so.
import { dirname } from 'node:path';
import type { FieldIssue } from '../contract/explain.ts';
import { KnownError } from '../kernel/errors.ts';
import { type InputSource, readInput, resolvePath } from './read-input.ts';

/** In a file, `config.sql_file` may stand in place of `config.sql_query`: a path, relative to the file. */
export const SQL_FILE = 'sql_file';

/** The folder that relative paths inside of a definition start from. */
export function folderOf(path: string, cwd: string): string {
  return path === '-' ? cwd : dirname(resolvePath(path, cwd));
}

/** The value with `config.sql_file` replaced by the text it names; what is wrong with that comes as issues. */
export async function withSqlText(
  value: Record<string, unknown>,
  folder: string,
  source: InputSource,
): Promise<{ value: Record<string, unknown>; issues: FieldIssue[] }> {
  const config = value['config'];
  if (typeof config !== 'object' || config === null || !Object.hasOwn(config, SQL_FILE)) return { value, issues: [] };
  const { [SQL_FILE]: path, ...rest } = config as Record<string, unknown>;
  const at = ['config', SQL_FILE];
  if (typeof path !== 'string' || path.trim() === '')
    return { value, issues: [{ path: at, message: 'must be a path' }] };
  if (Object.hasOwn(rest, 'sql_query')) {
    return { value, issues: [{ path: at, message: 'stands beside sql_query; one of the two is enough' }] };
  }
  try {
    const { text } = await readInput(resolvePath(path, folder), source);
    return { value: { ...value, config: { ...rest, sql_query: text } }, issues: [] };
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    return { value, issues: [{ path: at, message: error.message.replace(/\.$/, '') }] };
  }
}
