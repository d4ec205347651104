// `warehouse export`: writes connections, data models and pipelines to files, with references instead of secrets.
import { checkPath } from '../../lib/runtime/command-line/read-word.ts';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import * as z from 'zod/mini';
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
import { writeBack } from '../../lib/files/roles-file.ts';
import { folderOf, SQL_FILE, withChangedFields } from '../../lib/files/warehouse-dir.ts';
import { writeUserFile } from '../../lib/kernel/durable.ts';
import type { Hints, KnownError } from '../../lib/kernel/errors.ts';
import { isFolder, makeUserFolder } from '../../lib/kernel/temporary-file.ts';
import { shellWord } from '../../lib/kernel/words.ts';
import { defineCommand } from '../../lib/runtime/command-line/define-command.ts';
import { openReferenceRules } from '../../lib/runtime/reference-rules.ts';
import { readLive } from '../../lib/workflows/warehouse-apply.ts';
import { type DirectoryEntry, readDirectory } from './directory.ts';
import { leavesFolder } from './plan.ts';
import { fail } from '../../lib/errors/fail.ts';
import { changedFields } from '../../lib/domain/field-changes.ts';
import { toYaml } from '../../lib/files/yaml-text.ts';

export const exportFolder = defineCommand({
  path: 'warehouse export',
  summary: "write the workspace's connections, data models and pipelines into a folder",
  effect: 'local',
  calls: 'platform',
  args: { dir: { help: 'folder; it is created if it does not exist' } },
  flags: { overwrite: { help: 'update files that differ from the platform' } },
  output: () => z.array(exportedFile()),
  notes: [
    'Secrets are written as references to environment variables. A file that matches the platform is not changed. An updated file keeps its comments and references.',
  ],
  examples: ['cdpadm warehouse export sync', 'cdpadm warehouse export sync --overwrite -o json'],
  exits: {
    conflict: 'a file differs from the platform (see --overwrite), or a new file would replace one of yours',
    invalidInput: 'a file in the folder is invalid',
  },
  run: async (ctx, { args: { dir }, flags: { overwrite } }) => {
    checkPath(dir, '`warehouse export`', 'folder');
    const diff = `cdpadm warehouse diff ${shellWord(dir)}`;
    const live = await readLive(await ctx.api(), ctx.signal);
    const isNew = !isFolder(resolvePath(dir, ctx.io.cwd));
    // The command sends nothing, so do not check references.
    const entries = isNew ? [] : await readDirectory(ctx, [dir], await openReferenceRules(ctx, false));
    const writings: Writing[] = [];
    for (const type of RESOURCE_TYPES) {
      for (const reply of [...live[type]].sort((a, b) => (a.id < b.id ? -1 : 1))) {
        const entry = entries.find((it) => it.type === type && it.definition.id === reply.id);
        const definition = toDefinition(reply);
        writings.push(
          entry ? await updatedFile(entry, definition, entries, dir, ctx.io.cwd) : newFile(type, definition, dir),
        );
      }
    }
    const edited = writings.flatMap(({ action, file }) => (action === 'updated' ? file : []));
    if (edited.length > 0 && !overwrite) {
      const hint = { text: 'Apply them, or export into another folder. To see the differences:', command: diff };
      throw notWritten(edited, 'These files differ from the platform', hint);
    }
    const added = writings.flatMap(({ action, texts }) => (action === 'written' ? texts : []));
    const taken = added.flatMap((text) => (isTaken(text, ctx.io.cwd) ? text.path : []));
    if (taken.length > 0) {
      const why = 'These files do not contain the resources that they are named after';
      throw notWritten(taken, why, 'Rename or remove them, or export into another folder.');
    }
    const files = writings.map(({ texts: _texts, ...file }) => file);
    if (ctx.flags.dryRun) {
      const text = files.map(({ action, file }) => `${action}: ${file}`).join('\n');
      const ids = files.map(({ id }) => id);
      return await ctx.out.emitDryRun([], files, text, ids);
    }
    for (const group of Object.values(GROUPS)) makeUserFolder(resolvePath(join(dir, group), ctx.io.cwd));
    for (const { path, text, read } of writings.flatMap(({ texts }) => texts)) {
      const at = resolvePath(path, ctx.io.cwd);
      if (read === undefined) writeUserFile(at, text);
      else if (writeBack(at, read, text) === 'changed')
        ctx.out.warn(`${path} was not updated: it changed after the command read it.`);
    }
    const alone = entries.filter(({ type, definition }) => !live[type].some(({ id }) => id === definition.id));
    if (alone.length > 0) {
      ctx.out.note(`The platform has no resource for these files: ${alone.map(({ file }) => file.path).join(', ')}`);
    }
    const next = writings.length > 0 ? 'Edit them' : `Put your own files in ${Object.values(GROUPS).join(', ')}`;
    ctx.out.note({ text: `${next}, then:`, command: diff });
    return files;
  },
  view: {
    kind: 'list',
    columns: [
      { key: 'type', value: (it) => it.type },
      { key: 'id', id: true, value: (it) => it.id },
      { key: 'action', value: (it) => it.action },
      // Users cannot open a truncated path.
      { key: 'file', id: true, value: (it) => it.file },
    ],
    empty: 'This workspace has no connections, data models or pipelines.',
  },
});

