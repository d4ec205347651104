// What the commands of connections, data models and pipelines share in writing: read, show, confirm, write.
import { changedFields } from '../lib/domain/field-changes.ts';
import {
  comparable,
  completed,
  type Definition,
  describeReread,
  GROUPS,
  NOUNS,
  type ResourceType,
  toDefinition,
  withHiddenSecrets,
} from '../lib/domain/warehouse/definition.ts';
import { type KnownError, usageError } from '../lib/kernel/errors.ts';
import { renderChange } from '../lib/render/warehouse.ts';
import type { Context } from '../lib/runtime/context.ts';
import { openSecretMemory, secretKey } from '../lib/runtime/memory/secrets.ts';
import { guardReferences } from '../lib/runtime/reference-rules.ts';
import { checkUntouched, createConfirmed, readIfThere, updateConfirmed } from '../lib/workflows/resource-write.ts';
import { type ResourceReply, warehouseCalls } from '../lib/workflows/warehouse-calls.ts';
import { readFieldFlags } from './definition-flags.ts';
import { bodyWithSecrets, checkSecrets, readSource, type SourcedDefinition, usesOf } from './definition-input.ts';
import { emitResource, findResource } from './resource-read.ts';
import { fail } from '../lib/errors/fail.ts';

/** The flags of `create` and `update`: the file, and every field's own. */
export type ResourceFlags = Readonly<Record<string, unknown>> & {
  file?: string;
  allowReset?: boolean;
  allowCommands?: boolean;
};

/** Creates a resource from a file, flags, or both. */
export async function createResource(
  ctx: Context,
  type: ResourceType,
  id: string | undefined,
  flags: ResourceFlags,
): Promise<void> {
  const source = await readSource(ctx, type, { id, ...(await sourceFlags(ctx, type, flags)) });
  const { definition } = source;
  await ctx.startWrite('workspace');
  const calls = warehouseCalls(await ctx.api(), type);
  if (!ctx.flags.curl && (await readIfThere(definition.id, calls, ctx.signal))) throw exists(type, definition.id);
  if (!ctx.flags.curl) await checkReferences(ctx, type, source);
  if (ctx.flags.dryRun) {
    await ctx.out.emitDryRun([calls.describeCreate(withHiddenSecrets(type, definition))], undefined, undefined, [
      definition.id,
    ]);
    return;
  }
  const shown = comparable(type, definition);
  ctx.out.show((style) =>
    renderChange(`+ create ${NOUNS[type]} ${definition.id}`, changedFields({}, shown), usesOf(type, source), style),
  );
  await ctx.confirmWrite(`Create ${NOUNS[type]} ${definition.id}?`);
  const reply = await sending(ctx, type, source, (body) =>
    createConfirmed(body, calls, { tell: ctx.out, signal: ctx.signal }),
  );
  ctx.out.note(`Created ${NOUNS[type]} ${definition.id}.`);
  await emitResource(ctx, type, reply);
}

/** Throws guard (12) for a reference that is not allowed, then auth (4) for one that leads nowhere: in a dry run, too. */
async function checkReferences(ctx: Context, type: ResourceType, source: SourcedDefinition): Promise<void> {
  guardReferences(source.rules, source.references);
  await checkSecrets(ctx, type, source);
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
  return { file: flags.file, fields, allowCommands: flags.allowCommands === true };
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
  await ctx.startWrite('workspace');
  const changes = changedFields(comparable(type, live), comparable(type, definition));
  const uses = usesOf(type, source);
  const resets = type === 'pipeline' && Object.keys(changes).some((path) => path.startsWith('sync_mode.'));
  const calls = warehouseCalls(await ctx.api(), type, { allowReset: resets });
  const draw = (style: Parameters<typeof renderChange>[3]) =>
    renderChange(`~ change ${NOUNS[type]} ${id}`, changes, uses, style);
  if (resets) ctx.out.warn(describeReread(definition));
  if (!ctx.flags.curl) await checkReferences(ctx, type, source);
  if (ctx.flags.dryRun) {
    if (resets && !allowReset && !ctx.flags.confirm.includes(id)) throw resetRefused(id);
    const request = calls.describeUpdate(id, withHiddenSecrets(type, definition));
    await ctx.out.emitDryRun([request], { id, changes, resets }, draw, [id]);
    return;
  }
  if (Object.keys(changes).length + uses.length === 0) {
    ctx.out.note(`Nothing to do: ${NOUNS[type]} ${id} is as wanted.`);
    await emitResource(ctx, type, live);
    return;
  }
  ctx.out.show((style) => draw(style));
  if (resets && !allowReset) {
    await ctx.prompt.typed(`Type ${id} to reset its sync position:`, id, { flag: '--allow-reset', exit: 'guard' });
  }
  await ctx.confirmWrite(`Change ${NOUNS[type]} ${id}?`);
  await checkUntouched(id, live, calls, ctx.signal);
  const reply = await sending(ctx, type, source, (body) =>
    updateConfirmed(id, body, live, calls, { tell: ctx.out, signal: ctx.signal }),
  );
  ctx.out.note(`Changed ${NOUNS[type]} ${id}.`);
  await emitResource(ctx, type, reply);
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
      for (const [path, secret] of sent) memory.remember(secretKey(type, body.id, path), secret);
      return Promise.resolve();
    });
  }
  return reply;
}

function exists(type: ResourceType, id: string): KnownError {
  return fail('warehouse.exists', {
    message: `There is a ${NOUNS[type]} ${id} already.`,
    hint: { text: 'Choose another id. To change the existing one:', command: `cdpadm ${GROUPS[type]} update ${id}` },
  });
}

function resetRefused(id: string): KnownError {
  return fail('pipelines.guard.reset', {
    message: `Nothing was sent: the change of the sync mode would reset the sync position of ${id}.`,
    hint: 'If that is what you want, add --allow-reset.',
  });
}
