// Writes resources that have an id. A GET confirms a write that the response does not confirm.
import { type Hint, type KnownError, ifFound } from '../kernel/errors.ts';
import { canonicalJson, isRecord } from '../kernel/json.ts';
import { asSentence, capitalized } from '../kernel/words.ts';
import { confirmed, type ConfirmPorts, type Write } from './confirm-write.ts';
import { changedFields } from '../domain/field-changes.ts';
import { causedBy, fail } from '../errors/fail.ts';
import type { ErrorCode } from '../errors/registry.ts';

export interface ResourceCalls<Reply, Body> {
  /** The name in a sentence: `connection`. */
  readonly noun: string;
  /** The group of its commands: `connections`. */
  readonly group: string;
  list(signal: AbortSignal): Promise<Reply[]>;
  get(id: string, signal: AbortSignal): Promise<Reply>;
  create(body: Body, signal: AbortSignal): Promise<Reply>;
  update(id: string, body: Body, signal: AbortSignal): Promise<Reply>;
  delete(id: string, signal: AbortSignal): Promise<void>;
  /** Returns the comparable part, without secrets and without the fields that the platform adds. */
  comparable(definition: Reply | Body): unknown;
  /** Returns how to send the secrets of `body` again; undefined if `body` has no secrets. */
  resendSecrets?(body: Body): Hint | undefined;
}

export type WritePorts = Required<ConfirmPorts>;

interface Identified {
  readonly id: string;
}

/** What the platform reports about a resource that it has accepted. */
interface Condition {
  status?: unknown;
  errors?: readonly { message?: string | null }[] | null;
}

type Named = Pick<ResourceCalls<never, never>, 'noun' | 'group'>;

/** Statuses with which the platform may reject an id that already exists. */
const MAY_BE_TAKEN = [400, 409, 422];

/** Creates a resource. If the id already exists, succeeds for an equal definition; otherwise, throws conflict (6). */
export async function createConfirmed<Reply extends Identified, Body extends Identified>(
  body: Body,
  calls: ResourceCalls<Reply, Body>,
  ports: WritePorts,
): Promise<Reply> {
  return await confirmedById<Reply, Reply>(body.id, calls, ports, {
    explained: MAY_BE_TAKEN,
    send: () => calls.create(body, ports.signal),
    isOurs: (reply) => reply.id === body.id && holds(calls, reply, body),
    judge: (now, { error, wasSent }) => {
      if (now === undefined)
        return error?.code === 'http.conflict' ? error.with({ hint: listFirst(calls) }) : 'not-done';
      if (!holds(calls, now, body)) {
        const message = `the platform now has ${calls.noun} ${body.id}. It is not known who created it.`;
        return conflict('resource.created_meanwhile', message, checkFirst(body.id, calls), error);
      }
      if (wasSent) return { done: now };
      const hint = calls.resendSecrets?.(body);
      const seen = `the platform rejected the write, but has ${calls.noun} ${body.id} as it was sent`;
      if (hint) return conflict('resource.created_meanwhile', `${seen}. Its secrets may differ.`, hint, error);
      ports.out.warn(`${capitalized(seen)}.`);
      return { done: now };
    },
  });
}

/** Updates `before` to `body`. Throws conflict (6) if another admin changes the resource before or during the write. */
export async function updateConfirmed<Reply extends Identified, Body>(
  id: string,
  body: Body,
  before: Reply,
  calls: ResourceCalls<Reply, Body>,
  ports: WritePorts,
): Promise<Reply> {
  await checkUntouched(id, before, calls, ports.signal);
  // If the update only removes fields, a reply equal to `before` contains what was sent, but does not confirm it.
  const isVisible = canonicalJson(calls.comparable(before)) !== canonicalJson(calls.comparable(body));
  const reply = await confirmedById<Reply, Reply>(id, calls, ports, {
    send: () => calls.update(id, body, ports.signal),
    isOurs: (now) => now.id === id && holds(calls, now, body) && !(isVisible && isUntouched(calls, before, now)),
    judge: (now) => {
      if (now === undefined) return { unknown: `the platform does not show the ${calls.noun}` };
      if (isUntouched(calls, before, now)) return 'not-done';
      if (holds(calls, now, body)) return { done: now };
      const message = `${calls.noun} ${id} on the platform differs from what was sent. Either the write had no effect, or another admin changed it.`;
      return conflict('resource.changed_meanwhile', message, checkFirst(id, calls));
    },
  });
  const removedFrom = (shown: Reply): string[] => {
    const changes = Object.entries(changedFields(calls.comparable(shown), calls.comparable(body)));
    return changes.flatMap(([path, { to }]) => (to === null ? [path] : []));
  };
  const kept = removedFrom(reply).filter((path) => removedFrom(before).includes(path));
  if (kept.length > 0) ports.out.warn(`The platform did not remove ${kept.join(', ')} from ${calls.noun} ${id}.`);
  return reply;
}

