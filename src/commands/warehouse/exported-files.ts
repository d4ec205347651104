// What an export writes for a resource: a new file, or the one that is there with what is different.
import { join } from 'node:path';
import type { infer as Infer } from 'zod/mini';
import { changedFields } from '../../lib/domain/field-changes.ts';
import {
  comparable,
  completed,
  type Definition,
  type ResourceType,
  SECRET_PATHS,
  valueAt,
  withValue,
} from '../../lib/domain/warehouse/definition.ts';
import { toYaml } from '../../lib/files/to-yaml.ts';
import { withChangedFields } from '../../lib/files/warehouse-dir.ts';
import { SQL_FILE } from '../../lib/files/warehouse-file.ts';
import { GROUPS } from '../../lib/domain/warehouse/resource-names.ts';
import type { DirectoryEntry } from './directory.ts';
import type { exportedFile } from './results.ts';
import { fail } from '../../lib/errors/fail.ts';

export type ExportedFile = Infer<ReturnType<typeof exportedFile>>;

/** A file to be written, and what it is for. */
export interface Writing extends ExportedFile {
  texts: { path: string; text: string }[];
}

/** A new file; an id that cannot be a file's name is refused, wherever it came from. */
export async function newFile(type: ResourceType, definition: Definition, dir: string): Promise<Writing> {
  const { id } = definition;
  if (!/^[A-Za-z0-9_-]+$/.test(id)) {
    throw fail('warehouse.id', {
      message: `The platform has a resource whose id cannot be the name of a file: ${id}`,
    });
  }
  const file = join(dir, GROUPS[type], `${id}.yaml`);
  let value = withReferences(type, definition);
  const texts: Writing['texts'] = [];
  const sql = valueAt(definition, ['config', 'sql_query']);
  if (type === 'data_model' && typeof sql === 'string') {
    texts.push({ path: join(dir, GROUPS[type], `${id}.sql`), text: sql.endsWith('\n') ? sql : `${sql}\n` });
    value = { ...value, config: { [SQL_FILE]: `${id}.sql` } };
  }
  texts.push({ path: file, text: await toYaml(value) });
  return { type, id, file, action: 'written', texts };
}

/** An existing file with what is different; its references stay. */
export async function updatedFile(entry: DirectoryEntry, live: Definition): Promise<Writing> {
  const { type, definition, file } = entry;
  const wanted = comparable(type, completed(type, definition, live));
  const { 'config.sql_query': query, ...changes } = changedFields(wanted, comparable(type, live));
  const base = { type, id: definition.id, file: file.path };
  const texts: Writing['texts'] = [];
  const sqlFile = valueAt(file.document.value, ['config', SQL_FILE]);
  if (query && typeof sqlFile === 'string') {
    texts.push({ path: join(entry.folder, sqlFile), text: `${String(query.to).trimEnd()}\n` });
  } else if (query) changes['config.sql_query'] = query;
  if (Object.keys(changes).length > 0) {
    const { text, format } = file.document;
    texts.push({ path: file.path, text: await withChangedFields(text, format, changes) });
  }
  return { ...base, action: texts.length > 0 ? 'updated' : 'unchanged', texts };
}

/** `env:WAREHOUSE_<ID>_<FIELD>` in place of each secret. */
function withReferences(type: ResourceType, definition: Definition): Definition {
  return SECRET_PATHS[type].reduce<Definition>((copy, path) => {
    if (valueAt(copy, path) === undefined) return copy;
    const name = `WAREHOUSE_${definition.id}_${path.at(-1) ?? ''}`.toUpperCase().replace(/[^A-Z0-9]/g, '_');
    return withValue(copy, path, `env:${name}`);
  }, definition);
}
