// `dsr list`: the requests of a group, or those that went out from this machine.
import { Command } from 'commander';
import { dueFirst } from '../../lib/domain/dsr/overview.ts';
import { isOpen } from '../../lib/domain/dsr/statuses.ts';
import { usageError } from '../../lib/kernel/errors.ts';
import { REQUEST_COLUMNS, requestListView } from '../../lib/render/dsr-overview.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { withHelp } from '../../lib/runtime/command-line/help.ts';
import type { LedgerEntry } from '../../lib/workflows/dsr-ports.ts';
import { readGroup, refreshRequests } from '../../lib/workflows/dsr-read.ts';
import { type DsrSession, openDsr } from './session.ts';

interface ListFlags {
  groupId?: string;
  due?: boolean;
  limit: string;
}

export function listCommand(ctx: Context): Command {
  const command = new Command('list')
    .description('list the requests of a group, or those that were submitted from this machine')
    .option('--group-id <id>', 'ask the platform for the requests of this group')
    .option('--due', 'only those that the law still waits for, the most urgent first')
    .option('--limit <n>', 'without a group: the newest so many', '100')
    .action((flags: ListFlags) => list(ctx, flags));
  return withHelp(command, {
    calls: 'platform',
    reads: true,
    columns: () => REQUEST_COLUMNS,
    notes: [
      'The platform lists requests by group only. Without --group-id the ledger of this machine is listed, for the workspace in use; what is not at its end is read anew.',
      'The deadline is one month after the subject asked under GDPR, 45 days under CCPA.',
    ],
    examples: ['cdpadm dsr list', 'cdpadm dsr list --due -o csv', 'cdpadm dsr list --group-id spring-clean'],
    json: '[{"subject_request_id","request_status","expected_completion_time","group_id","results_url","extensions","regulation","subject_request_type","submitted_time","deadline","cancellable_until","results_expire_at"}]',
  });
}

async function list(ctx: Context, flags: ListFlags): Promise<void> {
  const limit = /^\d{1,7}$/.test(flags.limit) ? Number(flags.limit) : 0;
  if (limit === 0) throw usageError(`--limit takes a number from 1 on, not \`${flags.limit}\`.`);
  const session = await openDsr(ctx);
  const requests =
    flags.groupId === undefined
      ? await refreshRequests(await newest(ctx, session, limit, flags.due === true), session)
      : await readGroup(flags.groupId, session);
  const empty =
    flags.groupId === undefined
      ? 'Nothing was submitted from this machine. The requests of a group: dsr list --group-id ID.'
      : `No request has the group id ${flags.groupId}.`;
  await ctx.out.emit(flags.due ? dueFirst(requests) : requests, requestListView(flags.due ? 'Nothing is due.' : empty));
}

/** The ledger's requests of the workspace in use, the newest first. */
async function newest(ctx: Context, { memory }: DsrSession, limit: number, openOnly: boolean): Promise<LedgerEntry[]> {
  const { address, workspace_id: workspace } = memory.sender;
  const { hasMore, requests } = await memory.ledger.newest({
    limit,
    belongs: (event) => event.address === address && event.workspace_id === workspace,
    ...(openOnly && { isOpen }),
  });
  if (hasMore) ctx.out.warn(`The ledger has more requests; these are the newest ${limit} (--limit).`);
  return requests;
}
