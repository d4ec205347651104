// `warehouse export`: connections, data models and pipelines as files, secrets as references.
import { exitOf } from '../../lib/errors/exit.ts';
import { join } from 'node:path';
import { array, type infer as Infer } from 'zod/mini';
import {
  comparable,
  completed,
  type Definition,
  GROUPS,
  RESOURCE_TYPES,
  type ResourceType,
  SECRET_PATHS,
  toDefinition,
  valueAt,
  withValue,
} from '../../lib/domain/warehouse/definition.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import { readWarehouseDir, SQL_FILE, withChangedFields } from '../../lib/files/warehouse-dir.ts';
import { writeUserFile } from '../../lib/kernel/durable.ts';
import { KnownError, systemErrorCode } from '../../lib/kernel/errors.ts';
import { makeFolder } from '../../lib/kernel/temporary-file.ts';
import type { ListView } from '../../lib/render/view.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { readLive } from '../../lib/workflows/warehouse-apply.ts';
import { type DirectoryEntry, readDirectory } from './directory.ts';
import { exportedFile } from './results.ts';
import { fail } from '../../lib/errors/fail.ts';
import { changedFields } from '../../lib/domain/field-changes.ts';
import { toYaml } from '../../lib/files/yaml-text.ts';

const FOLDERS = Object.values(GROUPS).join(', ');

const view: ListView<ExportedFile> = {
  kind: 'list',
  columns: [
    { key: 'type', value: (it) => it.type },
    { key: 'id', id: true, value: (it) => it.id },
    { key: 'action', value: (it) => it.action },
    // It is there to be opened: never cut.
    { key: 'file', id: true, value: (it) => it.file },
  ],
  empty: 'This workspace has no connections, data models or pipelines.',
};

export const exportFolder = defineCommand({
  path: 'warehouse export',
  summary: "write the workspace's connections, data models and pipelines into a folder",
  effect: 'local',
  calls: 'platform',
  args: { dir: { help: 'the folder; it is made when it is not there' } },
  flags: { overwrite: { help: 'bring files up to date that say something else' } },
  columns: view.columns,
  output: () => array(exportedFile()),
  notes: [
    'Secrets are written as references to environment variables. A file that says the same stays as it is, comments and all; one that is brought up to date keeps its comments and its references.',
  ],
  examples: ['cdpadm warehouse export sync', 'cdpadm warehouse export sync --overwrite -o json'],
  exits: {
    conflict: 'a file says something else than the platform (see --overwrite)',
    invalidInput: 'a file in the folder is invalid',
  },
  run: (ctx, { args, flags }) => exportWarehouse(ctx, args.dir, flags.overwrite === true),
});

async function exportWarehouse(ctx: Context, dir: string, overwrite: boolean): Promise<void> {
  const live = await readLive(await ctx.api(), ctx.signal);
  const entries = await readExisting(ctx, dir);
  const writings: Writing[] = [];
  for (const type of RESOURCE_TYPES) {
    for (const reply of [...live[type]].sort((a, b) => (a.id < b.id ? -1 : 1))) {
      const entry = entries.find((it) => it.type === type && it.definition.id === reply.id);
      const definition = toDefinition(reply);
      writings.push(entry ? await updatedFile(entry, definition) : await newFile(type, definition, dir));
    }
  }
  const edited = writings.filter(({ action }) => action === 'updated');
  if (edited.length > 0 && !overwrite) throw localEdits(edited, dir);
  if (!ctx.flags.dryRun) {
    for (const group of Object.values(GROUPS)) groupFolder(resolvePath(join(dir, group), ctx.io.cwd));
    for (const { path, text } of writings.flatMap(({ texts }) => texts)) {
      writeUserFile(resolvePath(path, ctx.io.cwd), text);
    }
  }
  const alone = entries.filter(({ type, definition }) => !live[type].some(({ id }) => id === definition.id));
  if (alone.length > 0) {
    ctx.out.note(`Not on the platform, left as they are: ${alone.map(({ file }) => file.path).join(', ')}`);
  }
  const next = writings.length > 0 ? 'Edit them' : `Its folders take files of your own: ${FOLDERS}. Fill them`;
  ctx.out.note({ text: `${next}, then:`, command: `cdpadm warehouse diff ${dir}` });
  await ctx.out.emit(
    writings.map(({ texts: _texts, ...file }) => file),
    view,
  );
}

async function readExisting(ctx: Context, dir: string): Promise<DirectoryEntry[]> {
  try {
    await readWarehouseDir(dir, [], ctx);
  } catch (error) {
    // No folder yet: nothing to keep.
    if (error instanceof KnownError && exitOf(error) === 'usage') return [];
    throw error;
  }
  // Nothing is sent: what the files refer to does not matter here.
  return await readDirectory(ctx, dir, undefined);
}

function groupFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    throw fail('files.write', {
      message: `The folder ${path} cannot be made: ${systemErrorCode(error) ?? (error as Error).message}.`,
      cause: error,
    });
  }
}

function localEdits(files: readonly ExportedFile[], dir: string): KnownError {
  return fail('warehouse.local_edits', {
    message: `These files say something else than the platform: ${files.map(({ file }) => file).join(', ')}. Nothing was written.`,
    hint: {
      text: 'Apply them, or export into another folder. To see the differences:',
      command: `cdpadm warehouse diff ${dir}`,
    },
  });
}

type ExportedFile = Infer<ReturnType<typeof exportedFile>>;

/** A file to be written, and what it is for. */
interface Writing extends ExportedFile {
  texts: { path: string; text: string }[];
}

/** A new file; an id that cannot be a file's name is refused, wherever it came from. */
async function newFile(type: ResourceType, definition: Definition, dir: string): Promise<Writing> {
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
async function updatedFile(entry: DirectoryEntry, live: Definition): Promise<Writing> {
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
