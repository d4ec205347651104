// Replaces the roles manifest safely: plan, guards, confirmation, backup, a last GET, the PUT, and its confirmation.
import type { RolesApi } from '../api/roles.ts';
import { isEmptyDiff } from '../domain/roles/diff.ts';
import { type GuardFlags, type GuardRefusal, guardPush } from '../domain/roles/guards.ts';
import { fromReply, type Manifest, type ManifestScope, sameState, toReply } from '../domain/roles/manifest.ts';
import type { WantedRoles } from '../domain/roles/wanted.ts';
import { KnownError } from '../kernel/errors.ts';
import type { Ask, RolesMemory, Tell } from './ports.ts';
import { type Planned, planWanted, requireExpected } from './roles-plan.ts';
import { replaceConfirmed } from './roles-replace.ts';
import { fail } from '../errors/fail.ts';

/** What is to become of the manifest, worked out anew whenever the platform turns out to have changed. */
export interface PushIntent {
  /** For the history: `push`, `edit`, `rollback` … */
  reason: string;
  /** Throws invalid input (9). */
  want(live: Manifest, liveTasks: ReadonlySet<string>): WantedRoles;
}

export interface PushOptions {
  guards: GuardFlags;
  expectPlan: string | undefined;
  dryRun: boolean;
}

export interface PushPorts {
  api: RolesApi;
  memory: RolesMemory;
  scope: ManifestScope;
  profile: string | null;
  ask: Ask;
  tell: Tell;
  /** Draws the plan for a person, before guards and confirmation. */
  show(planned: Planned): void;
  /** Takes secrets out of what an error quotes. */
  redact(text: string): string;
  signal: AbortSignal;
}

export interface PushOutcome {
  kind: 'unchanged' | 'dry-run' | 'applied';
  planned: Planned;
  /** The manifest that the platform holds afterwards. */
  manifest: Manifest;
  /** The saved copy of what was there before; only when applied. */
  revision?: string;
}

/** Somebody who writes again and again must not keep us here for ever. */
const MAX_ROUNDS = 5;

/** Carries out the intent. Every refusal is a KnownError with the exit code of the command contract. */
export async function pushRoles(intent: PushIntent, options: PushOptions, ports: PushPorts): Promise<PushOutcome> {
  try {
    return await planAndWrite(intent, options, ports);
  } catch (error) {
    // A write under way is told of as what it is; the plain reason comes where nothing was.
    if (!(error instanceof KnownError) || error !== ports.signal.reason) throw error;
    throw error.with({
      message: `${error.message} Nothing was changed on the platform.`,
      hint: 'To go on, run the same command again.',
    });
  }
}

async function planAndWrite(intent: PushIntent, options: PushOptions, ports: PushPorts): Promise<PushOutcome> {
  const [reply, tasks] = await Promise.all([
    ports.api.get({ signal: ports.signal }),
    ports.api.listTasks(ports.signal),
  ]);
  const liveTasks = new Set(tasks.map((task) => task.task_id));
  let live = fromReply(reply);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const planned = planWanted(ports.scope, live, intent.want(live, liveTasks), ports.redact);
    await ports.ask.startWrite();
    if (isEmptyDiff(planned.plan)) {
      requireExpected(planned, options.expectPlan);
      return { kind: 'unchanged', planned, manifest: live };
    }
    ports.show(planned);
    requireExpected(planned, options.expectPlan);
    for (const warning of planned.plan.warnings ?? []) ports.tell.warn(warning);
    await passGuards(planned, options, ports);
    if (options.dryRun) return { kind: 'dry-run', planned, manifest: live };
    await ports.ask.confirmWrite(question(planned));
    const done = await write(intent, planned, ports);
    if (done.kind === 'applied') return done;
    if (done.kind === 'without-deletions') return planAndWrite(keepDeleted(intent, planned), options, ports);
    ports.tell.warn('The platform changed in the meantime; the plan is made anew.');
    live = done.live;
  }
  throw fail('roles.changing', {
    message: 'The manifest on the platform keeps changing; nothing was sent.',
    hint: 'Find out who else is writing it, then push again.',
  });
}

