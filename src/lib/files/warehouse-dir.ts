// Reads a folder of connections, data models and pipelines: one file per resource, with SQL files next to data models.
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KnownError, usageError } from '../kernel/errors.ts';
import { stringifyJson } from '../kernel/json.ts';
import { type DocumentFormat, loadDocument, type LoadedDocument } from './load.ts';
import { type InputSource, readInput, resolvePath } from './read-input.ts';
import { isBelow, namesIn, realPath } from '../kernel/temporary-file.ts';
import { shellWord } from '../kernel/words.ts';

export interface DirectoryFile {
  /** Folder of the file: `connections`, `data-models` or `pipelines`. */
  group: string;
  /** Path for messages. It starts with the folder as the user named it. */
  path: string;
  document: LoadedDocument;
}

const OVERLAY = 'Pass a folder to --overlay.';

/** Reads every YAML and JSON file in the folders of `groups`, sorted. Throws usage (2) if `dir` is not a folder. */
export async function readWarehouseDir(dir: string, groups: readonly string[], source: InputSource, isOverlay = false) {
  const root = resolvePath(dir, source.io.cwd);
  if (!existsSync(root)) {
    const hint = { text: 'To create it:', command: `cdpadm warehouse export ${shellWord(dir)}` };
    throw usageError(`${dir} does not exist.`, isOverlay ? OVERLAY : hint);
  }
  if (!statSync(root).isDirectory())
    throw usageError(`${dir} is not a folder.`, isOverlay ? OVERLAY : 'Pass the definitions folder.');
  const files: DirectoryFile[] = [];
  for (const group of groups) {
    const names = namesIn(join(root, group)).filter((name) => /^[^.].*\.(?:ya?ml|json)$/i.test(name));
    for (const name of names.sort()) {
      const path = join(dir, group, name);
      files.push({ group, path, document: await loadDocument(path, source) });
    }
  }
  return files;
}

/** Sets values at dotted paths in a text; null removes a field. In YAML, keeps comments and order. Keeps CRLF. */
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
  const changed =
    format === 'json'
      ? `${stringifyJson(document.toJS(), 2)}\n`
      : document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return text.includes('\r\n') ? changed.replaceAll('\n', '\r\n') : changed;
}

/** Instead of `config.sql_query`, a file may contain `config.sql_file`: a path relative to the file itself. */
export const SQL_FILE = 'sql_file';

/** Returns the folder that paths in a definition are relative to. */
export function folderOf(path: string, cwd: string): string {
  return path === '-' ? cwd : dirname(resolvePath(path, cwd));
}

/** Replaces `config.sql_file` with that file's text. Returns problems as issues. */
export async function withSqlText(value: Record<string, unknown>, folder: string, source: InputSource) {
  const config = value['config'];
  if (typeof config !== 'object' || config === null || !Object.hasOwn(config, SQL_FILE)) return { value, issues: [] };
  const { [SQL_FILE]: path, ...rest } = config as Record<string, unknown>;
  // In an overlay, null removes the query that the definitions folder sets.
  if (path === null) return { value: { ...value, config: { sql_query: null, ...rest } }, issues: [] };
  const failed = (message: string) => ({ value, issues: [{ path: ['config', SQL_FILE], message }] });
  if (typeof path !== 'string' || path.trim() === '') return failed('must be a path');
  if (Object.hasOwn(rest, 'sql_query')) return failed('conflicts with sql_query; set only one of them');
  const full = realPath(resolvePath(path, folder));
  // A definition from a repository must not show or send other files of this machine (decision: D221).
  if (!isBelow(full, realPath(folder)) && !/\.sql$/i.test(full))
    return failed(`${path} leads outside this file's folder, where only .sql files can be read`);
  try {
    const { text } = await readInput(resolvePath(path, folder), source);
    return { value: { ...value, config: { ...rest, sql_query: text } }, issues: [] };
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    return failed(error.message.replace(/\.$/, ''));
  }
}
