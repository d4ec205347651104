// What the commands of connections, data models and pipelines share: read, show, confirm, write.
import type { Endpoint } from '../lib/contract/endpoint.ts';
import { connectionsEndpoints } from '../lib/contract/connections.ts';
import { dataModelsEndpoints } from '../lib/contract/data-models.ts';
import { pipelinesEndpoints } from '../lib/contract/pipelines.ts';
import { changedFields } from '../lib/domain/field-changes.ts';
import { adviseOn, describeReread } from '../lib/domain/warehouse/advice.ts';
import {
  comparable,
  completed,
  type Definition,
  type ResourceType,
  toDefinition,
  withHiddenSecrets,
} from '../lib/domain/warehouse/definition.ts';
import { secretIssues, secretUses, withSecrets } from '../lib/domain/warehouse/secrets.ts';
import { invalidDocument, placeIssues } from '../lib/files/load.ts';
import { folderOf, withSqlText } from '../lib/files/warehouse-file.ts';
import { CliError, EXIT } from '../lib/kernel/errors.ts';
import { nearest } from '../lib/kernel/nearest.ts';
import { type DeletedResource, deletedView } from '../lib/render/deleted.ts';
import { renderChange, resourceListView, resourceView } from '../lib/render/warehouse.ts';
import type { Context } from '../lib/runtime/context.ts';
import { resolveFileSecret } from '../lib/runtime/file-secrets.ts';
import {
  checkUntouched,
  createSettled,
  deleteSettled,
  readIfThere,
  updateSettled,
} from '../lib/workflows/resource-write.ts';
import {
  GROUPS,
  NOUNS,
  type ResourceReply,
  type WarehouseCalls,
  warehouseCalls,
} from '../lib/workflows/warehouse-calls.ts';
import { checkDefinition, loadDefinition } from './definition-file.ts';

/** The endpoint whose body a definition is. */
export const CREATE_ENDPOINTS: Readonly<Record<ResourceType, Endpoint>> = {
  connection: connectionsEndpoints.create,
  data_model: dataModelsEndpoints.create,
  pipeline: pipelinesEndpoints.create,
};

/** A definition from a file, and the folder that its paths start from. */
export interface FileDefinition {
  definition: Definition;
  folder: string;
}

/** Prints resources, whatever must not be seen hidden. */
export async function emitList(ctx: Context, type: ResourceType, replies: readonly object[]): Promise<void> {
  const shown = replies.map((reply) => withHiddenSecrets(type, reply as ResourceReply));
  await ctx.out.emit(shown, resourceListView(type));
}

export async function emitResource(ctx: Context, type: ResourceType, reply: object): Promise<void> {
  await ctx.out.emit(withHiddenSecrets(type, reply as ResourceReply), resourceView(type));
}

export async function listResources(ctx: Context, type: ResourceType): Promise<void> {
  await emitList(ctx, type, await warehouseCalls(await ctx.api(), type).list(ctx.signal));
}

export async function getResource(ctx: Context, type: ResourceType, id: string): Promise<void> {
  await emitResource(ctx, type, await findResource(ctx, warehouseCalls(await ctx.api(), type), id));
}

/** Reads and checks a file. Throws invalid input (9) with the place of everything that is wrong; advice is told. */
export async function readResource(
  ctx: Context,
  type: ResourceType,
  file: string,
  id?: string,
): Promise<FileDefinition> {
  const what = NOUNS[type];
  const { document, value } = await loadDefinition(ctx, file, CREATE_ENDPOINTS[type], what);
  const folder = folderOf(file, ctx.io.cwd);
  const filled = id === undefined || 'id' in value ? value : { id, ...value };
  const expanded = type === 'data_model' ? await withSqlText(filled, folder, ctx.io) : { value: filled, issues: [] };
  const issues = [...expanded.issues, ...secretIssues(type, expanded.value)];
  if (id !== undefined && filled['id'] !== id) {
    issues.push({ path: ['id'], message: `is not \`${id}\`, which the command is about` });
  }
  if (issues.length > 0) throw invalidDocument(document, what, issues);
  const definition = toDefinition(checkDefinition(document, expanded.value, CREATE_ENDPOINTS[type], what));
  for (const { file: name, line, column, path, message } of placeIssues(document, adviseOn(type, definition))) {
    ctx.out.warn(`${name}:${line}:${column}: ${path}: ${message}`);
  }
  return { definition, folder };
}

export async function createResource(ctx: Context, type: ResourceType, file: string): Promise<void> {
  const { definition, folder } = await readResource(ctx, type, file);
  const calls = warehouseCalls(await ctx.api(), type);
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([calls.describeCreate(withHiddenSecrets(type, definition))]);
    return;
  }
  if (!ctx.flags.curl && (await readIfThere(definition.id, calls, ctx.signal))) throw exists(type, definition.id, file);
  const uses = secretUses(type, definition);
  const shown = comparable(type, definition);
  ctx.out.show((style) =>
    renderChange(`+ create ${NOUNS[type]} ${definition.id}`, changedFields({}, shown), uses, style),
  );
  await ctx.confirmWrite(`Create ${NOUNS[type]} ${definition.id}?`);
  const body = await bodyOf(ctx, type, definition, folder);
  const reply = await createSettled(body, calls, { tell: ctx.out, signal: ctx.signal });
  ctx.out.note(`Created ${NOUNS[type]} ${definition.id}.`);
  await emitResource(ctx, type, reply);
}

/** Replaces a resource by what a file says. */
export async function updateResource(
  ctx: Context,
  type: ResourceType,
  id: string,
  file: string,
  allowReset = false,
): Promise<void> {
  const { definition, folder } = await readResource(ctx, type, file, id);
  const live = await findResource(ctx, warehouseCalls(await ctx.api(), type), id);
  await writeChange(
    ctx,
    type,
    live,
    { definition: completed(type, definition, toDefinition(live)), folder },
    allowReset,
  );
}

