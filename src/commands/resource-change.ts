// Creates, updates and deletes connections, data models and pipelines: read, show, confirm, write.
import { changedFields } from '../lib/domain/field-changes.ts';
import {
  comparable,
  completed,
  type Definition,
  describeReread,
  GROUPS,
  NOUNS,
  referenceMap,
  resetsPosition,
  type ResourceType,
  toDefinition,
  withHiddenSecrets,
} from '../lib/domain/warehouse/definition.ts';
import { ifFound, usageError } from '../lib/kernel/errors.ts';
import { shellLine } from '../lib/kernel/words.ts';
import type { Style } from '../lib/render/style.ts';
import { renderChange } from '../lib/render/warehouse.ts';
import type { Context } from '../lib/runtime/context.ts';
import { openSecretMemory, secretKey } from '../lib/runtime/memory/secrets.ts';
import { resourceWriter } from '../lib/workflows/resource-write.ts';
import { type ResourceReply, warehouseCalls } from '../lib/workflows/warehouse-apply.ts';
import { flagOf, readFieldFlags, undoSteps } from './definition-flags.ts';
import {
  readSource,
  bodyWithSecrets,
  checkSecrets,
  referencesOf,
  type SourcedDefinition,
  usesOf,
} from './definition-input.ts';
import { fail } from '../lib/errors/fail.ts';
import { findResource } from './find-resource.ts';

export type ResourceFlags = Readonly<Record<string, unknown>> & {
  file?: string;
  allowReset?: boolean;
  allowCommands?: boolean;
};

export async function createResource(
  ctx: Context,
  type: ResourceType,
  givenId: string | undefined,
  flags: ResourceFlags,
): Promise<ResourceReply | undefined> {
  const source = await readSource(ctx, type, { id: givenId, ...(await sourceFlags(ctx, type, flags)) });
  const { id } = source.definition;
  const resend = updateLine(source, flags);
  await ctx.startWrite('workspace');
  if (!ctx.flags.curl && (await ifFound(warehouseCalls(await ctx.api(), type).get(id, ctx.signal)))) {
    throw fail('warehouse.exists', {
      message: `The ${NOUNS[type]} ${id} already exists.`,
      hint: { text: `Choose another id. To change the existing ${NOUNS[type]}:`, command: resend },
    });
  }
  return await writeResource(ctx, source, undefined, { resend });
}

/** Returns the command that updates an existing resource with the same file, or with the same references. */
function updateLine(source: SourcedDefinition, { file, allowCommands }: ResourceFlags): string {
  const { definition, type } = source;
  const references = usesOf(source).flatMap(({ path, reference }) => [flagOf(type, path) ?? '', reference]);
  const given = [...(file === undefined ? references : ['-f', file]), ...(allowCommands ? ['--allow-commands'] : [])];
  return shellLine(['cdpadm', GROUPS[type], 'update', definition.id, ...given]);
}

export async function updateResource(ctx: Context, type: ResourceType, id: string, flags: ResourceFlags) {
  const given = await sourceFlags(ctx, type, flags);
  const { allowReset = false } = flags;
  const calls = warehouseCalls(await ctx.api(), type, { allowReset });
  if (given.file === undefined) {
    const live = await findResource(ctx, calls, id);
    return await writeResource(ctx, await readSource(ctx, type, { id, ...given, live }), live, { allowReset });
  }
  // Check a file before the first request.
  const source = await readSource(ctx, type, { id, ...given });
  if (ctx.flags.curl) return await calls.update(id, withHiddenSecrets(type, source.definition), ctx.signal);
  const live = await findResource(ctx, calls, id);
  const definition = completed(type, source.definition, toDefinition(live));
  return await writeResource(ctx, { ...source, definition }, live, { allowReset });
}

/** Returns the file, and the fields that flags set. Throws usage (2) if there is neither. */
async function sourceFlags(ctx: Context, type: ResourceType, flags: ResourceFlags) {
  const fields = await readFieldFlags(ctx, type, flags);
  if (flags.file === undefined && fields.length === 0) {
    throw usageError('No definition was specified.', 'Pass a file with -f FILE, or fields as flags (see --help).');
  }
  return { file: flags.file, fields, allowCommands: flags.allowCommands === true };
}

