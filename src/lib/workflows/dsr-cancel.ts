// Plans, sends and confirms cancellations.
import type { CancelReply, RequestStatusReply } from '../contract/dsr.ts';
import type { KnownError } from '../kernel/errors.ts';
import { isoMillis } from '../kernel/timestamps.ts';
import { isSameId } from './dsr-proof.ts';
import type { DsrPorts } from './dsr-ports.ts';
import { readGroup, readRequests } from './dsr-read.ts';
import { confirmed } from './confirm-write.ts';
import { fail } from '../errors/fail.ts';

export type CancelPlan = Awaited<ReturnType<typeof planCancel>>;

/**
 * Returns the requests to cancel, and those of the group to keep. Throws conflict (6) if a named request, or every request
 * of a group, is not pending, and not found (5).
 */
export async function planCancel(target: { ids: readonly string[] } | { groupId: string }, ports: DsrPorts) {
  const requests = 'ids' in target ? await readRequests(target.ids, ports) : await readGroup(target.groupId, ports);
  const cancel = requests.filter(({ request_status: status }) => status === 'pending');
  const keep = requests.filter((request) => !cancel.includes(request));
  if ('groupId' in target && requests.length === 0)
    throw fail('dsr.group_not_found', { message: `No request has the group id ${target.groupId}.` });
  if (('ids' in target && keep.length > 0) || cancel.length === 0) throw notPending(keep);
  return { cancel, keep };
}

/** Cancels the requests one by one. Throws the first failure, after a warning that names the cancelled requests. */
export async function cancelRequests(plan: CancelPlan, ports: DsrPorts): Promise<CancelReply[]> {
  const done: CancelReply[] = [];
  for (const { subject_request_id: id } of plan.cancel) {
    try {
      done.push(await cancelOne(id, ports));
    } catch (error) {
      if (done.length > 0)
        ports.out.warn(`Already cancelled: ${done.map((reply) => reply.subject_request_id).join(', ')}.`);
      throw error;
    }
    const at = isoMillis(ports.clock.now());
    const state = { event: 'state', id, at, status: 'cancelled', source: 'cancel' } as const;
    await ports.keep(() => ports.ledger.record([state]));
  }
  return done;
}

/** Sends a cancellation once; a GET resolves a lost response. Throws conflict (6) if the request is not pending. */
async function cancelOne(id: string, ports: DsrPorts): Promise<CancelReply> {
  const { api, signal } = ports;
  return await confirmed<CancelReply, RequestStatusReply>(
    {
      subject: `the cancellation of request ${id}`,
      hint: { text: 'It was not retried. To check the request:', command: `cdpadm dsr status ${id}` },
      maxSends: 1,
      explained: [400],
      send: () => api.cancel(id, signal),
      // A response that contains only the id is incomplete. A cancelled request has no expected completion time.
      isOurs: (reply) =>
        isSameId(reply, id) && typeof reply.received_time === 'string' && !reply.expected_completion_time,
      read: async () => (await api.get(id, signal)).body,
      isAbout: (now) => isSameId(now, id),
      judge: (now, { rejection }) => {
        const { controller_id, request_status: status, subject_request_id } = now;
        if (status === 'cancelled')
          return { done: { subject_request_id, expected_completion_time: null, controller_id } };
        return rejection?.status === 400 && status !== 'pending' ? notPending([now]) : 'not-done';
      },
    },
    ports,
  );
}

function notPending(requests: readonly { subject_request_id: string; request_status: string }[]): KnownError {
  const named = requests.map(({ subject_request_id: id, request_status: status }) => `${id} is ${status}`);
  return fail('dsr.not_pending', {
    message: `Only pending requests can be cancelled: ${named.join(', ')}.`,
    hint: 'Omit these requests. If an erasure was already forwarded to partners, ask them to stop it.',
  });
}
