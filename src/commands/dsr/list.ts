// `dsr list`: lists the requests in a group, or those submitted from this machine.
import * as z from 'zod/mini';
import { dueFirst, type RequestOverview, requestResult } from '../../lib/domain/dsr/overview.ts';
import { counted, listed } from '../../lib/kernel/words.ts';
import { type KnownError, usageError } from '../../lib/kernel/errors.ts';
import { requestListView } from '../../lib/render/dsr-overview.ts';
import { requestsPage } from '../../lib/render/dsr-page.ts';
import type { ListView } from '../../lib/render/view.ts';
import {
  defineCommand,
  flagName,
  type FlagSpec,
  type FlagValues,
} from '../../lib/runtime/command-line/define-command.ts';
import { COMMON_FORMATS } from '../../lib/runtime/command-line/help.ts';
import type { Context } from '../../lib/runtime/context.ts';
import { dueRequests, isWithin, type ListPorts, readGroup, refreshRequests } from '../../lib/workflows/dsr-read.ts';
import { findBroken } from '../chain-report.ts';
import { readDuration } from '../flag-values.ts';
import { pageSource } from '../results.ts';
import { openDsr, openLedgerOf } from './session.ts';

const listFlags = {
  groupId: { value: 'id', help: 'list the requests in this group from the platform' },
  due: { help: 'only due requests, most urgent first' },
  within: {
    value: 'duration',
    help: 'with --due: only late requests, and requests that are due or whose results expire within this time',
  },
  failIfDue: { help: 'with --due: exit 10 if a request is listed' },
  failIfOverdue: { help: 'with --due: exit 10 if a request is late or its deadline is unknown' },
  failIfEmpty: { help: 'with --due: exit 10 if the ledger or the group has no requests' },
  limit: {
    value: 'n',
    most: 9_999_999,
    default: '100',
    help: 'maximum number of requests from the ledger, newest first (with --due: most urgent first)',
  },
} as const satisfies Record<string, FlagSpec>;

type ListFlags = FlagValues<typeof listFlags>;

export const listRequests = defineCommand({
  path: 'dsr list',
  summary: 'list the requests in a group, or those submitted from this machine',
  effect: 'read',
  tool: ['groupId', 'due', 'within', 'limit'],
  calls: 'platform',
  flags: listFlags,
  formats: [...COMMON_FORMATS, 'html'],
  columns: ({ due }) => requestListView('', due === true).columns,
  output: () => z.array(requestResult()),
  notes: [
    'The platform can list requests only by group. Without --group-id, the command lists the requests in the ledger on this machine for the current workspace, and reads open requests from the platform.',
    '--due reads the whole ledger. An access or portability request counts as due until its results are downloaded (`dsr results`) or it is marked as answered (`dsr mark`). An erasure counts as due until it is completed or cancelled.',
    'The deadline is one month after the submitted time under GDPR, and 45 days after it under CCPA. `dsr mark --extended` extends the deadline.',
    'A request from another machine has no known deadline, so --due lists it with a warning.',
    'With text output in GitHub Actions, each overdue request also creates an annotation.',
  ],
  examples: [
    'cdpadm dsr list',
    'cdpadm dsr list --due --within 7d --fail-if-overdue',
    'cdpadm dsr list --due -o html --out due.html',
    'cdpadm dsr list --group-id spring-clean',
  ],
  exits: {
    failed: 'the ledger was changed outside of this program; the list is printed (exit code 10 takes precedence)',
    notFound: 'the platform no longer finds a request that it had more than a day ago; the list is printed',
    differences: '--fail-if-due or --fail-if-overdue found a request, or --fail-if-empty found none',
  },
  run: (ctx, { flags }) => list(ctx, flags),
});

async function list(ctx: Context, flags: ListFlags): Promise<void> {
  const dueOnly = (['within', 'failIfDue', 'failIfOverdue', 'failIfEmpty'] as const).find((name) => flags[name]);
  if (dueOnly !== undefined && flags.due !== true) throw usageError(`${flagName(dueOnly)} requires --due.`);
  const until = flags.within === undefined ? Infinity : ctx.clock.now() + readDuration('--within', flags.within);
  const session = { ...(await openDsr(ctx)), unread: new Map<string, KnownError>(), recent: [] };
  const group = flags.groupId === undefined ? undefined : await readGroup(flags.groupId, session);
  const ofGroup = flags.due ? group && dueFirst(group).filter((request) => isWithin(request, until)) : group;
  const ofLedger = () => (flags.due ? mostUrgent(ctx, session, flags, until) : newest(ctx, session, flags.limit));
  const requests = ofGroup ?? (await ofLedger());
  await ctx.out.emit(requests, await viewOf(ctx, flags));
  const isReported =
    flags.due === true &&
    (requests.length > 0 ? reportDue(ctx, requests, flags) : await reportEmpty(ctx, session, flags, group));
  if (isReported) ctx.setExit('differences');
  // Fail after printing, because deadlines may be missing (decision: D254) or states outdated (decision: D416).
  const broken = flags.groupId === undefined ? await findBroken(ctx, await openLedgerOf(ctx), 'ledger') : undefined;
  const failures = [broken, unreadFailure(session)].filter((one) => one !== undefined);
  for (const { message } of isReported ? failures : failures.slice(1)) ctx.out.warn(message);
  if (!isReported && failures[0]) throw failures[0];
}

