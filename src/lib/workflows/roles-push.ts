// Replaces the roles manifest safely: plan, guards, prompt, backup, a final GET, the PUT and its confirmation.
import { type GuardPrompt, passGuards } from './pass-guards.ts';
import type { RolesApi } from '../api/index.ts';
import { isEmptyDiff, type GuardFlags, type GuardRefusal, guardPush, undoOf } from '../domain/roles/plan.ts';
import { fromReply, type Manifest, type ManifestScope, sameState, toReply } from '../domain/roles/manifest.ts';
import type { ManifestReply } from '../contract/roles.ts';
import type { WantedRoles } from '../domain/roles/merge.ts';
import { KnownError } from '../kernel/errors.ts';
import type { WritePorts } from './resource-write.ts';
import {
  PlatformChanged,
  type Planned,
  planWanted,
  readLiveRoles,
  requireCurrent,
  requireExpected,
  replaceConfirmed,
} from './roles-plan.ts';
import { causedBy, fail } from '../errors/fail.ts';

/** The desired manifest, which is computed again whenever the platform has changed. */
export interface PushIntent {
  /** The command, for the history: `push`, `edit`, `rollback` … */
  reason: string;
  /** Throws invalid input (9). */
  want(live: Manifest, liveTasks: ReadonlySet<string>): WantedRoles | Promise<WantedRoles>;
}

export interface PushOptions extends GuardFlags {
  expectPlan?: string | undefined;
  dryRun: boolean;
}

export interface PushContext extends WritePorts {
  readonly prompt: GuardPrompt & { ask(question: string, fallback: boolean): Promise<boolean> };
  readonly redactor: { text(text: string): string };
  startWrite(scope: 'organization'): Promise<unknown>;
  confirmWrite(question: string): Promise<unknown>;
  logFacts(facts: {
    plan?: string;
    undo?: readonly (readonly string[])[];
    undoNote?: string | undefined;
    counts?: Record<string, number>;
  }): void;
}

export interface PushPorts {
  ctx: PushContext;
  api: RolesApi;
  store: {
    /** Stores a manifest as the base of a file. If this fails, only prints a warning. */
    saveBase(manifest: ManifestReply, file?: string): Promise<void>;
    newestTime(): string | undefined;
    saveRevision(entry: { reason: string; profile: string | null; plan: string; manifest: ManifestReply }): string;
    exclusively<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  };
  scope: ManifestScope;
  profile: string | null;
  /** Draws the plan, before the guards and the prompt. */
  show(planned: Planned): void;
}

export interface PushOutcome {
  kind: 'unchanged' | 'dry-run' | 'applied';
  planned: Planned;
  /** Manifest on the platform after the push. */
  manifest: Manifest;
  /** Saved copy of the previous manifest. Present only if the plan was applied. */
  revision?: string;
  /** Words of the command that undoes the push. Present only if the plan was applied. */
  undo?: readonly string[];
}

const RESTORES = 'A rollback restores the whole manifest: it also undoes later changes.';

const ASSIGNED =
  "If a role to be deleted is assigned to a user, the platform rejects the whole push. Its API does not list a role's users.";

/** Another writer must not keep this command in a loop forever. */
const MAX_ROUNDS = 5;

/** Applies the intent. Throws KnownError with an exit code of the command contract. */
export async function pushRoles(intent: PushIntent, options: PushOptions, ports: PushPorts): Promise<PushOutcome> {
  try {
    return await planAndWrite(intent, options, ports);
  } catch (error) {
    // If the error is the stop reason itself, no write was started: `confirmed` wraps it after an interrupted write.
    if (!(error instanceof KnownError) || error !== ports.ctx.signal.reason) throw error;
    throw error.with({
      message: `${error.message} The platform was not changed.`,
      hint: 'To continue, run the same command again.',
    });
  }
}

async function planAndWrite(intent: PushIntent, options: PushOptions, ports: PushPorts): Promise<PushOutcome> {
  const { ctx, scope } = ports;
  const { liveTasks, ...first } = await readLiveRoles(ports.api, ctx.signal);
  let { live } = first;
  let known = ports.store.newestTime();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    requireCurrent(live, known);
    known = live.last_modified_on ?? known;
    const planned = planWanted(scope, live, await intent.want(live, liveTasks), ctx.redactor.text);
    await ctx.startWrite('organization');
    if (isEmptyDiff(planned.plan)) {
      requireExpected(planned, options.expectPlan);
      if (!options.dryRun) await saveLive(ports.store, live);
      return { kind: 'unchanged', planned, manifest: live };
    }
    ports.show(planned);
    requireExpected(planned, options.expectPlan);
    for (const warning of planned.plan.warnings ?? []) ctx.out.warn(warning);
    const { create, modify, delete: deletions } = planned.plan.summary;
    const { dryRun } = options;
    const warn = (): void => (deletions > 0 ? ctx.out.warn(ASSIGNED) : undefined);
    const { prompt } = ctx;
    await passGuards(guardPush(planned, options), { dryRun, deletions, prompt, warn, stop: guardError });
    if (dryRun) return { kind: 'dry-run', planned, manifest: live };
    await ctx.confirmWrite(`Replace the manifest (${create} to create, ${modify} to modify, ${deletions} to delete)?`);
    const done = await write(intent, planned, ports);
    if (done.kind === 'applied') return done;
    if (done.kind === 'without-deletions') return planAndWrite(keepDeleted(intent, planned), options, ports);
    ctx.out.warn('The platform has changed. Planning again.');
    live = done.live;
  }
  throw fail('roles.changing', {
    message: 'The manifest on the platform keeps changing; nothing was sent.',
    hint: 'Check who else is changing it, then push again.',
  });
}