function notWritten(files: readonly string[], why: string, hint: Hints): KnownError {
  return fail('warehouse.local_edits', { message: `${why}: ${files.join(', ')}. Nothing was written.`, hint });
}

/** True if the path exists and is not a file with this text. Such a path is never replaced (decision: D425). */
function isTaken({ path, text }: Writing['texts'][number], cwd: string): boolean {
  const at = resolvePath(path, cwd);
  return existsSync(at) && !(statSync(at).isFile() && readFileSync(at, 'utf8') === text);
}

function exportedFile() {
  return z.object({
    type: z.enum(RESOURCE_TYPES),
    id: z.string(),
    file: z.string(),
    action: z.enum(['written', 'updated', 'unchanged']),
  });
}

interface Writing extends z.infer<ReturnType<typeof exportedFile>> {
  texts: { path: string; text: string; read?: string }[];
}

/** Returns the file to create for a resource. Throws if the resource's id cannot be a file name. */
function newFile(type: ResourceType, definition: Definition, dir: string): Writing {
  const { id } = definition;
  if (!/^[A-Za-z0-9_-]+$/.test(id)) {
    throw fail('warehouse.id', { message: `The id ${id} cannot be used as a file name.` });
  }
  const file = join(dir, GROUPS[type], `${id}.yaml`);
  let value = withReferences(type, definition);
  const texts: Writing['texts'] = [];
  const sql = valueAt(definition, ['config', 'sql_query']);
  if (type === 'data_model' && typeof sql === 'string') {
    texts.push({ path: join(dir, GROUPS[type], `${id}.sql`), text: sql.endsWith('\n') ? sql : `${sql}\n` });
    value = { ...value, config: { [SQL_FILE]: `${id}.sql` } };
  }
  texts.push({ path: file, text: toYaml(value) });
  return { type, id, file, action: 'written', texts };
}

/** Returns the update for an existing file: only fields that differ are changed, and references are kept. */
async function updatedFile(
  entry: DirectoryEntry,
  live: Definition,
  entries: readonly DirectoryEntry[],
  dir: string,
  cwd: string,
): Promise<Writing> {
  const { type, definition, file } = entry;
  const wanted = comparable(type, completed(type, definition, live));
  const { 'config.sql_query': query, ...changes } = changedFields(wanted, comparable(type, live));
  const texts: Writing['texts'] = [];
  const sqlFile = sqlFileOf(entry, cwd);
  const isShared = entries.some((other) => other !== entry && sqlFileOf(other, cwd) === sqlFile);
  if (query && sqlFile !== undefined && !isShared && !leavesFolder(relative(resolve(cwd, dir), sqlFile))) {
    const read = String(valueAt(definition, ['config', 'sql_query']));
    const text = `${String(query.to).trimEnd()}\n`;
    texts.push({ path: sqlFile, text: read.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text, read });
  } else if (query) Object.assign(changes, { [`config.${SQL_FILE}`]: { to: null }, 'config.sql_query': query });
  if (Object.keys(changes).length > 0) {
    const { text, format } = file.document;
    texts.push({ path: file.path, text: await withChangedFields(text, format, changes), read: text });
  }
  return { type, id: definition.id, file: file.path, action: texts.length > 0 ? 'updated' : 'unchanged', texts };
}

function sqlFileOf({ file }: DirectoryEntry, cwd: string): string | undefined {
  const path = valueAt(file.document.value, ['config', SQL_FILE]);
  return typeof path === 'string' ? resolvePath(path, folderOf(file.path, cwd)) : undefined;
}

/** Replaces each secret with `env:WAREHOUSE_<ID>_<FIELD>`. */
function withReferences(type: ResourceType, definition: Definition): Definition {
  return SECRET_PATHS[type].reduce<Definition>((copy, path) => {
    if (valueAt(copy, path) === undefined) return copy;
    const name = `WAREHOUSE_${definition.id}_${path.at(-1) ?? ''}`.toUpperCase().replace(/[^A-Z0-9]/g, '_');
    return withValue(copy, path, `env:${name}`);
  }, definition);
}