type WriteResult =
  (PushOutcome & { kind: 'applied' }) | { kind: 'changed'; live: Manifest } | { kind: 'without-deletions' };

/** Backup, GET, PUT, with nothing between the last two; one process of this user at a time. */
async function write(intent: PushIntent, planned: Planned, ports: PushPorts): Promise<WriteResult> {
  return ports.memory.exclusively(async (): Promise<WriteResult> => {
    const revision = ports.memory.saveRevision({
      reason: intent.reason,
      profile: ports.profile,
      plan: planned.plan.plan,
      manifest: toReply(planned.live),
    });
    await ports.api.prepareReplace(ports.signal);
    const now = fromReply(await ports.api.get({ signal: ports.signal, reserved: true }));
    if (!sameState(now, planned.live)) return { kind: 'changed', live: now };
    let manifest: Manifest;
    try {
      manifest = await replaceConfirmed(planned, revision, ports);
    } catch (error) {
      return offerWithoutDeletions(error, planned, ports);
    }
    await ports.memory.saveBase(toReply(manifest));
    return { kind: 'applied', planned, manifest, revision };
  }, ports.signal);
}

async function passGuards(planned: Planned, options: PushOptions, ports: PushPorts): Promise<void> {
  const refusals = guardPush(planned, options.guards);
  const askable = !options.dryRun && ports.ask.possible;
  const open = refusals.filter((refusal) => refusal.typed === undefined || !askable);
  if (open.length > 0) throw guardError(open);
  if (planned.plan.summary.delete > 0) {
    ports.tell.warn(
      'A role that is assigned to a user cannot be deleted, and the platform does not tell who holds one: it then refuses the whole push.',
    );
  }
  for (const refusal of refusals) {
    if (refusal.typed !== undefined) {
      await ports.ask.typed(`${sentence(refusal.message)} Type the number of deletions to allow them:`, refusal.typed);
    }
  }
}

function guardError(refusals: readonly GuardRefusal[]): KnownError {
  const flags = refusals.flatMap((refusal) => refusal.flag ?? []);
  return fail(`roles.guard.${refusals[0]?.guard ?? 'delete'}`, {
    message: `Nothing was sent: ${refusals.map((refusal) => refusal.message).join('; ')}.`,
    hint:
      flags.length > 0
        ? `If that is what you want, add ${flags.join(' ')}.`
        : 'Drop --fail-on escalation if these permissions are meant to be given.',
  });
}

/** The platform refuses the deletion of a role that somebody holds, and with it the whole upload (decision: D15). */
async function offerWithoutDeletions(error: unknown, planned: Planned, ports: PushPorts): Promise<WriteResult> {
  if (!(error instanceof KnownError) || error.status !== 400 || planned.plan.summary.delete === 0) throw error;
  if (!/assigned/i.test(error.message)) throw error;
  const ids = planned.plan.deleted.map((role) => role.role_id).join(', ');
  const rest = planned.plan.summary.create + planned.plan.summary.modify;
  if (
    rest > 0 &&
    (await ports.ask.offer(
      `The platform refuses to delete an assigned role (of: ${ids}). Push the rest without deletions?`,
    ))
  ) {
    return { kind: 'without-deletions' };
  }
  throw fail('roles.assigned', {
    message: `The platform refused the whole push, because a role to be deleted is assigned to a user. To be deleted: ${ids}.`,
    hint: 'Take the role from its users in the product, or keep it in the file and push the rest. Nothing was changed.',
    status: error.status,
    ...(error.request && { request: error.request }),
    cause: error,
  });
}

function keepDeleted(intent: PushIntent, planned: Planned): PushIntent {
  const kept = new Set(planned.plan.deleted.map((role) => role.role_id));
  return {
    reason: intent.reason,
    want: (live, tasks) => {
      const wanted = intent.want(live, tasks);
      return { ...wanted, roles: [...wanted.roles, ...live.roles.filter((role) => kept.has(role.role_id))] };
    },
  };
}

function question({ plan }: Planned): string {
  const { create, modify, delete: deletions } = plan.summary;
  return `Replace the manifest (${create} to create, ${modify} to modify, ${deletions} to delete)?`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
