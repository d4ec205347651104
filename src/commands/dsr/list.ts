// `dsr list`: the requests of a group, or those that went out from this machine.
import { array } from 'zod/mini';
import { dueFirst, type RequestOverview } from '../../lib/domain/dsr/overview.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { REQUEST_COLUMNS, requestListView } from '../../lib/render/dsr-overview.ts';
import { defineCommand, type FlagSpec, type FlagValues } from '../../lib/runtime/command-line/define-command.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { dueRequests } from '../../lib/workflows/dsr-due.ts';
import type { LedgerPort } from '../../lib/workflows/dsr-ports.ts';
import { readGroup, refreshRequests } from '../../lib/workflows/dsr-read.ts';
import { requestResult } from './results.ts';
import { type DsrSession, openDsr, toldReading } from './session.ts';

const listFlags = {
  groupId: { value: 'id', help: 'ask the platform for the requests of this group' },
  due: { help: 'only those that the law still waits for, the most urgent first' },
  limit: {
    value: 'n',
    default: '100',
    help: 'without a group: how many to list, newest first, or most urgent first with --due',
  },
} as const satisfies Record<string, FlagSpec>;

type ListFlags = FlagValues<typeof listFlags>;

export const listRequests = defineCommand({
  path: 'dsr list',
  summary: 'list the requests of a group, or those that were submitted from this machine',
  effect: 'read',
  calls: 'platform',
  flags: listFlags,
  columns: () => REQUEST_COLUMNS,
  output: () => array(requestResult()),
  notes: [
    'The platform lists requests by group only. Without --group-id the ledger of this machine is listed, for the workspace in use; open requests are read from the platform again.',
    'With --due all of the ledger is looked at, however old: what the platform has ended makes room for the next.',
    'The deadline is one month after the subject asked under GDPR, 45 days under CCPA.',
  ],
  examples: ['cdpadm dsr list', 'cdpadm dsr list --due -o csv', 'cdpadm dsr list --group-id spring-clean'],
  run: (ctx, { flags }) => list(ctx, flags),
});

async function list(ctx: Context, flags: ListFlags): Promise<void> {
  const limit = /^\d{1,7}$/.test(flags.limit) ? Number(flags.limit) : 0;
  if (limit === 0) throw usageError(`--limit takes a number from 1 on, not \`${flags.limit}\`.`);
  const session = await openDsr(ctx);
  const empty =
    flags.groupId === undefined
      ? 'Nothing was submitted from this machine. The requests of a group: dsr list --group-id ID.'
      : `No request has the group id ${flags.groupId}.`;
  await ctx.out.emit(
    await requestsOf(ctx, session, flags, limit),
    requestListView(flags.due ? 'Nothing is due.' : empty),
  );
}

async function requestsOf(
  ctx: Context,
  session: DsrSession,
  { due, groupId }: ListFlags,
  limit: number,
): Promise<RequestOverview[]> {
  if (groupId === undefined) return due ? await mostUrgent(ctx, session, limit) : await newest(ctx, session, limit);
  const group = await readGroup(groupId, session);
  return due ? dueFirst(group) : group;
}

/** The newest of the ledger's requests, the newest first. */
async function newest(ctx: Context, session: DsrSession, limit: number): Promise<RequestOverview[]> {
  const { hasMore, requests } = await session.memory.ledger.newest(limit);
  if (hasMore)
    ctx.out.warn(
      `The ledger has more requests; ${limit === 1 ? 'this is the newest' : `these are the newest ${limit}`} (--limit).`,
    );
  return await refreshRequests(requests, session);
}

/** Of all that the ledger has: the one that is due first may be the one that was submitted first (decision: D202). */
async function mostUrgent(ctx: Context, session: DsrSession, limit: number): Promise<RequestOverview[]> {
  const { ledger } = session.memory;
  const told: Pick<LedgerPort, 'byUrgency'> = {
    byUrgency: (urgency, count) => toldReading(ctx, ledger.byUrgency(urgency, count)),
  };
  const { asked, left, requests } = await dueRequests(told, limit, session);
  const these = limit === 1 ? 'this is the most urgent' : `these are the ${limit} most urgent`;
  if (left > 0 && requests.length === limit) ctx.out.warn(`${left} more of the ledger may be due; ${these} (--limit).`);
  else if (left > 0)
    ctx.out.warn(
      `${requests.length === 0 ? 'None' : `Only ${requests.length}`} of the ${asked} most urgent that the ledger has open still ${requests.length > 1 ? 'are' : 'is'}; ${left} more were not asked for. Run it again to go on.`,
    );
  return requests;
}
