// Requests as they are now: read from the platform, joined with what the ledger knows, every news written down.
import type { Dated } from '../api/dsr.ts';
import type { RequestStatusReply } from '../contract/dsr.ts';
import { DSR_LIMITS } from '../contract/limits.ts';
import { type RequestOverview, overviewOf } from '../domain/dsr/overview.ts';
import { CliError } from '../kernel/errors.ts';
import { isoMillis, parseIso } from '../kernel/timestamps.ts';
import type { DsrPorts, LedgerEntry } from './dsr-ports.ts';

/** Few enough that a person's look at their requests uses up nobody's limit. */
const AT_ONCE = 4;

/** What is known of a request now; `date` is the platform's own time, undefined for what nobody asked it. */
type Read = Dated<RequestStatusReply>;

/** Reads these requests, in their order. Throws the first failure; not found is 5. */
export async function readRequests(ids: readonly string[], ports: DsrPorts): Promise<RequestOverview[]> {
  const replies = await inTurn(ids, (id) => ports.api.getDated(id, ports.signal));
  return await joined(replies, ports);
}

/** All requests of a group, as the platform lists them. */
export async function readGroup(groupId: string, ports: DsrPorts): Promise<RequestOverview[]> {
  const { body, date } = await ports.api.listDated(groupId, ports.signal);
  return await joined(
    body.map((reply) => ({ body: reply, date })),
    ports,
  );
}

/**
 * The ledger's requests, brought up to date: those of which something can still change are read anew. One that the
 * platform does not have stays as the ledger knows it.
 */
export async function refreshRequests(entries: readonly LedgerEntry[], ports: DsrPorts): Promise<RequestOverview[]> {
  const replies = await inTurn(entries, async (entry): Promise<Read> => {
    const known = { body: replyFrom(entry), date: undefined };
    if (isAtEnd(entry, ports.clock.now())) return known;
    try {
      return await ports.api.getDated(entry.id, ports.signal);
    } catch (error) {
      if (error instanceof CliError && error.status === 404) return known;
      throw error;
    }
  });
  return await joined(replies, ports);
}

const DAY_MS = 86_400_000;

/** The link to results comes and goes after completion; a day more than they are kept makes up for clocks that differ. */
function isAtEnd({ states, status, subject_request_type: type }: LedgerEntry, now: number): boolean {
  if (status === 'cancelled' || status === 'refused') return true;
  if (status !== 'completed') return false;
  const seen = parseIso(states.find((state) => state.status === 'completed')?.at ?? '') ?? 0;
  return type === 'erasure' || now > seen + (DSR_LIMITS.resultsDays + 1) * DAY_MS;
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

async function joined(replies: readonly Read[], ports: DsrPorts): Promise<RequestOverview[]> {
  const now = ports.clock.now();
  await ports.ledger.append(
    replies
      .filter(({ body: { subject_request_id: id, request_status: status } }) => {
        // What others submitted is none of this ledger's business.
        const entry = ports.ledger.find(id);
        return entry !== undefined && entry.status !== status && status !== 'unknown';
      })
      .map(({ body }) => ({
        event: 'state' as const,
        id: body.subject_request_id,
        at: isoMillis(now),
        status: body.request_status,
        source: 'status' as const,
        ...(body.expected_completion_time !== undefined && {
          expected_completion_time: body.expected_completion_time,
        }),
      })),
  );
  return replies.map(({ body, date }) =>
    overviewOf(body, ports.ledger.find(body.subject_request_id), { now, platformNow: date ?? now }),
  );
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
