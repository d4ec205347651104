// What the commands of connections, data models and pipelines share: read, show, confirm, write.
import { changedFields } from '../lib/domain/field-changes.ts';
import { describeReread } from '../lib/domain/warehouse/advice.ts';
import {
  comparable,
  completed,
  type Definition,
  type ResourceType,
  toDefinition,
  withHiddenSecrets,
} from '../lib/domain/warehouse/definition.ts';
import { CliError, EXIT, usageError } from '../lib/kernel/errors.ts';
import { nearest } from '../lib/kernel/nearest.ts';
import { type DeletedResource, deletedView } from '../lib/render/deleted.ts';
import { renderChange, resourceListView, resourceView } from '../lib/render/warehouse.ts';
import type { Context } from '../lib/runtime/context.ts';
import { openSecretMemory, secretPlace } from '../lib/runtime/secret-memory.ts';
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
import { readFieldFlags } from './definition-flags.ts';
import { bodyWithSecrets, readSource, type SourcedDefinition, usesOf } from './definition-input.ts';

/** The flags of `create` and `update`: the file, and every field's own. */
export type ResourceFlags = Readonly<Record<string, unknown>> & { file?: string; allowReset?: boolean };

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

/** Creates a resource from a file, flags, or both. */
export async function createResource(
  ctx: Context,
  type: ResourceType,
  id: string | undefined,
  flags: ResourceFlags,
): Promise<void> {
  const source = await readSource(ctx, type, { id, ...(await sourceFlags(ctx, type, flags)) });
  const { definition } = source;
  const calls = warehouseCalls(await ctx.api(), type);
  if (!ctx.flags.curl && (await readIfThere(definition.id, calls, ctx.signal))) throw exists(type, definition.id);
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([calls.describeCreate(withHiddenSecrets(type, definition))]);
    return;
  }
  const shown = comparable(type, definition);
  ctx.out.show((style) =>
    renderChange(`+ create ${NOUNS[type]} ${definition.id}`, changedFields({}, shown), usesOf(type, source), style),
  );
  await ctx.confirmWrite(`Create ${NOUNS[type]} ${definition.id}?`);
  const reply = await sending(ctx, type, source, (body) =>
    createSettled(body, calls, { tell: ctx.out, signal: ctx.signal }),
  );
  ctx.out.note(`Created ${NOUNS[type]} ${definition.id}.`);
  await emitResource(ctx, type, reply);
}

/** Replaces a resource by what a file says, or changes what flags say. */
export async function updateResource(
  ctx: Context,
  type: ResourceType,
  id: string,
  flags: ResourceFlags,
): Promise<void> {
  const given = await sourceFlags(ctx, type, flags);
  const find = async () => findResource(ctx, warehouseCalls(await ctx.api(), type), id);
  if (given.file === undefined) {
    const live = await find();
    const source = await readSource(ctx, type, { id, ...given, live });
    await writeChange(ctx, type, live, source, flags.allowReset === true);
    return;
  }
  // What a file got wrong is told before anything is asked of the platform.
  const source = await readSource(ctx, type, { id, ...given });
  if (ctx.flags.curl) {
    const calls = warehouseCalls(await ctx.api(), type, { allowReset: flags.allowReset === true });
    await calls.update(id, withHiddenSecrets(type, source.definition), ctx.signal);
    return;
  }
  const live = await find();
  const definition = completed(type, source.definition, toDefinition(live));
  await writeChange(ctx, type, live, { ...source, definition }, flags.allowReset === true);
}

/** The file and the fields that the flags of a command name. Throws usage (2) when there is neither. */
async function sourceFlags(ctx: Context, type: ResourceType, flags: ResourceFlags) {
  const fields = await readFieldFlags(ctx, type, flags);
  if (flags.file === undefined && fields.length === 0) {
    throw usageError('There is nothing to send.', 'Give a file with -f FILE, or its fields as flags (see --help).');
  }
  return { file: flags.file, fields };
}

/** Shows the difference, asks, makes sure that nobody wrote meanwhile, and writes. */
export async function writeChange(
  ctx: Context,
  type: ResourceType,
  live: ResourceReply,
  source: SourcedDefinition,
  allowReset = false,
): Promise<void> {
  const { definition } = source;
  const { id } = definition;
  const changes = changedFields(comparable(type, live), comparable(type, definition));
  const uses = usesOf(type, source);
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
  const reply = await sending(ctx, type, source, (body) =>
    updateSettled(id, body, live, calls, { tell: ctx.out, signal: ctx.signal }),
  );
  ctx.out.note(`Changed ${NOUNS[type]} ${id}.`);
  await emitResource(ctx, type, reply);
}

export async function deleteResource(ctx: Context, type: ResourceType, id: string): Promise<void> {
  const api = await ctx.api();
  const calls = warehouseCalls(api, type);
  if (ctx.flags.curl) {
    await calls.delete(id, ctx.signal);
    return;
  }
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

/** Writes with the secrets, had now, and remembers what was sent; a printed curl command gets none. */
async function sending(
  ctx: Context,
  type: ResourceType,
  source: SourcedDefinition,
  write: (body: Definition) => Promise<ResourceReply>,
): Promise<ResourceReply> {
  if (ctx.flags.curl) return await write(withHiddenSecrets(type, source.definition));
  const sent = new Map<string, string>();
  const body = await bodyWithSecrets(ctx, type, source, (path, secret) => sent.set(path.join('.'), secret));
  const reply = await write(body);
  if (sent.size > 0) {
    const memory = await openSecretMemory(ctx);
    await memory.exclusively(() => {
      for (const [path, secret] of sent) memory.remember(secretPlace(type, body.id, path), secret);
      return Promise.resolve();
    });
  }
  return reply;
}

function exists(type: ResourceType, id: string): CliError {
  return new CliError({
    code: 'warehouse.exists',
    message: `There is a ${NOUNS[type]} ${id} already.`,
    hint: `Change it with \`cdpadm ${GROUPS[type]} update ${id}\`, or choose another id.`,
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