const isPage = (ctx: Context): boolean => ctx.flags.output === 'html';

async function viewOf(ctx: Context, { due, groupId, within }: ListFlags): Promise<ListView<RequestOverview>> {
  const source = isPage(ctx) ? await pageSource(ctx, 'dsr_base_url') : {};
  const none = within === undefined ? 'Nothing is due.' : `Nothing is due within ${within}.`;
  const empty =
    groupId === undefined
      ? 'No requests were submitted from this machine to this platform. To list a group: cdpadm dsr list --group-id ID'
      : `No request has the group id ${groupId}.`;
  return {
    ...requestListView(due === true ? none : empty, due),
    html: (rows) => requestsPage(rows, source, due === true),
  };
}

function unreadFailure({ unread }: ListPorts): KnownError | undefined {
  const [first] = unread.values();
  if (first === undefined) return undefined;
  const ids = listed([...unread.keys()], 5);
  const what = `${counted(unread.size, 'request')} could not be read from the platform and may have changed: ${ids}.`;
  return first.with({ message: `${what} ${first.message}` });
}

/**
 * Reports the number of overdue requests and, in GitHub Actions, annotates each one, except with HTML output: such a
 * job usually also lists the requests as text. Returns true if the exit code must be 10.
 */
function reportDue(ctx: Context, requests: readonly RequestOverview[], flags: ListFlags): boolean {
  const overdue = requests.filter((request) => request.overdue);
  for (const { deadline, subject_request_id: id, subject_request_type: type } of isPage(ctx) ? [] : overdue)
    ctx.out.annotate('error', `The ${type ?? ''} request ${id} is overdue: its deadline was ${deadline ?? ''}.`);
  if (overdue.length > 0) ctx.out.warn(`${counted(overdue.length, 'request')} overdue.`);
  const unknown = requests.filter(({ deadline }) => deadline === null).length;
  if (unknown > 0)
    ctx.out.warn(
      `${counted(unknown, 'request has', 'requests have')} no known deadline, because the ledger on this machine does not contain the submission${flags.failIfOverdue ? ', so --fail-if-overdue fails' : ''}.`,
    );
  return flags.failIfDue === true || (flags.failIfOverdue === true && overdue.length + unknown > 0);
}

/** An empty ledger usually means the wrong folder, user, workspace or address, any of which hides every deadline. */
async function reportEmpty(
  ctx: Context,
  { ledger, submitter }: ListPorts,
  flags: ListFlags,
  group: readonly RequestOverview[] | undefined,
): Promise<boolean> {
  if (group) return flags.failIfEmpty === true && group.length === 0;
  if ((await ledger.newest(1)).requests.length > 0) return false;
  const { address, workspace_id: workspace } = submitter;
  const text = `The ledger on this machine has no requests for workspace ${workspace} at ${address}, so no deadline is known.`;
  if (!isPage(ctx)) ctx.out.annotate('warning', text);
  ctx.out.warn(`${text} Check the user, CDPADM_STATE_DIR (${ctx.paths.state}), the workspace and the address.`);
  return flags.failIfEmpty === true;
}

async function newest(ctx: Context, session: ListPorts, limit: number): Promise<RequestOverview[]> {
  const { hasMore, requests } = await session.ledger.newest(limit);
  if (hasMore) ctx.out.warn(`The list contains only the newest requests (--limit ${limit}).`);
  return await refreshRequests(requests, session);
}

/** Reads the whole ledger, because the oldest request may be the most urgent (decision: D202). */
async function mostUrgent(ctx: Context, session: ListPorts, flags: ListFlags, until: number) {
  const { limit } = flags;
  const isPatient = flags.failIfDue === true || flags.failIfOverdue === true;
  const { asked, left, requests } = await dueRequests({ limit, until, isPatient }, session);
  if (left > 0 && requests.length === limit)
    ctx.out.warn(`The list contains only the most urgent requests (--limit ${limit}); ${left} more may be due.`);
  else if (left > 0)
    ctx.out.warn(
      `Checked the ${asked} most urgent open requests in the ledger: ${counted(requests.length, 'is', 'are')} still open. ${left} more were not checked. Run the command again to continue.`,
    );
  return requests;
}