/**
 * Deletes the resource, or throws conflict (6) if it no longer equals `before`. The response has no body, so a GET that
 * returns 404 confirms the deletion. A proxy may return 404 for any path: after a lost response, the list decides.
 */
export async function deleteConfirmed<Reply extends Identified, Body>(
  id: string,
  before: Reply,
  calls: ResourceCalls<Reply, Body>,
  ports: WritePorts,
): Promise<void> {
  const { signal } = ports;
  await checkUntouched(id, before, calls, signal);
  let isAccepted = false;
  await confirmedById<true, Reply>(id, calls, ports, {
    send: async () => {
      await calls.delete(id, signal);
      return (isAccepted = true);
    },
    isOurs: () => false,
    read: async () => {
      const now = await ifFound(calls.get(id, signal));
      if (now !== undefined || isAccepted) return now;
      return (await calls.list(signal)).some((listed) => listed.id === id) ? before : undefined;
    },
    judge: (now) => {
      if (now === undefined) return { done: true };
      if (isUntouched(calls, before, now)) return 'not-done';
      const message = `the platform still has ${calls.noun} ${id}, but another admin changed or recreated it.`;
      return conflict('resource.changed_meanwhile', message, checkFirst(id, calls));
    },
  });
}

async function checkUntouched<Reply, Body>(
  id: string,
  before: Reply,
  calls: ResourceCalls<Reply, Body>,
  signal: AbortSignal,
): Promise<void> {
  if (isUntouched(calls, before, await calls.get(id, signal))) return;
  const message = `another admin changed ${calls.noun} ${id}. Nothing was sent.`;
  throw conflict('resource.changed_meanwhile', message, checkFirst(id, calls));
}

async function confirmedById<Result, Reply extends Identified>(
  id: string,
  calls: Pick<ResourceCalls<Reply, never>, 'get'> & Named,
  ports: WritePorts,
  write: Pick<Write<Result, Reply | undefined>, 'explained' | 'send' | 'isOurs' | 'judge'> &
    Partial<Pick<Write<Result, Reply | undefined>, 'read'>>,
): Promise<Result> {
  const { noun } = calls;
  const result = await confirmed<Result, Reply | undefined>(
    {
      subject: `the write of ${noun} ${id}`,
      hint: checkFirst(id, calls),
      notes: {
        lost: `The response to the write of ${noun} ${id} does not confirm it. Reading the current state.`,
        arrived: () => 'The platform did receive the write.',
        again: 'The platform did not receive the write; sending it again.',
      },
      read: () => ifFound(calls.get(id, ports.signal)),
      isAbout: (now) => now === undefined || now.id === id,
      ...write,
    },
    ports,
  );
  const { errors, status }: Condition = isRecord(result) ? result : {};
  if (status === 'faulted' || status === 'invalid') {
    const reasons = (errors ?? []).flatMap(({ message }) => message ?? []).join('; ');
    ports.out.warn(asSentence(`${noun} ${id} is ${status}${reasons === '' ? '' : `: ${reasons}`}`));
  }
  return result;
}

/** True if the platform has everything that was sent. The platform may add fields, such as a state. */
function holds<Reply, Body>(calls: ResourceCalls<Reply, Body>, shown: Reply, sent: Body): boolean {
  return contains(calls.comparable(shown), calls.comparable(sent));
}

function contains(shown: unknown, sent: unknown): boolean {
  if (!isRecord(sent)) return canonicalJson(shown ?? null) === canonicalJson(sent ?? null);
  return Object.entries(sent).every(([key, value]) => contains(isRecord(shown) ? shown[key] : undefined, value));
}

/** A recreated resource may look the same, and its `last_modified_on` may be null, but its `created_on` differs. */
function isUntouched<Reply, Body>(calls: ResourceCalls<Reply, Body>, before: Reply, now: Reply): boolean {
  const [first, second] = [before, now].map((reply) => {
    const { created_on = null, last_modified_on = null } = reply as Record<string, unknown>;
    return canonicalJson([created_on, last_modified_on, calls.comparable(reply)]);
  });
  return first === second;
}

function conflict(code: ErrorCode, message: string, hint: Hint, cause?: KnownError): KnownError {
  return fail(code, { message: `Conflict: ${message}`, hint, ...causedBy(cause) });
}

function checkFirst(id: string, { noun, group }: Named): Hint {
  return { text: `Check ${noun} ${id} before you run the command again:`, command: `cdpadm ${group} get ${id}` };
}

/** An id that a read does not find can still be taken. */
function listFirst({ noun, group }: Named): Hint {
  return { text: `To find the ${noun} that it conflicts with:`, command: `cdpadm ${group} list` };
}
