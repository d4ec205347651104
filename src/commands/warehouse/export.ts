// `warehouse export`: connections, data models and pipelines as files, secrets as references.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { changedFields } from '../../lib/domain/field-changes.ts';
import {
  comparable,
  completed,
  type Definition,
  RESOURCE_TYPES,
  type ResourceType,
  SECRET_PATHS,
  toDefinition,
  valueAt,
  withValue,
} from '../../lib/domain/warehouse/definition.ts';
import { resolvePath } from '../../lib/files/read-input.ts';
import { definitionText, readWarehouseDir, withChangedFields } from '../../lib/files/warehouse-dir.ts';
import { SQL_FILE } from '../../lib/files/warehouse-file.ts';
import { writeUserFile } from '../../lib/kernel/durable.ts';
import { CliError, EXIT, systemErrorCode } from '../../lib/kernel/errors.ts';
import type { ListView } from '../../lib/render/view.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/help.ts';
import { readLive } from '../../lib/workflows/warehouse-apply.ts';
import { GROUPS } from '../../lib/workflows/warehouse-calls.ts';
import { type DirectoryEntry, readDirectory } from './directory.ts';

interface ExportedFile {
  type: ResourceType;
  id: string;
  file: string;
  action: 'written' | 'updated' | 'unchanged';
}

/** A file to be written, and what it is for. */
interface Writing extends ExportedFile {
  texts: { path: string; text: string }[];
}

export function exportCommand(ctx: Context): Command {
  const command = new Command('export')
    .description('write the workspace’s connections, data models and pipelines into a folder')
    .argument('<dir>', 'the folder; it is made when it is not there')
    .option('--overwrite', 'bring files up to date that say something else')
    .action((dir: string, flags: { overwrite?: boolean }) => exportWarehouse(ctx, dir, flags.overwrite === true));
  return withHelp(command, {
    columns: view.columns,
    notes: [
      'Secrets are written as references to environment variables. A file that says the same stays as it is, comments and all; one that is brought up to date keeps its comments and its references.',
    ],
    examples: ['cdpadm warehouse export sync', 'cdpadm warehouse export sync --overwrite -o json'],
    json: '[{"type","id","file","action":"written"|"updated"|"unchanged"}]',
    errors: ['6  a file says something else than the platform (see --overwrite)', '9  a file in the folder is invalid'],
  });
}

const view: ListView<ExportedFile> = {
  kind: 'list',
  columns: [
    { key: 'type', value: (it) => it.type },
    { key: 'id', id: true, value: (it) => it.id },
    { key: 'action', value: (it) => it.action },
    { key: 'file', value: (it) => it.file },
  ],
  empty: 'This workspace has no connections, data models or pipelines.',
};

async function exportWarehouse(ctx: Context, dir: string, overwrite: boolean): Promise<void> {
  const live = await readLive(await ctx.api(), ctx.signal);
  const entries = await readExisting(ctx, dir);
  const writings: Writing[] = [];
  for (const type of RESOURCE_TYPES) {
    for (const reply of [...live[type]].sort((a, b) => (a.id < b.id ? -1 : 1))) {
      const entry = entries.find((it) => it.type === type && it.definition.id === reply.id);
      const definition = toDefinition(reply);
      writings.push(entry ? await updated(entry, definition) : await fresh(type, definition, dir));
    }
  }
  const edited = writings.filter(({ action }) => action === 'updated');
  if (edited.length > 0 && !overwrite) throw localEdits(edited, dir);
  for (const { texts } of ctx.flags.dryRun ? [] : writings) {
    for (const { path, text } of texts) writeInto(resolvePath(path, ctx.io.cwd), text);
  }
  const alone = entries.filter(({ type, definition }) => !live[type].some(({ id }) => id === definition.id));
  if (alone.length > 0) {
    ctx.out.note(`Not on the platform, left as they are: ${alone.map(({ file }) => file.path).join(', ')}`);
  }
  ctx.out.note(`Edit them, then: cdpadm warehouse diff ${dir}`);
  await ctx.out.emit(
    writings.map(({ texts: _texts, ...file }) => file),
    view,
  );
}

async function readExisting(ctx: Context, dir: string): Promise<DirectoryEntry[]> {
  try {
    await readWarehouseDir(dir, [], ctx.io);
  } catch (error) {
    // No folder yet: nothing to keep.
    if (error instanceof CliError && error.exit === EXIT.usage) return [];
    throw error;
  }
  return await readDirectory(ctx, dir);
}

/** A new file; an id that cannot be a file's name is refused, wherever it came from. */
async function fresh(type: ResourceType, definition: Definition, dir: string): Promise<Writing> {
  const { id } = definition;
  if (!/^[A-Za-z0-9_-]+$/.test(id)) {
    throw new CliError({
      code: 'warehouse.id',
      message: `The platform has a resource whose id cannot be the name of a file: ${id}`,
      exit: EXIT.failed,
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
  texts.push({ path: file, text: await definitionText(value) });
  return { type, id, file, action: 'written', texts };
}

/** An existing file with what is different; its references stay. */
async function updated(entry: DirectoryEntry, live: Definition): Promise<Writing> {
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

function writeInto(path: string, text: string): void {
  try {
    mkdirSync(join(path, '..'), { recursive: true });
  } catch (error) {
    throw new CliError({
      code: 'files.write',
      message: `The folder of ${path} cannot be made: ${systemErrorCode(error) ?? (error as Error).message}.`,
      exit: EXIT.failed,
      cause: error,
    });
  }
  writeUserFile(path, text);
}

function localEdits(files: readonly ExportedFile[], dir: string): CliError {
  return new CliError({
    code: 'warehouse.local_edits',
    message: `These files say something else than the platform: ${files.map(({ file }) => file).join(', ')}. Nothing was written.`,
    hint: `Look at them with \`cdpadm warehouse diff ${dir}\`, apply them, or export with --overwrite.`,
    exit: EXIT.conflict,
  });
}
