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

/** Statuses with which the platform may reject an id that already exists. */
const MAY_BE_TAKEN = [400, 409, 422];

export function resourceWriter<Reply extends Identified, Body extends Identified>(
  calls: ResourceCalls<Reply, Body>,
  ports: WritePorts,
) {
  const { group, noun } = calls;
  const { out, signal } = ports;

  const checkFirst = (id: string): Hint => {
    return { text: `Check ${noun} ${id} before you run the command again:`, command: `cdpadm ${group} get ${id}` };
  };

  /** True if the platform has everything that was sent. The platform may add fields, such as a state. */
  const holds = (shown: Reply, sent: Body): boolean => contains(calls.comparable(shown), calls.comparable(sent));

  /** A recreated resource may look the same, and its `last_modified_on` may be null, but its `created_on` differs. */
  function isUntouched(before: Reply, now: Reply): boolean {
    const [first, second] = [before, now].map((reply) => {
      const { created_on = null, last_modified_on = null } = reply as Record<string, unknown>;
      return canonicalJson([created_on, last_modified_on, calls.comparable(reply)]);
    });
    return first === second;
  }

  async function checkUntouched(id: string, before: Reply): Promise<void> {
    if (isUntouched(before, await calls.get(id, signal))) return;
    const message = `another admin changed ${noun} ${id}. Nothing was sent.`;
    throw conflict('resource.changed_meanwhile', message, checkFirst(id));
  }

  async function confirmedById<Result>(
    id: string,
    write: Pick<Write<Result, Reply | undefined>, 'explained' | 'send' | 'isOurs' | 'judge'> &
      Partial<Pick<Write<Result, Reply | undefined>, 'read'>>,
  ): Promise<Result> {
    const result = await confirmed<Result, Reply | undefined>(
      {
        subject: `the write of ${noun} ${id}`,
        hint: checkFirst(id),
        notes: {
          lost: `The response to the write of ${noun} ${id} does not confirm it. Reading the current state.`,
          arrived: () => 'The platform did receive the write.',
          again: 'The platform did not receive the write; sending it again.',
        },
        read: () => ifFound(calls.get(id, signal)),
        isAbout: (now) => now === undefined || now.id === id,
        ...write,
      },
      ports,
    );
    const { errors, status }: Condition = isRecord(result) ? result : {};
    if (status === 'faulted' || status === 'invalid') {
      const reasons = (errors ?? []).flatMap(({ message }) => message ?? []).join('; ');
      out.warn(asSentence(`${noun} ${id} is ${status}${reasons === '' ? '' : `: ${reasons}`}`));
    }
    return result;
  }

  return {
    /** Creates a resource. If the id already exists, succeeds for an equal definition; otherwise, throws conflict (6). */
    create: (body: Body): Promise<Reply> =>
      confirmedById<Reply>(body.id, {
        explained: MAY_BE_TAKEN,
        send: () => calls.create(body, signal),
        isOurs: (reply) => reply.id === body.id && holds(reply, body),
        judge: (now, { error, wasSent }) => {
          if (now === undefined) {
            // An id that a read does not find can still be taken.
            const hint = { text: `To find the ${noun} that it conflicts with:`, command: `cdpadm ${group} list` };
            return error?.code === 'http.conflict' ? error.with({ hint }) : 'not-done';
          }
          if (!holds(now, body)) {
            const message = `the platform now has ${noun} ${body.id}. It is not known who created it.`;
            return conflict('resource.created_meanwhile', message, checkFirst(body.id), error);
          }
          if (wasSent) return { done: now };
          const hint = calls.resendSecrets?.(body);
          const seen = `the platform rejected the write, but has ${noun} ${body.id} as it was sent`;
          if (hint) return conflict('resource.created_meanwhile', `${seen}. Its secrets may differ.`, hint, error);
          out.warn(`${capitalized(seen)}.`);
          return { done: now };
        },
      }),

    /** Updates `before` to `body`. Throws conflict (6) if another admin changes the resource before or during the write. */
    update: async (id: string, body: Body, before: Reply): Promise<Reply> => {
      await checkUntouched(id, before);
      // If the update only removes fields, a reply equal to `before` contains what was sent, but does not confirm it.
      const isVisible = canonicalJson(calls.comparable(before)) !== canonicalJson(calls.comparable(body));
      const reply = await confirmedById<Reply>(id, {
        send: () => calls.update(id, body, signal),
        isOurs: (now) => now.id === id && holds(now, body) && !(isVisible && isUntouched(before, now)),
        judge: (now) => {
          if (now === undefined) return { unknown: `the platform does not show the ${noun}` };
          if (isUntouched(before, now)) return 'not-done';
          if (holds(now, body)) return { done: now };
          const message = `${noun} ${id} on the platform differs from what was sent. Either the write had no effect, or another admin changed it.`;
          return conflict('resource.changed_meanwhile', message, checkFirst(id));
        },
      });
      const removedFrom = (shown: Reply): string[] => {
        const changes = Object.entries(changedFields(calls.comparable(shown), calls.comparable(body)));
        return changes.flatMap(([path, { to }]) => (to === null ? [path] : []));
      };
      const kept = removedFrom(reply).filter((path) => removedFrom(before).includes(path));
      if (kept.length > 0) out.warn(`The platform did not remove ${kept.join(', ')} from ${noun} ${id}.`);
      return reply;
    },

    /**
     * Deletes the resource, or throws conflict (6) if it no longer equals `before`. The response has no body, so a GET
     * that returns 404 confirms the deletion. A proxy may return 404 for any path: after a lost response, the list decides.
     */
    delete: async (id: string, before: Reply): Promise<void> => {
      await checkUntouched(id, before);
      let isAccepted = false;
      await confirmedById<true>(id, {
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
          if (isUntouched(before, now)) return 'not-done';
          const message = `the platform still has ${noun} ${id}, but another admin changed or recreated it.`;
          return conflict('resource.changed_meanwhile', message, checkFirst(id));
        },
      });
    },
  };
}

function contains(shown: unknown, sent: unknown): boolean {
  if (!isRecord(sent)) return canonicalJson(shown ?? null) === canonicalJson(sent ?? null);
  return Object.entries(sent).every(([key, value]) => contains(isRecord(shown) ? shown[key] : undefined, value));
}

function conflict(code: ErrorCode, message: string, hint: Hint, cause?: KnownError): KnownError {
  return fail(code, { message: `Conflict: ${message}`, hint, ...causedBy(cause) });
}