/** Shows the changes to `live` (undefined: creates the resource), asks for confirmation, and writes. */
export async function writeResource(
  ctx: Context,
  source: SourcedDefinition,
  live: ResourceReply | undefined,
  { allowReset = false, resend = '' } = {},
): Promise<ResourceReply | undefined> {
  const { type, definition } = source;
  const { id } = definition;
  const what = `${NOUNS[type]} ${id}`;
  await ctx.startWrite('workspace');
  const changes = changedFields(live ? comparable(type, live) : {}, comparable(type, definition));
  const uses = usesOf(source);
  const resets = live !== undefined && resetsPosition(type, changes);
  const calls = warehouseCalls(await ctx.api(), type, { allowReset: resets, resend });
  const isFaulty = live?.['status'] === 'faulted' || live?.['status'] === 'invalid';
  const isSame = live && Object.keys(changes).length + uses.length === 0;
  const [unchanged, idle] = [isSame && !isFaulty ? live : undefined, `Nothing to do: ${what} is up to date.`];
  const head = live ? `~ change ${what}` : `+ create ${what}`;
  const draw = (style: Style) => (unchanged ? idle : renderChange(head, changes, uses, style));
  if (resets) ctx.out.warn(describeReread(definition));
  if (isSame && isFaulty) ctx.out.note('No field changes. The update clears the fault.');
  if (!ctx.flags.curl) {
    // Throws guard (12) for a reference that is not allowed, then auth (4) for an unreadable one, even in dry runs.
    source.rules.guard(referencesOf(source));
    await checkSecrets(source);
  }
  if (ctx.flags.dryRun) {
    if (resets && !allowReset && !ctx.flags.confirm.includes(id)) {
      throw fail('pipelines.guard.reset', {
        message: `Nothing was sent: the new sync mode would reset the sync position of ${id}.`,
        hint: 'To allow the reset, pass --allow-reset.',
      });
    }
    const body = withHiddenSecrets(type, definition);
    const request = live ? calls.describeUpdate(id, body) : calls.describeCreate(body);
    const plan = { id, changes, references: referenceMap(uses), ...(live && { resets }) };
    return await ctx.out.emitDryRun(unchanged ? [] : [request], plan, draw, [id]);
  }
  if (unchanged) {
    ctx.out.note(idle);
    return withHiddenSecrets(type, unchanged);
  }
  ctx.out.show(draw);
  if (resets && !allowReset) {
    await ctx.prompt.typed(`Type ${id} to reset its sync position:`, id, { flag: '--allow-reset', exit: 'guard' });
  }
  await ctx.confirmWrite(`${live ? 'Change' : 'Create'} ${what}?`);
  const secrets = uses.map(({ path }) => path.join('.'));
  const action = live ? 'update' : 'create';
  ctx.logFacts({ ids: [id], ...undoSteps([{ action, type, id, changes, secrets }]) });
  const writer = resourceWriter(calls, ctx);
  const reply = await sending(ctx, source, (body) => (live ? writer.update(id, body, live) : writer.create(body)));
  ctx.out.note(`${live ? 'Changed' : 'Created'} ${what}.`);
  return withHiddenSecrets(type, reply);
}

/** Reads the secrets, writes the resource, and remembers what was sent. A printed curl command contains no secrets. */
async function sending(ctx: Context, source: SourcedDefinition, write: (body: Definition) => Promise<ResourceReply>) {
  const { type, definition } = source;
  if (ctx.flags.curl) return await write(withHiddenSecrets(type, definition));
  const sent = new Map<string, string>();
  const body = await bodyWithSecrets(source, definition, (path, secret) => sent.set(path, secret));
  const reply = await write(body);
  if (sent.size > 0) {
    const memory = await openSecretMemory(ctx);
    await memory.exclusively(() => {
      for (const [path, secret] of sent) memory.remember(secretKey(type, body.id, path), secret);
      return Promise.resolve();
    });
  }
  // The platform's errors may quote a secret.
  return { ...reply, errors: ctx.redactor.value(reply.errors) as ResourceReply['errors'] };
}
