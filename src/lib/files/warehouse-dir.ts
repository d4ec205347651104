// A folder of connections, data models and pipelines: one file each, a data model's SQL beside its own.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KnownError, usageError } from '../kernel/errors.ts';
import { cannotRead } from '../kernel/file-failure.ts';
import { stringifyJson } from '../kernel/json.ts';
import { type DocumentFormat, loadDocument, type LoadedDocument } from './load.ts';
import { type InputSource, readInput, resolvePath } from './read-input.ts';
import type { FieldIssue } from '../contract/explain.ts';

export interface DirectoryFile {
  /** The folder that it stands in: `connections`, `data-models`, `pipelines`. */
  group: string;
  /** As the user would give it. */
  path: string;
  document: LoadedDocument;
}

/**
 * Reads every `.yaml`, `.yml` and `.json` of the groups' folders, in the order of their names. Throws KnownError: usage (2)
 * when `dir` is no folder, 1 for a folder in it that cannot be read, and as `loadDocument` does.
 */
export async function readWarehouseDir(
  dir: string,
  groups: readonly string[],
  source: InputSource,
): Promise<DirectoryFile[]> {
  const root = resolvePath(dir, source.io.cwd);
  if (!existsSync(root) || !statSync(root).isDirectory()) {
    throw usageError(`${dir} is no folder.`, { text: 'Make one:', command: `cdpadm warehouse export ${dir}` });
  }
  const files: DirectoryFile[] = [];
  for (const group of groups) {
    for (const name of definitionFiles(join(root, group))) {
      const path = join(dir, group, name);
      files.push({ group, path, document: await loadDocument(path, source) });
    }
  }
  return files;
}

/** The names of the definitions in a folder, sorted; none where there is no such folder. */
function definitionFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder)
      .filter((name) => /^[^.].*\.(?:ya?ml|json)$/i.test(name))
      .sort();
  } catch (error) {
    throw cannotRead(folder, error);
  }
}

/**
 * The text of a file with other values at these dotted paths (null takes the field out). In YAML comments and the order
 * of fields stay.
 */
export async function withChangedFields(
  text: string,
  format: DocumentFormat,
  changes: Readonly<Record<string, { to: unknown }>>,
): Promise<string> {
  const yaml = await import('yaml');
  const document = yaml.parseDocument(text, { schema: 'core', intAsBigInt: true });
  for (const [path, { to }] of Object.entries(changes)) {
    const keys = path.split('.');
    if (to === null) document.deleteIn(keys);
    else document.setIn(keys, to);
  }
  if (format === 'json') return `${stringifyJson(document.toJS(), 2)}\n`;
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

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