type WriteResult =
  (PushOutcome & { kind: 'applied' }) | { kind: 'changed'; live: Manifest } | { kind: 'without-deletions' };

/** Saves a backup, then sends GET and PUT back to back. Only one of a user's processes does this at a time. */
async function write(intent: PushIntent, planned: Planned, ports: PushPorts): Promise<WriteResult> {
  const { api, ctx, store } = ports;
  const { signal } = ctx;
  const send = async (): Promise<WriteResult> => {
    const revision = store.saveRevision({
      reason: intent.reason,
      profile: ports.profile,
      plan: planned.plan.plan,
      manifest: toReply(planned.live),
    });
    const undo = undoOf(planned, revision);
    ctx.logFacts({ plan: planned.plan.plan, undo: [undo], undoNote: undo.includes(revision) ? RESTORES : undefined });
    await api.prepareReplace(signal);
    const now = fromReply(await api.get({ signal, reserved: true }));
    if (!sameState(now, planned.live)) return { kind: 'changed', live: now };
    const manifest = await replaceConfirmed(planned, revision, { api, out: ctx.out, signal, flags: ctx.flags });
    ctx.logFacts({ counts: planned.plan.summary });
    await saveLive(store, manifest);
    return { kind: 'applied', planned, manifest, revision, undo };
  };
  try {
    return await store.exclusively(send, signal);
  } catch (error) {
    if (error instanceof PlatformChanged) return { kind: 'changed', live: error.live };
    // Ask outside the lock, so that other processes can continue.
    return await offerWithoutDeletions(error, intent, planned, ctx);
  }
}

/** Stores the manifest after a push as a base. Without a stamp, it could not show that a later read is outdated. */
export async function saveLive({ saveBase }: PushPorts['store'], manifest: Manifest, file?: string): Promise<void> {
  if (manifest.last_modified_on !== null) await saveBase(toReply(manifest), file);
}

function guardError(refusals: readonly GuardRefusal[]): KnownError {
  const flags = refusals.flatMap((refusal) => refusal.flag ?? []);
  return fail(`roles.guard.${refusals[0]?.guard ?? 'delete'}`, {
    message: `Nothing was sent: ${refusals.map((refusal) => refusal.message).join('; ')}.`,
    hint:
      flags.length > 0
        ? `If you intend this, pass ${flags.join(' ')}.`
        : 'To grant these permissions, omit --fail-on escalation.',
  });
}

/** Offers to omit the deletions, because the platform rejects a push that deletes an assigned role (decision: D15). */
async function offerWithoutDeletions(
  error: unknown,
  { reason }: PushIntent,
  planned: Planned,
  { prompt }: PushContext,
): Promise<WriteResult> {
  if (!(error instanceof KnownError) || error.status !== 400 || planned.plan.summary.delete === 0) throw error;
  if (!/assigned/i.test(error.message)) throw error;
  const ids = planned.plan.deleted.map((role) => role.role_id).join(', ');
  // A rename without the deletion would create a second role with the same name, which the platform rejects.
  const rest = reason === 'rename' ? 0 : planned.plan.summary.create + planned.plan.summary.modify;
  const question = `The platform rejects the deletion of an assigned role (one of: ${ids}). Push the rest without deletions?`;
  if (rest > 0 && prompt.possible && (await prompt.ask(question, false))) return { kind: 'without-deletions' };
  throw fail('roles.assigned', {
    message: `The platform rejected the whole push: a role to be deleted is still assigned to a user (one of: ${ids}).`,
    hint: 'Remove the role from its users in the product, or keep it in the file and push the rest. Nothing was changed.',
    ...causedBy(error),
  });
}

function keepDeleted(intent: PushIntent, planned: Planned): PushIntent {
  const kept = new Set(planned.plan.deleted.map((role) => role.role_id));
  return {
    reason: intent.reason,
    want: async (live, tasks) => {
      const wanted = await intent.want(live, tasks);
      const roles = wanted.roles.filter((role) => !kept.has(role.role_id));
      return { ...wanted, roles: [...roles, ...live.roles.filter((role) => kept.has(role.role_id))] };
    },
  };
}
