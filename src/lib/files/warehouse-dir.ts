// A folder of connections, data models and pipelines: one file each, a data model's SQL beside its own.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { usageError } from '../kernel/errors.ts';
import { stringifyJson } from '../kernel/json.ts';
import { type DocumentFormat, type LoadedDocument, loadDocument } from './load.ts';
import { type InputSource, resolvePath } from './read-input.ts';

export interface DirectoryFile {
  /** The folder that it stands in: `connections`, `data-models`, `pipelines`. */
  group: string;
  /** As the user would give it. */
  path: string;
  document: LoadedDocument;
}

/** Reads every `.yaml`, `.yml` and `.json` of the groups' folders, in the order of their names. */
export async function readWarehouseDir(
  dir: string,
  groups: readonly string[],
  source: InputSource,
): Promise<DirectoryFile[]> {
  const root = resolvePath(dir, source.cwd);
  if (!existsSync(root) || !statSync(root).isDirectory()) {
    throw usageError(`${dir} is no folder.`, `Make one: cdpadm warehouse export ${dir}`);
  }
  const files: DirectoryFile[] = [];
  for (const group of groups) {
    const folder = join(root, group);
    if (!existsSync(folder)) continue;
    const names = readdirSync(folder).filter((name) => /^[^.].*\.(?:ya?ml|json)$/i.test(name));
    for (const name of names.sort()) {
      const path = join(dir, group, name);
      files.push({ group, path, document: await loadDocument(path, source) });
    }
  }
  return files;
}

/** A definition as the text of a new file. */
export async function definitionText(value: Record<string, unknown>): Promise<string> {
  const [yaml, { blockText }] = await Promise.all([import('yaml'), import('./yaml-text.ts')]);
  return blockText(yaml, value);
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