/** Shows the difference, asks, makes sure that nobody wrote meanwhile, and writes. */
export async function writeChange(
  ctx: Context,
  type: ResourceType,
  live: ResourceReply,
  { definition, folder }: FileDefinition,
  allowReset = false,
): Promise<void> {
  const { id } = definition;
  const changes = changedFields(comparable(type, live), comparable(type, definition));
  const uses = secretUses(type, definition);
  const resets = type === 'pipeline' && Object.keys(changes).some((path) => path.startsWith('sync_mode.'));
  const calls = warehouseCalls(await ctx.api(), type, { allowReset: resets });
  const draw = (style: Parameters<typeof renderChange>[3]) =>
    renderChange(`~ change ${NOUNS[type]} ${id}`, changes, uses, style);
  if (resets) ctx.out.warn(describeReread(definition));
  if (ctx.flags.dryRun) {
    if (resets && !allowReset && !ctx.flags.confirm.includes(id)) throw resetRefused(id);
    const request = calls.describeUpdate(id, withHiddenSecrets(type, definition));
    await ctx.out.emitDryRun([request], { id, changes, resets }, draw);
    return;
  }
  if (Object.keys(changes).length + uses.length === 0) {
    ctx.out.note(`Nothing to do: ${NOUNS[type]} ${id} is as wanted.`);
    await emitResource(ctx, type, live);
    return;
  }
  ctx.out.show((style) => draw(style));
  if (resets && !allowReset) {
    await ctx.prompt.typed(`Type ${id} to reset its sync position:`, id, { flag: '--allow-reset', exit: EXIT.guard });
  }
  await ctx.confirmWrite(`Change ${NOUNS[type]} ${id}?`);
  await checkUntouched(id, live, calls, ctx.signal);
  const body = await bodyOf(ctx, type, definition, folder);
  const reply = await updateSettled(id, body, live, calls, { tell: ctx.out, signal: ctx.signal });
  ctx.out.note(`Changed ${NOUNS[type]} ${id}.`);
  await emitResource(ctx, type, reply);
}

export async function deleteResource(ctx: Context, type: ResourceType, id: string): Promise<void> {
  const api = await ctx.api();
  const calls = warehouseCalls(api, type);
  const live = await findResource(ctx, calls, id);
  if (type !== 'pipeline') {
    const field = `${type}_id`;
    const users = (await warehouseCalls(api, 'pipeline').list(ctx.signal)).filter((it) => it[field] === id);
    if (users.length > 0)
      throw inUse(
        type,
        id,
        users.map((it) => it.id),
      );
  }
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([calls.describeDelete(id)]);
    return;
  }
  ctx.out.show((style) =>
    renderChange(`- delete ${NOUNS[type]} ${id}`, changedFields(comparable(type, live), {}), [], style),
  );
  await ctx.confirmWrite(`Delete ${NOUNS[type]} ${id}?`);
  await deleteSettled(id, calls, { tell: ctx.out, signal: ctx.signal });
  const result: DeletedResource = { id, deleted: true };
  await ctx.out.emit(result, deletedView);
}

/** The resource of this id; CliError not found (5) with the nearest id otherwise. */
export async function findResource(ctx: Context, calls: WarehouseCalls, id: string): Promise<ResourceReply> {
  try {
    return await calls.get(id, ctx.signal);
  } catch (error) {
    if (!(error instanceof CliError) || error.status !== 404) throw error;
    const guess = nearest(
      id,
      (await calls.list(ctx.signal)).map((it) => it.id),
    );
    throw new CliError({
      code: 'warehouse.not_found',
      message: `There is no ${calls.noun} ${id} in this workspace.`,
      hint: guess === undefined ? `\`cdpadm ${GROUPS[calls.type]} list\` shows them all.` : `Did you mean ${guess}?`,
      exit: EXIT.notFound,
      status: 404,
      ...(error.request && { request: error.request }),
      cause: error,
    });
  }
}

/** The body with its secrets, had now; a printed curl command gets none. */
async function bodyOf(ctx: Context, type: ResourceType, definition: Definition, folder: string): Promise<Definition> {
  if (ctx.flags.curl) return withHiddenSecrets(type, definition);
  return await withSecrets(type, definition, ({ path, reference }) =>
    resolveFileSecret(ctx, reference, { folder, what: `${path.at(-1) ?? ''} of ${NOUNS[type]} ${definition.id}` }),
  );
}

function exists(type: ResourceType, id: string, file: string): CliError {
  return new CliError({
    code: 'warehouse.exists',
    message: `There is a ${NOUNS[type]} ${id} already.`,
    hint: `Change it with \`cdpadm ${GROUPS[type]} update ${id} -f ${file}\`, or choose another id.`,
    exit: EXIT.conflict,
  });
}

function inUse(type: ResourceType, id: string, pipelines: readonly string[]): CliError {
  return new CliError({
    code: 'warehouse.in_use',
    message: `The ${NOUNS[type]} ${id} is used by ${pipelines.join(', ')}; the platform deletes nothing that is in use.`,
    hint: 'Delete those pipelines first, or point them elsewhere. Nothing was changed.',
    exit: EXIT.conflict,
  });
}

function resetRefused(id: string): CliError {
  return new CliError({
    code: 'pipelines.guard.reset',
    message: `Nothing was sent: the change of the sync mode would reset the sync position of ${id}.`,
    hint: 'If that is what you want, add --allow-reset.',
    exit: EXIT.guard,
  });
}
