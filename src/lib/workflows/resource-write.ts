// Writes of resources that the caller names: an answer that was lost is settled by reading, never by hoping.
import { CliError, EXIT } from '../kernel/errors.ts';
import { canonicalJson } from '../kernel/json.ts';
import { type LookPorts, settle } from './lost-answer.ts';

/** One kind of resource as the writes below see it. */
export interface ResourceCalls<Reply, Body> {
  /** `connection`, as it stands in a sentence. */
  readonly noun: string;
  /** The command that shows one: `connections get`. */
  readonly look: string;
  get(id: string, signal: AbortSignal): Promise<Reply>;
  create(body: Body, signal: AbortSignal): Promise<Reply>;
  update(id: string, body: Body, signal: AbortSignal): Promise<Reply>;
  delete(id: string, signal: AbortSignal): Promise<void>;
  /** What of a definition can be compared: without secrets, masks and what the platform adds. */
  comparable(definition: Reply | Body): unknown;
}

export type WritePorts = LookPorts;

interface Stamped {
  last_modified_on?: unknown;
}

/** How an id that is taken may be refused. */
const MAY_BE_TAKEN = [400, 409, 422];

/** A write whose answer is lost time and again is not tried for ever. */
const MOST_SENDS = 3;

/** POST. After a lost answer GET tells: ours is there, or it never arrived and goes again, or the id is somebody's. */
export async function createSettled<Reply, Body extends { id: string }>(
  body: Body,
  calls: ResourceCalls<Reply, Body>,
  ports: WritePorts,
): Promise<Reply> {
  let sends = 0;
  const create = async (): Promise<Reply> => {
    sends++;
    try {
      return await calls.create(body, ports.signal);
    } catch (error) {
      if (!(error instanceof CliError) || !MAY_BE_TAKEN.includes(error.status ?? 0)) throw error;
      const now = await readIfThere(body.id, calls, ports.signal);
      if (now === undefined) throw error;
      // Ours, which arrived late, or what somebody else was quicker with.
      if (sends > 1 && same(calls, now, body)) return now;
      throw takenMeanwhile(body.id, calls, error);
    }
  };
  return await settled(
    body.id,
    create,
    (now) => (now === undefined ? 'again' : same(calls, now, body) ? 'done' : 'changed'),
    calls,
    ports,
  );
}

/** PUT (or PATCH) of what was `before`. Only what is still as before is written over a second time. */
export async function updateSettled<Reply, Body>(
  id: string,
  body: Body,
  before: Reply,
  calls: ResourceCalls<Reply, Body>,
  ports: WritePorts,
): Promise<Reply> {
  return await settled(
    id,
    () => calls.update(id, body, ports.signal),
    (now) => {
      if (now === undefined) return 'changed';
      if (isUntouched(calls, before, now)) return 'again';
      return same(calls, now, body) ? 'done' : 'changed';
    },
    calls,
    ports,
  );
}

/** DELETE. That it is gone after our own try is success. */
export async function deleteSettled<Reply, Body>(
  id: string,
  calls: ResourceCalls<Reply, Body>,
  ports: WritePorts,
): Promise<void> {
  await settled<unknown, Reply, Body>(
    id,
    () => calls.delete(id, ports.signal),
    (now) => (now === undefined ? 'done' : 'again'),
    calls,
    ports,
  );
}

/** Throws conflict (6) when the platform no longer has what `before` says. */
export async function checkUntouched<Reply, Body>(
  id: string,
  before: Reply,
  calls: ResourceCalls<Reply, Body>,
  signal: AbortSignal,
): Promise<void> {
  const now = await calls.get(id, signal);
  if (!isUntouched(calls, before, now)) throw changedMeanwhile(id, calls);
}

/** The resource, or undefined when the platform has none of that id. */
export async function readIfThere<Reply>(
  id: string,
  calls: Pick<ResourceCalls<Reply, never>, 'get'>,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  try {
    return await calls.get(id, signal);
  } catch (error) {
    if (error instanceof CliError && error.status === 404) return undefined;
    throw error;
  }
}

async function settled<Result, Reply, Body>(
  id: string,
  write: () => Promise<Result>,
  judge: (now: Reply | undefined) => 'done' | 'again' | 'changed',
  calls: ResourceCalls<Reply, Body>,
  ports: WritePorts,
): Promise<Result> {
  const { look, noun } = calls;
  return await settle<Result, Reply | undefined>(
    {
      mostSends: MOST_SENDS,
      send: write,
      read: () => readIfThere(id, calls, ports.signal),
      judge: (now) => {
        const verdict = judge(now);
        if (verdict === 'done') return { done: now as unknown as Result };
        return verdict === 'again' ? 'not done' : changedMeanwhile(id, calls);
      },
      told: {
        lost: `The answer to the write of ${noun} ${id} was lost; reading what the platform holds now.`,
        arrived: () => 'The write had arrived.',
        again: 'The write had not arrived; sending it again.',
      },
      unknown: (reason) => ({
        message: `It is not known whether the write of ${noun} ${id} was carried out: its answer was lost, and ${reason}.`,
        hint: `Look with \`cdpadm ${look} ${id}\` before you repeat the command.`,
      }),
    },
    ports,
  );
}

function same<Reply, Body>(calls: ResourceCalls<Reply, Body>, one: Reply | Body, other: Reply | Body): boolean {
  return canonicalJson(calls.comparable(one)) === canonicalJson(calls.comparable(other));
}

function isUntouched<Reply, Body>(calls: ResourceCalls<Reply, Body>, before: Reply, now: Reply): boolean {
  const stamps = [before, now].map((reply) => (reply as Stamped).last_modified_on ?? null);
  return stamps[0] === stamps[1] && same(calls, before, now);
}

function takenMeanwhile(
  id: string,
  { noun, look }: Pick<ResourceCalls<never, never>, 'noun' | 'look'>,
  cause: CliError,
): CliError {
  return new CliError({
    code: 'resource.created_meanwhile',
    message: `Somebody else created ${noun} ${id} meanwhile. Nothing of theirs was written over.`,
    hint: `Look with \`cdpadm ${look} ${id}\`, then run the command again.`,
    exit: EXIT.conflict,
    ...(cause.status !== undefined && { status: cause.status }),
    ...(cause.request && { request: cause.request }),
    cause,
  });
}

function changedMeanwhile(id: string, { noun, look }: Pick<ResourceCalls<never, never>, 'noun' | 'look'>): CliError {
  return new CliError({
    code: 'resource.changed_meanwhile',
    message: `Somebody else changed ${noun} ${id} meanwhile. Nothing of theirs was written over.`,
    hint: `Look with \`cdpadm ${look} ${id}\`, then run the command again.`,
    exit: EXIT.conflict,
  });
}
