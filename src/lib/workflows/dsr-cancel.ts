// Cancels requests: shows them with what is already sent to partners, asks, and confirms each cancellation.
import type { CancelReply } from '../contract/dsr.ts';
import type { RequestOverview } from '../domain/dsr/overview.ts';
import type { KnownError } from '../kernel/errors.ts';
import { isoMillis } from '../kernel/timestamps.ts';
import { isSameId } from './dsr-proof.ts';
import type { DsrPorts } from './dsr-ports.ts';
import { readGroup, readRequests } from './dsr-read.ts';
import { confirmed } from './confirm-write.ts';
import { fail } from '../errors/fail.ts';

/** What the platform says of one request. */
type Seen = Awaited<ReturnType<DsrPorts['api']['get']>>;

export interface CancelPlan {
  /** Pending: these are cancelled. */
  cancel: RequestOverview[];
  /** Others of a group: these are left as they are. */
  keep: RequestOverview[];
}

/**
 * Looks at what is to be cancelled. Throws conflict (6) when a named request, or every one of a group, is not pending;
 * not found (5) for an id or a group that the platform does not know.
 */
export async function planCancel(
  target: { ids: readonly string[] } | { groupId: string },
  ports: DsrPorts,
): Promise<CancelPlan> {
  const requests = 'ids' in target ? await readRequests(target.ids, ports) : await readGroup(target.groupId, ports);
  const cancel = requests.filter(isPending);
  const keep = requests.filter((request) => !isPending(request));
  if ('groupId' in target && requests.length === 0) {
    throw fail('dsr.group_not_found', {
      message: `No request has the group id ${target.groupId}.`,
    });
  }
  if (('ids' in target && keep.length > 0) || cancel.length === 0) throw notPending(keep);
  return { cancel, keep };
}

/** Cancels in turn. Throws at the first that cannot be; those before it stay cancelled and are named. */
export async function cancelRequests(plan: CancelPlan, ports: DsrPorts): Promise<CancelReply[]> {
  const done: CancelReply[] = [];
  for (const { subject_request_id: id } of plan.cancel) {
    try {
      done.push(await cancelOne(id, ports));
    } catch (error) {
      if (done.length > 0) {
        ports.tell.warn(`Cancelled before this: ${done.map((reply) => reply.subject_request_id).join(', ')}.`);
      }
      throw error;
    }
    await ports.ledger.record([
      { event: 'state', id, at: isoMillis(ports.clock.now()), status: 'cancelled', source: 'cancel' },
    ]);
  }
  return done;
}

/** Sent once. A GET decides what a lost response or a 400 means: cancelled, or no longer pending (6). */
async function cancelOne(id: string, ports: DsrPorts): Promise<CancelReply> {
  const { api, signal } = ports;
  return await confirmed<CancelReply, Seen>(
    {
      subject: `the cancellation of request ${id}`,
      hint: { text: 'It was not sent a second time. To check the request:', command: `cdpadm dsr status ${id}` },
      maxSends: 1,
      explained: [400],
      send: () => api.cancel(id, signal),
      // A cancellation that says nothing but the id is no complete response.
      isOurs: (reply) => isSameId(reply, id) && typeof reply.received_time === 'string',
      read: () => api.get(id, signal),
      isAbout: (now) => isSameId(now, id),
      judge: (now, { rejection }) => {
        if (isCancelled(now)) return { done: cancelReply(now) };
        return rejection?.status === 400 ? notPending([now]) : 'not-done';
      },
    },
    ports,
  );
}

function isCancelled({ request_status: status }: Seen): boolean {
  return status === 'cancelled';
}

function cancelReply({ controller_id, subject_request_id }: Seen): CancelReply {
  return { subject_request_id, expected_completion_time: null, controller_id };
}

function isPending({ request_status: status }: RequestOverview): boolean {
  return status === 'pending';
}

function notPending(requests: readonly { subject_request_id: string; request_status: string }[]): KnownError {
  const named = requests.map(({ subject_request_id: id, request_status: status }) => `${id} is ${status}`);
  return fail('dsr.not_pending', {
    message: `Only pending requests can be cancelled: ${named.join(', ')}.`,
    hint: 'Leave these out. Ask the partners to delete data that was already sent to them.',
  });
}
