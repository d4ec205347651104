// Requests as they are now: read from the platform, joined with what the ledger knows, every news written down.
import type { RequestStatusReply } from '../contract/dsr.ts';
import { type RequestOverview, overviewOf } from '../domain/dsr/overview.ts';
import { CliError } from '../kernel/errors.ts';
import { isoMillis } from '../kernel/timestamps.ts';
import type { DsrPorts, LedgerEntry } from './dsr-ports.ts';

/** Few enough that a person's look at their requests uses up nobody's limit. */
const AT_ONCE = 4;

/** Reads these requests, in their order. Throws the first failure; not found is 5. */
export async function readRequests(ids: readonly string[], ports: DsrPorts): Promise<RequestOverview[]> {
  const replies = await inTurn(ids, (id) => ports.api.get(id, ports.signal));
  return await joined(replies, ports);
}

/** All requests of a group, as the platform lists them. */
export async function readGroup(groupId: string, ports: DsrPorts): Promise<RequestOverview[]> {
  return await joined(await ports.api.list(groupId, ports.signal), ports);
}

/**
 * The ledger's requests, brought up to date: those that are not at their end are read anew. One that the platform does
 * not have stays as the ledger knows it.
 */
export async function refreshRequests(entries: readonly LedgerEntry[], ports: DsrPorts): Promise<RequestOverview[]> {
  const replies = await inTurn(entries, async (entry) => {
    if (isAtEnd(entry)) return replyFrom(entry);
    try {
      return await ports.api.get(entry.id, ports.signal);
    } catch (error) {
      if (error instanceof CliError && error.status === 404) return replyFrom(entry);
      throw error;
    }
  });
  return await joined(replies, ports);
}

/** Results of a completed request can still expire, but nothing else about it changes. */
function isAtEnd({ status }: LedgerEntry): boolean {
  return status === 'completed' || status === 'cancelled' || status === 'refused';
}

function replyFrom(entry: LedgerEntry): RequestStatusReply {
  return {
    subject_request_id: entry.id,
    controller_id: entry.workspace_id ?? null,
    expected_completion_time: entry.expected_completion_time ?? null,
    group_id: entry.group_id ?? null,
    request_status: entry.status ?? 'unknown',
  };
}

async function joined(replies: readonly RequestStatusReply[], ports: DsrPorts): Promise<RequestOverview[]> {
  const at = isoMillis(ports.clock.now());
  await ports.ledger.append(
    replies
      .filter(({ subject_request_id: id, request_status: status }) => {
        // What others submitted is none of this ledger's business.
        const entry = ports.ledger.find(id);
        return entry !== undefined && entry.status !== status && status !== 'unknown';
      })
      .map((reply) => ({
        event: 'state' as const,
        id: reply.subject_request_id,
        at,
        status: reply.request_status,
        source: 'status' as const,
        ...(reply.expected_completion_time !== undefined && {
          expected_completion_time: reply.expected_completion_time,
        }),
      })),
  );
  return replies.map((reply) => overviewOf(reply, ports.ledger.find(reply.subject_request_id)));
}

/** A few at once, results in the order of the items. */
async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Map<number, R>();
  let next = 0;
  const lanes = Array.from({ length: Math.min(AT_ONCE, items.length) }, async () => {
    while (next < items.length) {
      const index = next++;
      results.set(index, await work(items[index] as T));
    }
  });
  await Promise.all(lanes);
  return items.map((_, index) => results.get(index) as R);
}
